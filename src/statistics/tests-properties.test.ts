import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  benjaminiHochberg,
  createRandom,
  holm,
  pairingPermutation,
  sampledExcessPermutation,
  signFlipTest,
  wilcoxonSignedRank,
  withinExamplePermutation,
} from "./index.ts";

// Hundreds of cases each: a second here, several beside other work.
vi.setConfig({ testTimeout: 60_000 });

/** Multiples of 1/8, so that ties are common and sums exact. */
const value = fc.integer({ min: -24, max: 24 }).map((n) => n / 8);
const distance = fc.integer({ min: 0, max: 8 }).map((n) => n / 8);
const list = (minLength: number, maxLength = 10) => fc.array(value, { minLength, maxLength });
const seed = fc.integer();

function shuffled<T>(values: readonly T[], from: number): T[] {
  const copy = [...values];
  createRandom(from).shuffle(copy);
  return copy;
}

const close = (actual: number | null | undefined, expected: number | null | undefined): void => {
  if (actual === null || actual === undefined) expect(actual ?? null).toBe(expected ?? null);
  else expect(actual).toBeCloseTo(expected ?? NaN, 9);
};

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
