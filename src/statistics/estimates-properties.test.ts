import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  correlationWithInterval,
  createRandom,
  distanceCorrelation,
  kendallTau,
  meanWithInterval,
  normalCdf,
  normalQuantile,
  participationRatio,
  pearson,
  quantile,
  spearman,
  splitHalfReliability,
  varianceComponents,
  weightRobustness,
  wilsonInterval,
} from "./index.ts";
import { KendallPair } from "./kendall-tau.ts";
import { RankedColumn } from "./correlation.ts";
import { midranks } from "./ranks.ts";

// Hundreds of cases each: a second here, several beside other work.
vi.setConfig({ testTimeout: 60_000 });

/** Multiples of 1/8, so that ties are common and sums exact. */
const value = fc.integer({ min: -24, max: 24 }).map((n) => n / 8);
const distance = fc.integer({ min: 0, max: 8 }).map((n) => n / 8);
const list = (minLength: number, maxLength = 10) => fc.array(value, { minLength, maxLength });
const pairs = fc.array(fc.tuple(value, value), { minLength: 4, maxLength: 12 });
const seed = fc.integer();

const columns = (rows: readonly (readonly [number, number])[]): [number[], number[]] => [
  rows.map(([x]) => x),
  rows.map(([, y]) => y),
];

function shuffled<T>(values: readonly T[], from: number): T[] {
  const copy = [...values];
  createRandom(from).shuffle(copy);
  return copy;
}

const close = (actual: number | null | undefined, expected: number | null | undefined): void => {
  if (actual === null || actual === undefined) expect(actual ?? null).toBe(expected ?? null);
  else expect(actual).toBeCloseTo(expected ?? NaN, 9);
};

describe("correlations", () => {
  const kinds = {
    pearson: (x: number[], y: number[]) => pearson(x, y).value,
    spearman: (x: number[], y: number[]) => spearman(x, y).value,
    kendall: (x: number[], y: number[]) => new KendallPair(x, y).tau(x.map(() => 1)),
    distance: (x: number[], y: number[]) =>
      distanceCorrelation(x, y, createRandom(1), { permutations: 1, halves: 1 }).value?.squared ?? null,
  };

  for (const [name, correlation] of Object.entries(kinds)) {
    it(`${name}: lies in [−1, 1], is symmetric, ignores order, and is 1 of a variable with itself`, () => {
      fc.assert(
        fc.property(pairs, seed, (rows, from) => {
          const [x, y] = columns(rows);
          const r = correlation(x, y);
          if (r !== null) expect(Math.abs(r)).toBeLessThanOrEqual(1 + 1e-9);
          close(correlation(y, x), r);
          close(correlation(...columns(shuffled(rows, from))), r);
          const self = correlation(x, x);
          if (self !== null) expect(self).toBeCloseTo(1, 9);
          close(
            correlation(
              x.map((v) => 3 * v + 1),
              y,
            ),
            r,
          );
        }),
      );
    });
  }

  it("of resamples equal those of the written-out samples", () => {
    const counted = fc.array(fc.tuple(value, value, fc.integer({ min: 0, max: 3 })), {
      minLength: 4,
      maxLength: 10,
    });
    fc.assert(
      fc.property(counted, (rows) => {
        const counts = rows.map(([, , count]) => count);
        const repeated = rows.flatMap(([x, y, count]) => new Array<[number, number]>(count).fill([x, y]));
        const [x, y] = columns(rows.map(([a, b]) => [a, b] as const));
        const [longX, longY] = columns(repeated);
        const ranks = new RankedColumn(x).ranks(counts);
        const longRanks = midranks(longX);
        let place = 0;
        counts.forEach((count, i) => {
          if (count > 0) expect(ranks[i]).toBeCloseTo(longRanks[place] ?? NaN, 9);
          place += count;
        });
        if (longX.length >= 3)
          close(new KendallPair(x, y).tau(counts), kendallTau(longX, longY).value?.tau ?? null);
      }),
    );
  });

  it("have intervals around the estimate for most samples, inside [−1, 1] for all", () => {
    fc.assert(
      fc.property(pairs, seed, fc.constantFrom("pearson", "spearman", "kendall"), (rows, from, kind) => {
        const [x, y] = columns(rows);
        const result = correlationWithInterval(x, y, createRandom(from), { kind, replications: 100 }).value;
        const interval = result?.interval.value;
        if (!interval) return;
        expect(interval.low).toBeGreaterThanOrEqual(-1);
        expect(interval.high).toBeLessThanOrEqual(1);
        expect(interval.low).toBeLessThanOrEqual(interval.high);
      }),
      { numRuns: 60 },
    );
  });
});

