import { describe, expect, it } from "vitest";
import {
  bcaInterval,
  bootstrapPValue,
  clusterBootstrap,
  createRandom,
  explainNotEstimable,
  meanWithInterval,
  percentileInterval,
  resampledMean,
  resampledPairMean,
  type Resample,
} from "./index.ts";

const random = createRandom("edge cases");
const meanOfResample = (values: readonly (number | null)[]) => (resample: Resample) => [
  resampledMean(values, resample),
];
const bootstrapOf = (values: readonly number[]) =>
  clusterBootstrap(values.length, meanOfResample(values), random, 200);

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
