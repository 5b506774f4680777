import { describe, expect, it } from "vitest";
import { drawToken, rowStream } from "./sample.ts";

const LOGITS = Float32Array.from([Math.log(0.5), Math.log(0.3), Math.log(0.15), Math.log(0.05)]);

function shares(draw: (u: number) => number, tokens: number): number[] {
  const counts = new Array<number>(tokens).fill(0);
  const draws = 10_000;
  for (let i = 0; i < draws; i += 1) {
    const token = draw((i + 0.5) / draws);
    counts[token] = (counts[token] ?? 0) + 1;
  }
  return counts.map((count) => count / draws);
}

describe("drawToken", () => {
  it("draws each token as often as the model says at temperature 1", () => {
    expect(shares((u) => drawToken(LOGITS, 1, null, u), 4)).toEqual([0.5, 0.3, 0.15, 0.05]);
  });

  it("sharpens at low and flattens at high temperature", () => {
    const cold = shares((u) => drawToken(LOGITS, 0.5, null, u), 4);
    // Squares of the probabilities, normalised: 0.25, 0.09, 0.0225, 0.0025 over 0.365.
    expect(cold[0]).toBeCloseTo(0.25 / 0.365, 3);
    const hot = shares((u) => drawToken(LOGITS, 100, null, u), 4);
    for (const share of hot) expect(share).toBeCloseTo(0.25, 1);
  });

  it("draws from the smallest set of likeliest tokens that reaches the nucleus mass", () => {
    const nucleus = shares((u) => drawToken(LOGITS, 1, 0.7, u), 4);
    expect(nucleus[0]).toBeCloseTo(0.625, 3);
    expect(nucleus[1]).toBeCloseTo(0.375, 3);
    expect(nucleus.slice(2)).toEqual([0, 0]);
  });

  it("keeps the likeliest token however small the nucleus", () => {
    expect(shares((u) => drawToken(LOGITS, 1, 1e-9, u), 4)).toEqual([1, 0, 0, 0]);
  });

  it("takes the lower ids first where tokens tie at the nucleus's border", () => {
    expect(shares((u) => drawToken(new Float32Array(4), 1, 0.5, u), 4)).toEqual([0.5, 0.5, 0, 0]);
  });

  it("never draws a token of probability zero, also at the very end of the range", () => {
    const masked = Float32Array.from([-Infinity, 0, -Infinity]);
    expect(drawToken(masked, 1, null, 0)).toBe(1);
    expect(drawToken(masked, 1, null, 1 - 2 ** -53)).toBe(1);
  });

  it("refuses a temperature that is not positive", () => {
    expect(() => drawToken(LOGITS, 0, null, 0.5)).toThrow(RangeError);
    expect(() => drawToken(LOGITS, NaN, null, 0.5)).toThrow(RangeError);
  });
});

describe("rowStream", () => {
  const row = { seed: 7, exampleId: "example", promptId: "original", repeat: 0 };
  const first = (stream: () => number): number[] => Array.from({ length: 5 }, stream);

  it("repeats for the same row", () => {
    expect(first(rowStream(row))).toEqual(first(rowStream({ ...row })));
  });

  it("differs for each part of what names the row", () => {
    const streams = [
      row,
      { ...row, seed: 8 },
      { ...row, exampleId: "other" },
      { ...row, promptId: "variant" },
      { ...row, repeat: 1 },
    ].map((one) => first(rowStream(one)).join());
    expect(new Set(streams).size).toBe(5);
  });

  it("is uniform on [0, 1)", () => {
    const uniform = rowStream(row);
    const draws = Array.from({ length: 20_000 }, uniform);
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...draws)).toBeLessThan(1);
    expect(draws.reduce((sum, u) => sum + u, 0) / draws.length).toBeCloseTo(0.5, 1);
  });
});
