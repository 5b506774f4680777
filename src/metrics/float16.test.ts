import { describe, expect, it } from "vitest";
import { decodeFloat16, encodeFloat16, float16Bits, float16Value } from "./float16.ts";

describe("float16", () => {
  it("gives back every one of the 65,536 bit patterns, NaN payloads aside", () => {
    let wrong = 0;
    for (let bits = 0; bits < 0x10000; bits += 1) {
      const value = float16Value(bits);
      const isNaNPattern = (bits & 0x7c00) === 0x7c00 && (bits & 0x3ff) !== 0;
      if (isNaNPattern ? !Number.isNaN(value) : float16Bits(value) !== bits) wrong += 1;
    }
    expect(wrong).toBe(0);
  });

  it("rounds the middle between each two neighbours to the even one, and a float32 step beside it to the nearer", () => {
    const buffer = new Float32Array(1);
    const asBits = new Uint32Array(buffer.buffer);
    const beside = (value: number, step: number) => {
      buffer[0] = value;
      asBits[0] = (asBits[0] ?? 0) + step;
      return buffer[0] ?? 0;
    };
    let wrong = 0;
    for (let bits = 0; bits < 0x7bff; bits += 1) {
      const middle = (float16Value(bits) + float16Value(bits + 1)) / 2;
      if (float16Bits(middle) !== (bits % 2 === 0 ? bits : bits + 1)) wrong += 1;
      if (float16Bits(beside(middle, -1)) !== bits) wrong += 1;
      if (float16Bits(beside(middle, 1)) !== bits + 1) wrong += 1;
      if (float16Bits(-middle) !== (0x8000 | (bits % 2 === 0 ? bits : bits + 1))) wrong += 1;
    }
    expect(wrong).toBe(0);
  });

  it("keeps signed zero, overflows to infinity from 65520 on and keeps NaN", () => {
    expect(float16Bits(0)).toBe(0);
    expect(float16Bits(-0)).toBe(0x8000);
    expect(float16Value(float16Bits(65519))).toBe(65504);
    expect(float16Value(float16Bits(65520))).toBe(Infinity);
    expect(float16Value(float16Bits(-1e30))).toBe(-Infinity);
    expect(float16Value(float16Bits(-Infinity))).toBe(-Infinity);
    expect(float16Value(float16Bits(NaN))).toBeNaN();
  });

  it("takes the smallest subnormal and sends half of it to zero", () => {
    expect(float16Value(float16Bits(2 ** -24))).toBe(2 ** -24);
    expect(float16Bits(2 ** -25)).toBe(0);
    expect(float16Bits(2 ** -25 * 1.001)).toBe(1);
  });

  it("encodes and decodes arrays element by element", () => {
    const values = Float32Array.of(1, -2.5, 0.333251953125, 1e-7);
    expect([...decodeFloat16(encodeFloat16(values))]).toEqual([1, -2.5, 0.333251953125, 2 ** -23]);
  });
});
