import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, contentKey } from "./content-key.ts";

describe("content keys", () => {
  it("equals the published SHA-256 of the canonical text", () => {
    // sha256 of the two characters "{}", from FIPS 180-4 test tools (openssl dgst -sha256).
    expect(contentKey({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  });

  it("does not depend on the order of an object's entries", () => {
    expect(contentKey({ a: 1, b: [2, { c: null, d: "é" }] })).toBe(
      contentKey({ b: [2, { d: "é", c: null }], a: 1 }),
    );
  });

  it("tells a list from a text that looks like it", () => {
    expect(contentKey([1, 2])).not.toBe(contentKey("[1,2]"));
  });

  it("refuses what JSON cannot hold", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, new Float32Array(1), () => 1, 1n]) {
      expect(() => canonicalJson({ value })).toThrow(RangeError);
    }
  });

  it("is read back by JSON.parse as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
