import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sameValue } from "./same-value.ts";
import { decode, littleEndian, stringify } from "./typed-json.ts";

/** Text with any code units, lone surrogates included. */
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

const typedArray = fc.oneof(
  fc.int8Array(),
  fc.uint8Array(),
  fc.uint8ClampedArray(),
  fc.int16Array(),
  fc.uint16Array(),
  fc.int32Array(),
  fc.uint32Array(),
  // Any bit pattern, so that every kind of NaN is among them.
  fc.uint32Array().map((bits) => new Float32Array(bits.buffer)),
  fc.float64Array(),
  // A view into the middle of a buffer.
  fc.float32Array({ minLength: 3 }).map((array) => array.subarray(1, -1)),
);

const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    anyText,
    typedArray,
    fc.array(tie("value")),
    fc.dictionary(fc.oneof(anyText, fc.constantFrom("type", "__proto__", "entries", "base64")), tie("value")),
    // Plain objects that look like the format's own tags.
    fc.record({ type: fc.constantFrom("object", "number", "Float32Array", "Map"), value: tie("value") }),
  ),
})).value;

describe("typed JSON", () => {
  it("gives back every value exactly, bit by bit", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(sameValue(decode(JSON.parse(stringify(value))), value)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("writes typed arrays as little-endian base64, and numbers that JSON lacks as tags", () => {
    const value = {
      a: Float32Array.of(1, -2),
      b: -0,
      c: [Number.NaN, Number.NEGATIVE_INFINITY],
      d: undefined,
    };
    expect(JSON.parse(stringify(value))).toEqual({
      a: { type: "Float32Array", length: 2, base64: "AACAPwAAAMA=" },
      b: { type: "number", value: "-0" },
      c: [
        { type: "number", value: "NaN" },
        { type: "number", value: "-Infinity" },
      ],
    });
  });

  it("swaps bytes on a machine of the other order", () => {
    const bytes = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    expect([...littleEndian(bytes, 4, false)]).toEqual([4, 3, 2, 1, 8, 7, 6, 5]);
    expect([...littleEndian(bytes, 2, false)]).toEqual([2, 1, 4, 3, 6, 5, 8, 7]);
    expect([...littleEndian(bytes, 1, false)]).toEqual([...bytes]);
    expect([...littleEndian(bytes, 4, true)]).toEqual([...bytes]);
  });

  it.each<[string, unknown]>([
    ["a.b: ", { a: { b: new Map() } }],
    ["a[1]: ", { a: [1, undefined] }],
    ["a[0]: ", { a: [() => 1] }],
    ["when: ", { when: new Date() }],
    ["big: ", { big: 1n }],
  ])("refuses what JSON cannot hold, at %s", (place, value) => {
    expect(() => stringify(value)).toThrow(expect.objectContaining({ path: place.slice(0, -2) }));
  });

  it.each<[string, unknown, string]>([
    ["base64 with a foreign character", { type: "Int32Array", length: 1, base64: "AAA$" }, "damaged base64"],
    ["too few bytes", { type: "Int32Array", length: 2, base64: "AAAAAA==" }, "says that it has 2 entries"],
    ["bytes that fill no number", { type: "Float32Array", length: 1, base64: "AAAA" }, "holds 3 bytes"],
    ["no length", { type: "Float32Array", base64: "" }, "says that it has undefined entries"],
    ["a length of the wrong type", { type: "Float32Array", length: "0", base64: "" }, "holds"],
    ["no text", { type: "Float32Array", length: 0 }, "no text in base64"],
    ["an unknown number", { type: "number", value: "1" }, "expected NaN"],
    ["an escape without entries", { type: "object" }, "no list of entries"],
    ["an entry without a name", { type: "object", entries: [[1, 2]] }, "entry 0 has no name"],
  ])("names the place of %s", (_case, damaged, message) => {
    expect(() => decode({ list: [damaged] }, "file")).toThrow(
      expect.objectContaining({ path: "file.list[0]", message: expect.stringContaining(message) }),
    );
  });
});
