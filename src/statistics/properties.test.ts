import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  benjaminiHochberg,
  createRandom,
  correlationWithInterval,
  distanceCorrelation,
  holm,
  kendallTau,
  mean,
  meanWithInterval,
  normalCdf,
  normalQuantile,
  pairingPermutation,
  participationRatio,
  pearson,
  quantile,
  sampledExcessPermutation,
  signFlipTest,
  spearman,
  splitHalfReliability,
  varianceComponents,
  weightRobustness,
  wilcoxonSignedRank,
  wilsonInterval,
  withinExamplePermutation,
} from "./index.ts";
import { KendallPair } from "./kendall-tau.ts";
import { RankedColumn } from "./correlation.ts";
import { midranks } from "./ranks.ts";

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

describe("a random source", () => {
  it("repeats itself from the same seed, and differs for another or for the same text", () => {
    const draw = (from: number | string) => Array.from({ length: 5 }, createRandom(from).uniform);
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1)).not.toEqual(draw("1"));
    expect(() => createRandom(NaN)).toThrow(RangeError);
  });

  it("splits by label alone, whatever was drawn before", () => {
    fc.assert(
      fc.property(seed, fc.string(), fc.nat(20), (from, label, drawn) => {
        const [first, second] = [createRandom(from), createRandom(from)];
        for (let i = 0; i < drawn; i++) second.uniform();
        expect(second.split(label).uniform()).toBe(first.split(label).uniform());
        expect(first.split(label).uniform()).not.toBe(first.split(`${label}!`).uniform());
        expect(first.split(1).uniform()).not.toBe(first.split("1").uniform());
      }),
    );
  });

  it("stays in range, and fills it evenly", () => {
    const random = createRandom("range");
    for (const n of [1, 2, 3, 7, 100]) {
      const counts = new Array<number>(n).fill(0);
      for (let i = 0; i < 400 * n; i++) {
        const drawn = random.integer(n);
        counts[drawn] = (counts[drawn] ?? NaN) + 1;
      }
      expect(counts).toHaveLength(n);
      // 400 expected in each, 5 standard deviations.
      for (const count of counts) expect(Math.abs(count - 400)).toBeLessThan(100);
    }
    expect(() => random.integer(0)).toThrow(RangeError);
    expect(() => random.integer(2.5)).toThrow(RangeError);
    expect(() => random.integer(2 ** 22)).toThrow(RangeError);
  });

  it("shuffles into each order equally often, and draws normal values", () => {
    const random = createRandom("orders");
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = Int32Array.of(0, 1, 2);
      random.shuffle(order);
      counts.set(order.join(""), (counts.get(order.join("")) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    // 1000 ± 5 standard deviations.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(145);
    const values = Array.from({ length: 4000 }, random.normal);
    expect(Math.abs(mean(values).value ?? NaN)).toBeLessThan(0.08);
    expect(Math.abs((mean(values.map((x) => x * x)).value ?? NaN) - 1)).toBeLessThan(0.12);
  });
});

