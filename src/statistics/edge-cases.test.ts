import { describe, expect, it } from "vitest";
import {
  bcaInterval,
  benjaminiHochberg,
  betweenWithin,
  bootstrapPValue,
  clusterBootstrap,
  correlationMatrix,
  correlationWithInterval,
  createRandom,
  detectableEffect,
  disattenuate,
  distanceCorrelation,
  equivalenceByInterval,
  examplesForComparison,
  examplesForDetection,
  explainNotEstimable,
  holm,
  kendallTau,
  mean,
  meanWithInterval,
  normalQuantile,
  oneSampleT,
  orderProbability,
  pairingPermutation,
  partialCorrelation,
  participationRatio,
  pearson,
  percentileInterval,
  pooledPairingPermutation,
  quantile,
  rankingAgreement,
  rankingReversals,
  resampledMean,
  resampledPairMean,
  rootMeanSquare,
  sampledExcessPermutation,
  signFlipTest,
  smallestPairingP,
  smallestRankP,
  smallestSampledP,
  smallestSignFlipP,
  smallestWithinExampleP,
  spearman,
  spearmanBrown,
  splitHalfReliability,
  standardDeviation,
  variance,
  varianceComponents,
  weightRobustness,
  wilcoxonSignedRank,
  wilsonInterval,
  withinExamplePermutation,
  type Resample,
} from "./index.ts";

const random = createRandom("edge cases");
const meanOfResample = (values: readonly (number | null)[]) => (resample: Resample) => [
  resampledMean(values, resample),
];
const bootstrapOf = (values: readonly number[]) =>
  clusterBootstrap(values.length, meanOfResample(values), random, 200);

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

describe("bootstrap intervals", () => {
  it("have no value for none, for three, or for equal examples", () => {
    expect(bcaInterval(bootstrapOf([]), 0).reason).toBe("empty");
    expect(percentileInterval(bootstrapOf([]), 0).reason).toBe("empty");
    expect(bcaInterval(bootstrapOf([1, 2, 3]), 0).reason).toBe("too-few");
    expect(percentileInterval(bootstrapOf([1]), 0).reason).toBe("too-few");
    expect(bcaInterval(bootstrapOf([0.1, 0.1, 0.1, 0.1, 0.1]), 0).reason).toBe("zero-variance");
    expect(bootstrapPValue(bootstrapOf([0.1, 0.1, 0.1, 0.1, 0.1]), 0, 0).reason).toBe("zero-variance");
    expect(meanWithInterval([], random).reason).toBe("empty");
    expect(meanWithInterval([2], random).value).toMatchObject({ mean: 2, interval: { reason: "too-few" } });
  });

  it("have no value where the statistic often does not exist", () => {
    const rarely = meanOfResample([1, null, null, null, null]);
    const bootstrap = clusterBootstrap(5, rarely, random, 400);
    expect(bcaInterval(bootstrap, 0).reason).toBe("undefined-in-resamples");
    expect(percentileInterval(bootstrap, 0).reason).toBe("undefined-in-resamples");
  });

  it("have no value where all resamples lie on one side of the estimate", () => {
    const bootstrap = { ...bootstrapOf([1, 2, 3, 4, 5]), estimates: [9] };
    expect(bcaInterval(bootstrap, 0).reason).toBe("bias-out-of-range");
  });

  it("refuse an unknown statistic, a level outside (0, 1), and statistics that change in number", () => {
    expect(() => bcaInterval(bootstrapOf([1, 2, 3, 4]), 1)).toThrow(RangeError);
    expect(() => bcaInterval(bootstrapOf([1, 2, 3, 4]), 0, 95)).toThrow(RangeError);
    let calls = 0;
    const growing = () => new Array<number>(1 + (calls++ > 2 ? 1 : 0)).fill(0);
    expect(() => clusterBootstrap(5, growing, random, 10)).toThrow("2 statistics were returned instead of 1");
    expect(() => clusterBootstrap(5, () => [NaN], random, 10)).toThrow(RangeError);
  });

  it("drop pairs of an example with its own copy, and weigh the others by how often they occur", () => {
    const pairs = {
      first: Int32Array.of(0, 0, 1),
      second: Int32Array.of(1, 2, 2),
      distances: Float64Array.of(1, 0.5, 0.25),
    };
    const resample = (...indices: number[]): Resample => {
      const counts = new Int32Array(3);
      for (const index of indices) counts[index] = (counts[index] ?? 0) + 1;
      return { counts, indices: Int32Array.from(indices) };
    };
    expect(resampledPairMean(pairs, resample(0, 0, 1))).toBe(1);
    expect(resampledPairMean(pairs, resample(0, 0, 2))).toBe(0.5);
    expect(resampledPairMean(pairs, resample(0, 1, 2))).toBeCloseTo(1.75 / 3, 12);
    expect(resampledPairMean(pairs, resample(1, 1, 1))).toBeNull();
    expect(() => resampledPairMean({ ...pairs, second: Int32Array.of(0, 2, 2) }, resample(0, 1, 2))).toThrow(
      RangeError,
    );
    expect(resampledMean([1, null, 4], resample(0, 0, 2))).toBe(2);
    expect(resampledMean([1, null, 4], resample(1, 1, 1))).toBeNull();
  });
});

