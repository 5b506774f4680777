import { describe, expect, it } from "vitest";
import {
  bcaInterval,
  expandedConfidence,
  expandedInterval,
  percentileInterval,
} from "./bootstrap-interval.ts";
import { clusterBootstrap } from "./cluster-bootstrap.ts";
import { createRandom } from "./random-source.ts";
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

describe("expandedInterval", () => {
  // Skewed, so that the two methods differ.
  const values = [0, 0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.4, 0.9, 2.5];
  const mean = ({ counts }: { counts: Int32Array }) => [
    values.reduce((sum, value, at) => sum + value * (counts[at] ?? 0), 0) / values.length,
  ];
  const bootstrap = clusterBootstrap(values.length, mean, createRandom("expanded"), 2000);

  it("is BCa, or the percentiles where these are asked for, at the expanded confidence", () => {
    const wider = expandedConfidence(values.length);
    const [bca, percentile] = [
      expandedInterval(bootstrap, 0),
      expandedInterval(bootstrap, 0, 0.95, "percentile"),
    ];
    expect(bca.value).toEqual({ ...bcaInterval(bootstrap, 0, wider).value, confidence: 0.95 });
    expect(percentile.value).toEqual({ ...percentileInterval(bootstrap, 0, wider).value, confidence: 0.95 });
    expect(bca.value?.high).toBeGreaterThan(percentile.value?.high ?? NaN);
  });

  it("has the usual reason for too few examples, with either method", () => {
    const few = clusterBootstrap(3, ({ counts }) => [counts[0] ?? 0], createRandom("few"), 100);
    for (const method of ["bca", "percentile"] as const)
      expect(expandedInterval(few, 0, 0.95, method)).toMatchObject({ value: null, reason: "too-few" });
  });
});
