import { describe, expect, it } from "vitest";
import {
  benjaminiHochberg,
  betweenWithin,
  createRandom,
  holm,
  mean,
  normalQuantile,
  oneSampleT,
  pairingPermutation,
  pooledPairingPermutation,
  quantile,
  rootMeanSquare,
  sampledExcessPermutation,
  signFlipTest,
  standardDeviation,
  variance,
  wilcoxonSignedRank,
  wilsonInterval,
  withinExamplePermutation,
} from "./index.ts";

const random = createRandom("edge cases");

describe("moments", () => {
  it("have no value without data", () => {
    for (const moment of [mean, variance, standardDeviation, rootMeanSquare])
      expect(moment([]).reason).toBe("empty");
    expect(quantile([], 0.5).reason).toBe("empty");
  });

  it("need two observations for a spread, but not for a location", () => {
    expect(variance([3]).reason).toBe("too-few");
    expect(standardDeviation([3]).reason).toBe("too-few");
    expect([mean([3]).value, rootMeanSquare([-3]).value, quantile([3], 0.2).value]).toEqual([3, 3, 3]);
  });

  it("give a spread of 0 for equal values", () => {
    expect(variance([2, 2, 2]).value).toBe(0);
  });

  it("refuse what is not a finite number", () => {
    for (const moment of [mean, variance, standardDeviation, rootMeanSquare]) {
      expect(() => moment([1, NaN])).toThrow(RangeError);
    }
    expect(() => quantile([1, Infinity], 0.5)).toThrow(RangeError);
    expect(() => quantile([1], 1.01)).toThrow(RangeError);
  });
});

describe("a proportion", () => {
  it("has no value of none, and touches 0 and 1 at the ends", () => {
    expect(wilsonInterval(0, 0).reason).toBe("empty");
    expect(wilsonInterval(0, 1).value).toMatchObject({ low: 0, share: 0 });
    expect(wilsonInterval(1, 1).value).toMatchObject({ high: 1, share: 1 });
  });

  it("refuses impossible counts and levels", () => {
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError);
    expect(() => wilsonInterval(0.5, 2)).toThrow(RangeError);
    expect(() => wilsonInterval(1, 2, 1)).toThrow(RangeError);
    expect(() => normalQuantile(0)).toThrow(RangeError);
  });
});

describe("tests of one sample", () => {
  it("have no value without data", () => {
    expect(oneSampleT([], 0).reason).toBe("empty");
    expect(signFlipTest([], random).reason).toBe("empty");
    expect(wilcoxonSignedRank([]).reason).toBe("empty");
  });

  it("say what one observation allows", () => {
    expect(oneSampleT([1], 0).reason).toBe("too-few");
    expect(signFlipTest([1], random).value?.pValue).toBe(0.5);
    expect(wilcoxonSignedRank([1]).value?.pValue).toBe(0.5);
  });

  it("find no evidence in zeros: p is 1 or there is nothing to rank", () => {
    expect(signFlipTest([0, 0, 0], random).value?.pValue).toBe(1);
    expect(wilcoxonSignedRank([0, 0, -0]).reason).toBe("no-nonzero-difference");
    expect(oneSampleT([0, 0, 0], 0).reason).toBe("zero-variance");
  });

  it("test a constant shift by signs but not by t", () => {
    expect(oneSampleT([0.1, 0.1, 0.1], 0).reason).toBe("zero-variance");
    expect(signFlipTest([0.1, 0.1, 0.1], random).value?.pValue).toBe(1 / 8);
    expect(wilcoxonSignedRank([0.1, 0.1, 0.1]).value?.pValue).toBe(1 / 8);
  });

  it("count sign patterns with tied sums although these differ by rounding", () => {
    // 0.1 + 0.2 and 0.3 differ in the last bit: of 8 patterns, those with the sum 0 are two.
    expect(signFlipTest([0.1, 0.2, -0.3], random).value?.pValue).toBe(5 / 8);
    expect(signFlipTest([0.1, 0.2, -0.3], random, { alternative: "two-sided" }).value?.pValue).toBe(1);
  });

  it("draw patterns for more than 20 differences, close to the exact tail", () => {
    const differences = Array.from({ length: 25 }, (_, i) => (i % 3 === 0 ? -1 : 1));
    const test = signFlipTest(differences, random).value;
    expect(test?.method).toBe("monte-carlo");
    // P(at least 16 heads of 25) = .1148.
    expect(test?.pValue).toBeGreaterThan(0.1);
    expect(test?.pValue).toBeLessThan(0.13);
  });

  it("refuse what is not a finite number", () => {
    expect(() => oneSampleT([1, NaN], 0)).toThrow(RangeError);
    expect(() => oneSampleT([1, 2], NaN)).toThrow(RangeError);
    expect(() => signFlipTest([NaN], random)).toThrow(RangeError);
    expect(() => wilcoxonSignedRank([NaN])).toThrow(RangeError);
    expect(() => signFlipTest([1], random, { permutations: 0 })).toThrow(RangeError);
  });
});