describe("correlations", () => {
  const plain = [
    pearson,
    spearman,
    kendallTau,
    (x: number[], y: number[]) =>
      partialCorrelation(
        x,
        y,
        x.map((_, i) => i % 2),
      ),
  ];

  it("have no value for none, two, or constant observations", () => {
    for (const correlation of plain) {
      expect(correlation([], []).reason).toBe("empty");
      expect(correlation([1, 2], [1, 2]).reason).toBe("too-few");
      expect(correlation([1, 1, 1, 1], [1, 2, 3, 4]).reason).toBe("zero-variance");
      expect(correlation([1, 2, 3, 4], [0.1, 0.1, 0.1, 0.1]).reason).toBe("zero-variance");
      expect(() => correlation([1, 2, 3], [1, 2])).toThrow(RangeError);
      expect(() => correlation([1, 2, NaN], [1, 2, 3])).toThrow(RangeError);
    }
    expect(distanceCorrelation([], [], random).reason).toBe("empty");
    expect(distanceCorrelation([1, 2, 3], [1, 2, 4], random).reason).toBe("too-few");
    expect(distanceCorrelation([1, 1, 1, 1], [1, 2, 3, 4], random).reason).toBe("zero-variance");
    expect(() => distanceCorrelation([1, 2, 3, 4], [1, 2, 3], random)).toThrow(RangeError);
  });

  it("have no partial value if the covariate determines a variable, or for three observations", () => {
    expect(partialCorrelation([1, 2, 3, 4], [1, 3, 2, 4], [2, 4, 6, 8], "pearson").reason).toBe(
      "zero-variance",
    );
    expect(partialCorrelation([1, 2, 3], [1, 3, 2], [2, 1, 3]).reason).toBe("too-few");
    expect(() => partialCorrelation([1, 2, 3], [1, 3, 2], [2, 1])).toThrow(RangeError);
  });

  it("give a perfect correlation without an interval, since no resample differs", () => {
    const x = [1, 2, 3, 4, 5, 6, 7, 8];
    const result = correlationWithInterval(x, x, random).value;
    expect(result?.estimate).toBe(1);
    expect(result?.interval.reason).toBe("zero-variance");
  });

  it("give an unstable distance correlation without an interval for few observations", () => {
    expect(distanceCorrelation([1, 2, 3, 5], [2, 1, 3, 5], random).value?.interval.reason).toBe("too-few");
  });

  it("report each pair of a matrix on its own", () => {
    const [x, flat, y] = [
      [1, 5, 2, 8, 3, 9],
      [1, 1, 1, 1, 1, 1],
      [2, 4, 1, 9, 5, 7],
    ];
    expect(correlationMatrix([], random).reason).toBe("empty");
    expect(correlationMatrix([x], random).reason).toBe("empty");
    expect(correlationMatrix([[], []], random).reason).toBe("empty");
    expect(
      correlationMatrix(
        [
          [1, 2],
          [1, 2],
        ],
        random,
      ).reason,
    ).toBe("too-few");
    const matrix = correlationMatrix([x, flat, y], random, { replications: 200 }).value;
    const reasons = matrix?.pairs.map(({ first, second, correlation }) => [
      first,
      second,
      correlation.reason,
    ]);
    expect(reasons).toEqual([
      [0, 1, "zero-variance"],
      [0, 2, null],
      [1, 2, "zero-variance"],
    ]);
    expect(matrix?.participationRatio.reason).toBe("zero-variance");
    expect(() => correlationMatrix([x, [1]], random)).toThrow(RangeError);
  });
});

