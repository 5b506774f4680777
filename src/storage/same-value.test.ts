import { expect, it } from "vitest";
import { sameValue } from "./same-value.ts";

it.each<[unknown, unknown, boolean]>([
  [Number.NaN, Number.NaN, true],
  [0, -0, false],
  [Float32Array.of(Number.NaN, -0), Float32Array.of(Number.NaN, -0), true],
  [Float32Array.of(0), Float32Array.of(-0), false],
  [Float32Array.of(1), Float32Array.of(1, 2), false],
  [Float32Array.of(1), Float64Array.of(1), false],
  [Uint16Array.of(1, 2).subarray(1), Uint16Array.of(2), true],
  [{ a: 1, b: [2, null] }, { b: [2, null], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1], { 0: 1 }, false],
  [null, {}, false],
  ["a", "b", false],
])("compares %o with %o: %s", (a, b, same) => {
  expect(sameValue(a, b)).toBe(same);
  expect(sameValue(b, a)).toBe(same);
});