describe("intervals and shares", () => {
  it("of a proportion lie in [0, 1], hold it, mirror, and narrow with the number of trials", () => {
    fc.assert(
      fc.property(fc.nat(50), fc.integer({ min: 1, max: 50 }), (part, extra) => {
        const total = part + extra;
        const interval = wilsonInterval(part, total).value;
        const mirror = wilsonInterval(extra, total).value;
        const { low = NaN, high = NaN, share = NaN } = interval ?? {};
        expect(0 <= low && low <= share && share <= high && high <= 1).toBe(true);
        expect(mirror?.low).toBeCloseTo(1 - high, 12);
        const more = wilsonInterval(4 * part, 4 * total).value;
        expect((more?.high ?? NaN) - (more?.low ?? NaN)).toBeLessThan(high - low);
      }),
    );
  });

  it("of a mean lie within the data, and shift and scale with it", () => {
    fc.assert(
      fc.property(list(4, 12), seed, (x, from) => {
        const options = { replications: 200 };
        const base = meanWithInterval(x, createRandom(from), options).value?.interval;
        const moved = meanWithInterval(
          x.map((v) => 2 * v + 8),
          createRandom(from),
          options,
        ).value?.interval;
        expect(moved?.reason).toBe(base?.reason);
        if (!base?.value) return;
        expect(base.value.low).toBeGreaterThanOrEqual(Math.min(...x) - 1e-12);
        expect(base.value.high).toBeLessThanOrEqual(Math.max(...x) + 1e-12);
        close(moved?.value?.low, 2 * base.value.low + 8);
        close(moved?.value?.high, 2 * base.value.high + 8);
      }),
      { numRuns: 60 },
    );
  });

  it("of the normal distribution are inverse functions", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 1 - 1e-12, noNaN: true }), (p) => {
        const back = normalCdf(normalQuantile(p));
        expect(Math.abs(back / p - 1)).toBeLessThan(1e-11);
      }),
    );
  });

  it("of quantiles rise with the probability and reach the extremes", () => {
    fc.assert(
      fc.property(
        list(1),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (x, p, q) => {
          const [low, high] = [Math.min(p, q), Math.max(p, q)].map((at) => quantile(x, at).value ?? NaN);
          expect(low).toBeLessThanOrEqual((high ?? NaN) + 1e-12);
          expect([quantile(x, 0).value, quantile(x, 1).value]).toEqual([Math.min(...x), Math.max(...x)]);
        },
      ),
    );
  });

  it("of random weights lie in [0, 1] and do not depend on which model comes first", () => {
    const profile = fc.array(distance, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(profile, profile, seed, (a, b, from) => {
        const [there] = weightRobustness([a, b], createRandom(from), 100).value ?? [];
        const [back] = weightRobustness([b, a], createRandom(from), 100).value ?? [];
        expect(back?.preserved).toEqual(there?.preserved);
        close(back?.difference, -(there?.difference ?? NaN));
      }),
    );
  });
});

describe("structure", () => {
  it("participation ratio lies between 1 and the number of variables", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, value), { minLength: 3, maxLength: 8 }), (rows) => {
        const matrix = [0, 1, 2].map((i) =>
          [0, 1, 2].map((j) => rows.reduce((sum, row) => sum + (row[i] ?? NaN) * (row[j] ?? NaN), 0)),
        );
        const ratio = participationRatio(matrix);
        if (ratio.value === null) return;
        expect(ratio.value).toBeGreaterThanOrEqual(1 - 1e-9);
        expect(ratio.value).toBeLessThanOrEqual(3 + 1e-9);
      }),
    );
  });

  it("variance components do not depend on order or location, and scale with the square", () => {
    const data = fc.array(fc.array(list(1, 3), { minLength: 1, maxLength: 3 }), {
      minLength: 2,
      maxLength: 5,
    });
    fc.assert(
      fc.property(data, seed, (examples, from) => {
        const base = varianceComponents(examples);
        const moved = shuffled(examples, from).map((variants) =>
          shuffled(variants, from).map((values) => shuffled(values, from).map((v) => 2 * v + 4)),
        );
        const other = varianceComponents(moved);
        expect(other.reason).toBe(base.reason);
        if (base.value === null || other.value === null) return;
        close(other.value.example, 4 * base.value.example);
        close(other.value.withinExample, 4 * base.value.withinExample);
        if (base.value.residual.value !== null) expect(base.value.residual.value).toBeGreaterThanOrEqual(0);
        const { shares } = base.value;
        if (shares) expect(shares.example + shares.variant + shares.residual).toBeCloseTo(1, 12);
      }),
    );
  });

  it("split-half reliability does not depend on location and scale", () => {
    const data = fc.array(list(2, 5), { minLength: 3, maxLength: 8 });
    fc.assert(
      fc.property(data, seed, (measurements, from) => {
        const base = splitHalfReliability(measurements, createRandom(from), { splits: 5 });
        const moved = splitHalfReliability(
          measurements.map((values) => values.map((v) => 4 * v - 2)),
          createRandom(from),
          { splits: 5 },
        );
        expect(moved.reason).toBe(base.reason);
        if (base.value === null) return;
        close(moved.value?.halfCorrelation, base.value.halfCorrelation);
        expect(Math.abs(base.value.halfCorrelation)).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });
});