describe("reliability", () => {
  it("has no value for none, for single measurements, or for equal ones", () => {
    expect(splitHalfReliability([], random).reason).toBe("empty");
    expect(splitHalfReliability([[1], [2], [3]], random).reason).toBe("too-few");
    expect(
      splitHalfReliability(
        [
          [1, 1],
          [1, 1],
          [1, 1],
        ],
        random,
      ).reason,
    ).toBe("zero-variance");
    expect(() => splitHalfReliability([[1, NaN]], random)).toThrow(RangeError);
  });

  it("is 1 for measurements that repeat exactly, and skips examples with one measurement", () => {
    const result = splitHalfReliability([[1, 1], [2, 2, 2], [5, 5], [4]], random).value;
    expect(result?.reliability.value).toBeCloseTo(1, 12);
    expect(result).toMatchObject({ examples: 3, skipped: 1 });
  });

  it("corrects nothing for measurements that do not agree with themselves", () => {
    expect(spearmanBrown(-0.2).reason).toBe("unreliable");
    expect(spearmanBrown(0).reason).toBe("unreliable");
    expect(spearmanBrown(0.5).value).toBeCloseTo(2 / 3, 12);
    expect(disattenuate(0.3, 0, 0.5).reason).toBe("unreliable");
    expect(disattenuate(0.3, 0.5, 0.72).value).toBeCloseTo(0.5, 12);
    expect(() => spearmanBrown(1.1)).toThrow(RangeError);
    expect(() => disattenuate(0.3, 1.1, 0.5)).toThrow(RangeError);
  });
});

describe("dimensions, equivalence and components", () => {
  it("have no participation ratio without variables or variance", () => {
    expect(participationRatio([]).reason).toBe("empty");
    expect(participationRatio([[0]]).reason).toBe("zero-variance");
    expect(participationRatio([[1]]).value).toBe(1);
    expect(() =>
      participationRatio([
        [1, 0.5],
        [0.4, 1],
      ]),
    ).toThrow(RangeError);
    expect(() => participationRatio([[1, 0.5]])).toThrow(RangeError);
  });

  it("tell equivalent, beyond and undecided apart, the bound itself included in beyond", () => {
    expect(equivalenceByInterval({ low: -0.29, high: 0.29 })).toBe("equivalent");
    expect(equivalenceByInterval({ low: -0.3, high: 0.1 })).toBe("undecided");
    expect(equivalenceByInterval({ low: 0.3, high: 0.5 })).toBe("beyond");
    expect(equivalenceByInterval({ low: -0.9, high: -0.3 })).toBe("beyond");
    expect(() => equivalenceByInterval({ low: 1, high: 0 })).toThrow(RangeError);
    expect(() => equivalenceByInterval({ low: 0, high: 1 }, 0)).toThrow(RangeError);
  });

  it("need two examples, and repetitions to tell the components apart", () => {
    expect(varianceComponents([]).reason).toBe("empty");
    expect(varianceComponents([[[]], []]).reason).toBe("empty");
    expect(varianceComponents([[[1, 2], [3]]]).reason).toBe("too-few");
    expect(varianceComponents([[[1]], [[2]]]).reason).toBe("too-few");
    const unrepeated = varianceComponents([
      [[1], [2]],
      [[5], [7]],
    ]).value;
    expect(unrepeated?.variant.reason).toBe("no-residual-freedom");
    expect(unrepeated?.residual.reason).toBe("no-residual-freedom");
    expect(unrepeated?.withinExample).toBeCloseTo(1.25, 12);
    expect(unrepeated?.example).toBeCloseTo((20.25 - 1.25) / 2, 12);
    const oneWording = varianceComponents([[[1, 2]], [[5, 7]]]).value;
    expect(oneWording?.variant.reason).toBe("no-residual-freedom");
    expect(oneWording?.residual.value).toBeCloseTo(1.25, 12);
    expect(() => varianceComponents([[[NaN]]])).toThrow(RangeError);
  });

  it("find no variance in equal observations and say no shares", () => {
    const flat = varianceComponents([
      [
        [1, 1],
        [1, 1],
      ],
      [
        [1, 1],
        [1, 1],
      ],
    ]).value;
    expect([flat?.example, flat?.variant.value, flat?.residual.value, flat?.shares]).toEqual([0, 0, 0, null]);
  });
});