describe("the within-example permutation test", () => {
  it("has no value unless an example has both groups, and counts those left out", () => {
    expect(withinExamplePermutation([], random).reason).toBe("empty");
    expect(withinExamplePermutation([{ variants: [1], nullEdits: [] }], random).reason).toBe("empty");
    const test = withinExamplePermutation(
      [
        { variants: [1], nullEdits: [] },
        { variants: [1], nullEdits: [0] },
      ],
      random,
    );
    expect(test.value).toMatchObject({
      examples: 1,
      skipped: 1,
      pValue: 0.5,
      smallestP: 0.5,
      method: "exact",
    });
  });

  it("gives p = 1 if all distances are the same, exact or drawn", () => {
    const same = Array.from({ length: 40 }, () => ({ variants: [0.3, 0.3, 0.3], nullEdits: [0.3, 0.3] }));
    expect(withinExamplePermutation(same, random).value).toMatchObject({ pValue: 1, method: "monte-carlo" });
    expect(withinExamplePermutation(same.slice(0, 2), random).value).toMatchObject({
      pValue: 1,
      method: "exact",
    });
  });

  it("agrees with itself whether it enumerates or draws", () => {
    const examples = [
      { variants: [0.4, 0.2, 0.5], nullEdits: [0.1, 0.3] },
      { variants: [0.2, 0.6, 0.1], nullEdits: [0.2, 0.1] },
    ];
    const exact = withinExamplePermutation(examples, random).value?.pValue ?? NaN;
    const drawn = withinExamplePermutation(examples, random, { exactLimit: 0 }).value;
    expect(drawn?.method).toBe("monte-carlo");
    expect(Math.abs((drawn?.pValue ?? NaN) - exact)).toBeLessThan(0.02);
  });

  it("refuses distances that are not finite", () => {
    expect(() => withinExamplePermutation([{ variants: [NaN], nullEdits: [0] }], random)).toThrow(RangeError);
  });
});

