import { describe, expect, it } from "vitest";
import { shareInterval } from "./share-interval.ts";
import { wilsonInterval } from "./wilson-interval.ts";

/** Chance that the interval holds the true share, summed over all counts. */
function coverage(interval: typeof shareInterval, total: number, share: number): number {
  let probability = (1 - share) ** total;
  let covered = 0;
  for (let count = 0; count <= total; count += 1) {
    const value = interval(count, total).value;
    if (value !== null && value.low <= share && share <= value.high) covered += probability;
    probability *= ((total - count) / (count + 1)) * (share / (1 - share));
  }
  return covered;
}

describe("shareInterval", () => {
  // Brown, Cai & DasGupta find the same: the mean is close to .95, and no share lies far below it.
  it.each([16, 32, 64])(
    "with %i cases holds every true share in over 91 of 100, which Wilson's does not",
    (n) => {
      const shares = Array.from({ length: 998 }, (_, at) => (at + 1) / 999.5);
      const fine = [0.9985, 0.997, 0.996, 0.995, 0.99];
      const least = (interval: typeof shareInterval) =>
        Math.min(...[...shares, ...fine].map((share) => coverage(interval, n, share)));
      expect(least(shareInterval)).toBeGreaterThan(0.91);
      expect(least(wilsonInterval)).toBeLessThan(0.9);
      // Where Wilson's fails: nearly all cases.
      for (const share of fine) expect(coverage(shareInterval, n, share)).toBeGreaterThan(0.92);
    },
  );

  it("takes the exact one-sided Poisson limits, −ln .95 for one case", () => {
    expect(shareInterval(1, 32).value?.low).toBeCloseTo(-Math.log(0.95) / 32, 12);
    expect(shareInterval(31, 32).value?.high).toBeCloseTo(1 + Math.log(0.95) / 32, 12);
    // Half of the 5 % quantile of χ² with 4 degrees of freedom, 0.710723 (tables).
    expect(shareInterval(2, 32).value?.low).toBeCloseTo(0.710723 / 2 / 32, 7);
  });

  it("is Wilson's interval away from the ends, and at 0 and all", () => {
    for (const count of [0, 3, 16, 29, 32])
      expect(shareInterval(count, 32).value).toEqual(wilsonInterval(count, 32).value);
    // With more cases one more count is mended.
    expect(shareInterval(3, 64).value?.low).toBeLessThan(wilsonInterval(3, 64).value?.low ?? NaN);
  });

  it("has no interval without cases, and refuses counts that cannot be", () => {
    expect(shareInterval(0, 0).reason).toBe("empty");
    expect(() => shareInterval(3, 2)).toThrow(RangeError);
  });
});
