import { describe, expect, it } from "vitest";
import {
  correlationMatrix,
  correlationWithInterval,
  createRandom,
  disattenuate,
  distanceCorrelation,
  equivalenceByInterval,
  kendallTau,
  partialCorrelation,
  participationRatio,
  pearson,
  spearman,
  spearmanBrown,
  splitHalfReliability,
  varianceComponents,
} from "./index.ts";

const random = createRandom("edge cases");

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