describe("the sampled-excess permutation test", () => {
  const pair = (between: number, within: number) => ({
    labels: [0, 0, 1, 1],
    distances: [
      0,
      within,
      between,
      between,
      within,
      0,
      between,
      between,
      between,
      between,
      0,
      within,
      between,
      between,
      within,
      0,
    ],
  });

  it("has no value unless there are pairs between and within wordings", () => {
    expect(sampledExcessPermutation([], random).reason).toBe("empty");
    expect(betweenWithin({ labels: [], distances: [] }).reason).toBe("too-few");
    expect(betweenWithin({ labels: [0, 1], distances: [0, 1, 1, 0] }).reason).toBe("too-few");
    expect(betweenWithin({ labels: [0, 0], distances: [0, 1, 1, 0] }).reason).toBe("too-few");
    expect(
      sampledExcessPermutation([{ labels: [0], distances: [0] }, pair(1, 0)], random).value,
    ).toMatchObject({
      examples: 1,
      skipped: 1,
    });
  });

  it("reaches its smallest p, 2/6, when wordings separate perfectly", () => {
    const test = sampledExcessPermutation([pair(1, 0)], random).value;
    expect(test?.statistic).toBe(1);
    expect(test?.pValue).toBeCloseTo(1 / 3, 12);
    expect(test?.smallestP).toBeCloseTo(1 / 3, 12);
  });

  it("gives p = 1 if all distances are the same", () => {
    expect(sampledExcessPermutation([pair(0.4, 0.4)], random).value?.pValue).toBe(1);
    const drawn = sampledExcessPermutation([pair(0.4, 0.4)], random, { exactLimit: 0 });
    expect(drawn.value).toMatchObject({ pValue: 1, method: "monte-carlo" });
  });

  it("refuses a matrix of the wrong size or with entries that are not finite", () => {
    expect(() => betweenWithin({ labels: [0, 1], distances: [0, 1, 1] })).toThrow(RangeError);
    expect(() => betweenWithin({ labels: [0, 1], distances: [0, NaN, 1, 0] })).toThrow(RangeError);
  });
});

describe("the pairing permutation test", () => {
  it("needs two wordings", () => {
    expect(pairingPermutation([], random).reason).toBe("empty");
    expect(pairingPermutation([[1]], random).reason).toBe("too-few");
    expect(pooledPairingPermutation([], random).reason).toBe("empty");
    expect(pooledPairingPermutation([[[1]]], random).reason).toBe("empty");
  });

  it("gives p = 1 and no magnitude for a constant matrix, exact or drawn", () => {
    const constant = (k: number) => Array.from({ length: k }, () => new Array<number>(k).fill(0.7));
    for (const k of [4, 9]) {
      const test = pairingPermutation(constant(k), random).value;
      expect(test?.pValue).toBe(1);
      expect(test?.expectedMagnitude).toBeCloseTo(0, 12);
      expect(test?.method).toBe(k === 4 ? "exact" : "monte-carlo");
    }
    expect(pooledPairingPermutation([constant(4), constant(9)], random).value?.pValue).toBe(1);
  });

  it("reaches 1/k! for a perfect match, and pools examples", () => {
    const identity = [0, 1, 2].map((v) => [0, 1, 2].map((w) => Number(v === w)));
    expect(pairingPermutation(identity, random).value?.pValue).toBeCloseTo(1 / 6, 12);
    const pooled = pooledPairingPermutation([identity, identity, [[1]]], random).value;
    expect(pooled?.pValue).toBeCloseTo(1 / 36, 12);
    expect(pooled).toMatchObject({ examples: 2, skipped: 1, statistic: 1 });
  });

  it("refuses a matrix that is not square or not finite", () => {
    expect(() => pairingPermutation([[1, 2]], random)).toThrow(RangeError);
    expect(() =>
      pairingPermutation(
        [
          [1, NaN],
          [1, 1],
        ],
        random,
      ),
    ).toThrow(RangeError);
  });
});

describe("adjusted p-values", () => {
  it("are none for none, and unchanged for one", () => {
    expect([holm([]), benjaminiHochberg([])]).toEqual([[], []]);
    expect([holm([0.03]), benjaminiHochberg([0.03])]).toEqual([[0.03], [0.03]]);
  });

  it("leave out tests that were not possible, also from the family", () => {
    expect(holm([0.02, null, 0.03])).toEqual([0.04, null, 0.04]);
    expect(benjaminiHochberg([0.02, null, 0.03])).toEqual([0.03, null, 0.03]);
  });

  it("refuse what is not a probability", () => {
    expect(() => holm([1.2])).toThrow(RangeError);
    expect(() => benjaminiHochberg([NaN])).toThrow(RangeError);
  });
});
