import { describe, expect, it } from "vitest";
import { expandedConfidence } from "./bootstrap-interval.ts";
import { studentQuantile } from "./student-t-distribution.ts";

describe("expandedConfidence", () => {
  // Quantiles of Student's t from printed tables.
  it.each([
    [1, 12.7062],
    [3, 3.1824],
    [15, 2.1314],
    [30, 2.0423],
    [120, 1.9799],
  ])("rests on the 97.5 %% quantile of t with %i degrees of freedom, %f", (degrees, quantile) => {
    expect(studentQuantile(0.975, degrees)).toBeCloseTo(quantile, 4);
  });

  it("asks for the confidence at which a normal interval is as wide as t's and the resampling needs", () => {
    // n = 31: √(31/30) · 2.0423 = 2.0761; Φ(2.0761) = .98106 (tables: Φ(2.07) = .98077, Φ(2.08) = .98124).
    expect(expandedConfidence(31)).toBeCloseTo(2 * 0.98106 - 1, 4);
  });

  it("falls to the confidence that was asked for as examples grow, and needs two of them", () => {
    const wider = [2, 4, 8, 16, 64, 1000].map((n) => expandedConfidence(n));
    for (let at = 1; at < wider.length; at += 1) expect(wider[at]).toBeLessThan(wider[at - 1] ?? NaN);
    expect(wider.at(-1)).toBeCloseTo(0.95, 3);
    expect(() => expandedConfidence(1)).toThrow(RangeError);
  });
});
