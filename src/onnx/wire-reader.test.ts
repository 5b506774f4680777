import { describe, expect, test } from "vitest";
import { OnnxGraphError } from "./onnx-graph-error.ts";
import { DEFAULT_READER_BOUNDS, ReaderBudget, WireReader } from "./wire-reader.ts";
import { bytesField, concatBytes, varintField } from "./wire-writer.ts";

const reader = (bytes: readonly number[] | Uint8Array, bounds = {}): WireReader =>
  new WireReader(Uint8Array.from(bytes), new ReaderBudget({ ...DEFAULT_READER_BOUNDS, ...bounds }));

describe("WireReader", () => {
  test("reads the examples of the protobuf encoding guide", () => {
    const number = reader([0x08, 0x96, 0x01]);
    expect(number.next()).toBe(true);
    expect(number.field).toBe(1);
    expect(number.integer()).toBe(150);
    expect(number.next()).toBe(false);
    const text = reader([0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
    text.next();
    expect(text.field).toBe(2);
    expect(text.string()).toBe("testing");
    const packed = reader([0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]);
    packed.next();
    const list: number[] = [];
    packed.integersInto(list);
    expect(list).toEqual([3, 270, 86_942]);
  });

  test.each([0, 1, -1, 127, 128, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53 - 1)])(
    "reads back the integer %d",
    (value) => {
      const field = reader(varintField(3, value));
      field.next();
      expect(field.integer()).toBe(value);
    },
  );

  test("steps over every encoding without looking inside", () => {
    const message = reader([
      0x08, 0x01, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1a, 0x02, 9, 9, 0x25, 1, 2, 3, 4, 0x28, 0x07,
    ]);
    for (let index = 0; index < 4; index += 1) {
      message.next();
      message.skip();
    }
    message.next();
    expect(message.field).toBe(5);
    expect(message.integer()).toBe(7);
  });

  test.each([
    ["a varint that is cut off", [0x08, 0x96]],
    ["a varint of eleven bytes", [0x08, ...new Array<number>(10).fill(0xff), 0x01]],
    ["a length beyond the end", [0x12, 0x05, 0x61]],
    ["a negative length", [0x12, ...new Array<number>(9).fill(0xff), 0x01]],
    ["a fixed number that is cut off", [0x0d, 0x01, 0x02]],
    ["a group, which ONNX does not use", [0x0b]],
    ["field number zero", [0x00, 0x01]],
  ])("rejects %s", (_what, bytes) => {
    const message = reader(bytes);
    expect(() => {
      while (message.next()) message.skip();
    }).toThrow(OnnxGraphError);
  });

  test("stops at its bound on fields and on the length of names", () => {
    const many = reader(concatBytes(Array.from({ length: 11 }, () => varintField(1, 1))), { maxFields: 10 });
    expect(() => {
      while (many.next()) many.skip();
    }).toThrow(/more than 10 fields/);
    const long = reader(bytesField(1, "a".repeat(20)), { maxNameBytes: 10 });
    long.next();
    expect(() => long.string()).toThrow(OnnxGraphError);
  });

  test("keeps no more of a list than its bound and goes on after it", () => {
    const packed = reader([0x0a, 0x05, 1, 2, 3, 4, 5, 0x10, 0x2a], { maxListLength: 2 });
    packed.next();
    const list: number[] = [];
    packed.integersInto(list);
    expect(list).toEqual([1, 2]);
    packed.next();
    expect(packed.integer()).toBe(42);
  });
});
