import { describe, expect, it } from "vitest";
import {
  createRandom,
  detectableEffect,
  examplesForComparison,
  examplesForDetection,
  kendallTau,
  orderProbability,
  rankingAgreement,
  rankingReversals,
  smallestPairingP,
  smallestRankP,
  smallestSampledP,
  smallestSignFlipP,
  smallestWithinExampleP,
  weightRobustness,
} from "./index.ts";

const random = createRandom("edge cases");

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