describe("rankings", () => {
  const dataset = (...scores: number[][]) => ({ dataset: "a", scores });
  const few = dataset([1, 2, 3, 5], [2, 2, 3, 4]);

  it("need examples, two models and two data sets", () => {
    expect(rankingReversals([], random).reason).toBe("too-few");
    expect(rankingReversals([few], random).reason).toBe("too-few");
    expect(rankingReversals([dataset([1, 2]), dataset([1, 2])], random).reason).toBe("too-few");
    expect(rankingReversals([dataset([], []), dataset([], [])], random).reason).toBe("empty");
    expect(rankingAgreement([few, few], random).reason).toBe("too-few");
    expect(orderProbability([], random).reason).toBe("empty");
    expect(orderProbability([dataset([1, 2])], random).reason).toBe("too-few");
    expect(orderProbability([dataset([1], [2])], random).reason).toBe("too-few");
    expect(() => rankingReversals([few, dataset([1])], random)).toThrow(RangeError);
    expect(() => orderProbability([dataset([1, 2], [1])], random)).toThrow(RangeError);
  });

  it("resolve nothing for equal models or fewer than four examples", () => {
    const equal = rankingReversals([few, dataset([1, 2, 3, 5], [1, 2, 3, 5])], random, {
      replications: 100,
    }).value;
    expect(equal?.comparisons[1]).toMatchObject({
      adjustedP: 1,
      excludesZero: false,
      pValue: { reason: "zero-variance" },
    });
    expect(equal?.reversals).toEqual([]);
    const tiny = rankingReversals([dataset([1, 2], [5, 7]), dataset([5, 7], [1, 2])], random, {
      replications: 100,
    }).value;
    expect(tiny?.reversals).toHaveLength(1);
    expect(tiny?.reversals[0]?.status).toBe("unresolved");
    expect(tiny?.comparisons[0]?.interval.reason).toBe("too-few");
  });

  it("call models that always tie tied", () => {
    const tied = orderProbability([dataset([1, 2, 3], [1, 2, 3])], random, 50).value;
    expect(tied).toMatchObject({
      tied: 1,
      orders: [],
      below: [
        [0.5, 0.5],
        [0.5, 0.5],
      ],
    });
  });

  it("have no agreement if all models score the same", () => {
    const same = dataset([1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]);
    expect(rankingAgreement([same, same], random).value?.[0]?.reason).toBe("zero-variance");
  });

  it("have no order to preserve between equal composites", () => {
    expect(weightRobustness([], random).reason).toBe("empty");
    expect(weightRobustness([[], []], random).reason).toBe("empty");
    expect(weightRobustness([[1, 2]], random).reason).toBe("too-few");
    expect(
      weightRobustness(
        [
          [1, 2],
          [2, 1],
        ],
        random,
      ).value?.[0]?.preserved.reason,
    ).toBe("zero-variance");
    expect(
      weightRobustness(
        [
          [1, 2],
          [0, 1],
        ],
        random,
      ).value?.[0]?.preserved.value,
    ).toBe(1);
    expect(() => weightRobustness([[1], [1, 2]], random)).toThrow(RangeError);
    expect(() => weightRobustness([[1], [NaN]], random)).toThrow(RangeError);
  });
});

describe("sizes and smallest p-values", () => {
  it("give the known sizes for one-sided detection", () => {
    expect([0.3, 0.5, 0.8].map((effect) => examplesForDetection(effect))).toEqual([69, 25, 10]);
    expect(detectableEffect(25)).toBeCloseTo(0.4973, 4);
  });

  it("ask for at least two examples, however large the effect", () => {
    expect(examplesForDetection(50)).toBe(2);
  });

  it("refuse an effect of 0 and impossible variances", () => {
    const design = {
      difference: 0.1,
      betweenExamples: 0.1,
      withinA: 0,
      withinB: 0,
      repeatsA: 1,
      repeatsB: 1,
    };
    expect(() => examplesForDetection(0)).toThrow(RangeError);
    expect(() => examplesForComparison({ ...design, difference: 0 })).toThrow(RangeError);
    expect(() => examplesForComparison({ ...design, withinA: -1 })).toThrow(RangeError);
    expect(() => examplesForComparison({ ...design, repeatsA: 0 })).toThrow(RangeError);
    expect(() => detectableEffect(0)).toThrow(RangeError);
  });

  it("know how small a p-value can be", () => {
    expect(smallestSampledP(1, 2, 4)).toBeCloseTo(2 / 70, 12);
    expect(smallestSampledP(1, 3, 2)).toBeCloseTo(6 / 90, 12);
    expect(smallestSignFlipP(5)).toBe(1 / 32);
    expect(smallestWithinExampleP(2, 3, 2)).toBe(1 / 100);
    expect(smallestPairingP(3)).toBeCloseTo(1 / 6, 12);
    expect(smallestRankP(4)).toBeCloseTo(0.0833, 4);
    expect(kendallTau([1, 2, 3, 4], [1, 2, 3, 4]).value?.pValue).toBeCloseTo(smallestRankP(4), 12);
    expect(() => smallestRankP(1)).toThrow(RangeError);
  });
});

it("explains every reason in a sentence", () => {
  const reasons = [
    "empty",
    "too-few",
    "zero-variance",
    "no-nonzero-difference",
    "undefined-in-resamples",
    "bias-out-of-range",
    "unreliable",
    "no-residual-freedom",
  ] as const;
  for (const reason of reasons) expect(explainNotEstimable(reason)).toMatch(/^[A-Z].*\.$/);
});