describe("p-values", () => {
  const between = (p: number | undefined): void => {
    expect(p).toBeGreaterThan(0);
    expect(p).toBeLessThanOrEqual(1);
  };

  it("lie in (0, 1], and the two tails cover everything", () => {
    fc.assert(
      fc.property(list(1, 9), seed, (differences, from) => {
        const random = createRandom(from);
        const [greater, less] = (["greater", "less"] as const).map(
          (alternative) => signFlipTest(differences, random, { alternative }).value?.pValue,
        );
        between(greater);
        expect((greater ?? NaN) + (less ?? NaN)).toBeGreaterThanOrEqual(1);
        const ranked = (["greater", "less"] as const).map(
          (alternative) => wilcoxonSignedRank(differences, { alternative }).value?.pValue,
        );
        if (differences.some((difference) => difference !== 0)) {
          between(ranked[0]);
          expect((ranked[0] ?? NaN) + (ranked[1] ?? NaN)).toBeGreaterThanOrEqual(1 - 1e-12);
        }
      }),
    );
  });

  it("mirror when every difference changes sign", () => {
    fc.assert(
      fc.property(list(1, 9), seed, (differences, from) => {
        const random = createRandom(from);
        const negated = differences.map((difference) => -difference);
        close(
          signFlipTest(differences, random, { alternative: "greater" }).value?.pValue,
          signFlipTest(negated, random, { alternative: "less" }).value?.pValue,
        );
        close(
          wilcoxonSignedRank(differences, { alternative: "greater" }).value?.pValue,
          wilcoxonSignedRank(negated, { alternative: "less" }).value?.pValue,
        );
      }),
    );
  });

  const example = fc.record({
    variants: fc.array(distance, { minLength: 1, maxLength: 4 }),
    nullEdits: fc.array(distance, { minLength: 1, maxLength: 3 }),
  });

  it("of the within-example test do not depend on the order of examples or of distances, nor on scale", () => {
    fc.assert(
      fc.property(fc.array(example, { minLength: 1, maxLength: 3 }), seed, (examples, from) => {
        const random = createRandom(from);
        const base = withinExamplePermutation(examples, random).value;
        between(base?.pValue);
        expect(base?.pValue).toBeGreaterThanOrEqual((base?.smallestP ?? NaN) - 1e-12);
        const reordered = shuffled(examples, from).map(({ variants, nullEdits }) => ({
          variants: shuffled(variants, from).map((d) => d * 1000),
          nullEdits: shuffled(nullEdits, from).map((d) => d * 1000),
        }));
        close(withinExamplePermutation(reordered, random).value?.pValue, base?.pValue);
      }),
    );
  });

  it("of the sampled test do not depend on the order of samples or on the names of wordings", () => {
    const sampled = fc
      .integer({ min: 4, max: 6 })
      .chain((m) =>
        fc.tuple(
          fc.array(fc.integer({ min: 0, max: 2 }), { minLength: m, maxLength: m }),
          fc.array(distance, { minLength: m * m, maxLength: m * m }),
        ),
      );
    fc.assert(
      fc.property(sampled, seed, ([labels, upper], from) => {
        const m = labels.length;
        const at = (i: number, j: number): number =>
          i === j ? 0 : (upper[Math.min(i, j) * m + Math.max(i, j)] ?? NaN);
        const order = shuffled([...labels.keys()], from);
        const inOrder = (indices: readonly number[]) => indices.flatMap((i) => indices.map((j) => at(i, j)));
        const random = createRandom(from);
        const base = sampledExcessPermutation([{ labels, distances: inOrder([...labels.keys()]) }], random);
        const renamed = order.map((i) => 10 - (labels[i] ?? NaN));
        const other = sampledExcessPermutation([{ labels: renamed, distances: inOrder(order) }], random);
        expect(other.reason).toBe(base.reason);
        close(other.value?.statistic, base.value?.statistic);
        close(other.value?.pValue, base.value?.pValue);
        if (base.value !== null)
          expect(base.value.pValue).toBeGreaterThanOrEqual(base.value.smallestP - 1e-12);
      }),
    );
  });

  it("of the pairing test do not depend on the order of wordings", () => {
    const matrix = fc
      .integer({ min: 2, max: 5 })
      .chain((k) =>
        fc.array(fc.array(distance, { minLength: k, maxLength: k }), { minLength: k, maxLength: k }),
      );
    fc.assert(
      fc.property(matrix, seed, (similarity, from) => {
        const random = createRandom(from);
        const order = shuffled([...similarity.keys()], from);
        const reordered = order.map((v) => order.map((w) => similarity[v]?.[w] ?? NaN));
        const [a, b] = [
          pairingPermutation(similarity, random).value,
          pairingPermutation(reordered, random).value,
        ];
        between(a?.pValue);
        close(b?.pValue, a?.pValue);
        close(b?.expectedMagnitude, a?.expectedMagnitude);
        close((a?.matched ?? NaN) - (a?.mismatched ?? NaN), a?.matchedMinusMismatched);
      }),
    );
  });

  it("adjusted never shrink, keep their order, and Holm's are never below Benjamini–Hochberg's", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
        seed,
        (p, from) => {
          const [strict, loose] = [holm(p), benjaminiHochberg(p)];
          p.forEach((raw, i) => {
            expect(loose[i]).toBeGreaterThanOrEqual(raw * (1 - 1e-12));
            expect(strict[i]).toBeGreaterThanOrEqual((loose[i] ?? NaN) * (1 - 1e-12));
            expect(strict[i]).toBeLessThanOrEqual(1);
            p.forEach((other, j) => {
              if (raw < other) expect(strict[i]).toBeLessThanOrEqual(strict[j] ?? NaN);
            });
          });
          const order = shuffled([...p.keys()], from);
          expect(holm(order.map((i) => p[i] ?? NaN))).toEqual(order.map((i) => strict[i]));
        },
      ),
    );
  });
});

describe("correlations", () => {
  const kinds = {
    pearson: (x: number[], y: number[]) => pearson(x, y).value,
    spearman: (x: number[], y: number[]) => spearman(x, y).value,
    kendall: (x: number[], y: number[]) => kendallTau(x, y).value?.tau ?? null,
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
