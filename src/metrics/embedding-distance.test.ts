import { expect, it } from "vitest";
import { embeddingDistance } from "./embedding-distance.ts";

const unit = (...values: number[]) => Float32Array.from(values);

it("is 1 − cosine, with negative cosines counted as unrelated", () => {
  expect(embeddingDistance(unit(0.6, 0.8), unit(1, 0))).toBeCloseTo(0.4, 6);
  expect(embeddingDistance(unit(1, 0), unit(-1, 0))).toBe(1);
  expect(embeddingDistance(unit(1, 0), unit(0, 1))).toBe(1);
});

it("is exactly 0 for the same embedding, although float32 vectors are not quite of unit length", () => {
  const vector = Float32Array.from({ length: 384 }, (_, at) => Math.sin(at * at) / 14);
  expect(embeddingDistance(vector, vector.slice())).toBe(0);
});

it("counts two empty responses as equal, and an empty and a filled one as unrelated", () => {
  expect(embeddingDistance(null, null)).toBe(0);
  expect(embeddingDistance(null, unit(1, 0))).toBe(1);
  expect(embeddingDistance(unit(1, 0), null)).toBe(1);
});

it("refuses zero vectors and unequal lengths", () => {
  expect(() => embeddingDistance(unit(0, 0), unit(1, 0))).toThrow(RangeError);
  expect(() => embeddingDistance(unit(1), unit(1, 0))).toThrow(RangeError);
});
