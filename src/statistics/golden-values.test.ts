import { describe, expect, it } from "vitest";
import {
  benjaminiHochberg,
  clusterBootstrap,
  bcaInterval,
  createRandom,
  holm,
  kendallTau,
  mean,
  oneSampleT,
  pairingPermutation,
  resampledMean,
  rootMeanSquare,
  signFlipTest,
  standardDeviation,
  wilcoxonSignedRank,
  wilsonInterval,
  type ClusterBootstrap,
} from "./index.ts";

const random = createRandom("golden values");

describe("values worked out outside this code", () => {
  it("gives the sensitivity of four BLEU shifts as a root mean square, and their standard deviation", () => {
    const shifts = [-0.2, -0.6, -1, 0];
    expect(rootMeanSquare(shifts).value).toBeCloseTo(0.591608, 6);
    // The stated 0.384057 divides by n; the unbiased one by n − 1.
    expect((standardDeviation(shifts).value ?? NaN) * Math.sqrt(3 / 4)).toBeCloseTo(0.384057, 6);
  });

  it("tests six sensitivities against ε = .05", () => {
    const values = [0.12, 0.3, 0.05, 0.22, 0.18, 0.09];
    expect(mean(values).value).toBeCloseTo(0.16, 12);
    const test = oneSampleT(values, 0.05).value;
    expect(test?.t).toBeCloseTo(2.932899, 6);
    expect(test?.pValue).toBeCloseTo(0.016262, 6);
  });

  it("pairs three responses with three prompts", () => {
    const test = pairingPermutation(
      [
        [0.6, 0.2, 0.3],
        [0.1, 0.5, 0.2],
        [0.4, 0.3, 0.7],
      ],
      random,
    ).value;
    expect(test?.matchedMinusMismatched).toBeCloseTo(0.35, 12);
    expect(test?.pValue).toBeCloseTo(1 / 6, 12);
  });

  it("gives W⁺ 33 and both exact p-values for eight differences", () => {
    const differences = [0.12, 0.05, 0.3, -0.02, 0.18, 0.09, 0.22, -0.01];
    const wilcoxon = wilcoxonSignedRank(differences).value;
    expect(wilcoxon?.positiveRankSum).toBe(33);
    expect(wilcoxon?.pValue).toBe(5 / 256);
    expect(signFlipTest(differences, random).value?.pValue).toBe(4 / 256);
  });

  it("adjusts five p-values by Holm and by Benjamini–Hochberg", () => {
    const raw = [0.001, 0.012, 0.03, 0.04, 0.2];
    const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 12));
    expect(holm(raw)).toEqual(close([0.005, 0.048, 0.09, 0.09, 0.2]));
    expect(benjaminiHochberg(raw)).toEqual(close([0.005, 0.03, 0.05, 0.05, 0.2]));
  });

  it("gives bias and acceleration of BCa for 1, 2, 4, 9 over all 256 resamples", () => {
    const data = Float64Array.of(1, 2, 4, 9);
    const statistics = (resample: Parameters<typeof resampledMean>[1]) => [resampledMean(data, resample)];
    const drawn = clusterBootstrap(4, statistics, random, 1);
    const all = Array.from({ length: 256 }, (_, code) =>
      [0, 2, 4, 6].reduce((sum, shift) => sum + (data[(code >> shift) & 3] ?? NaN) / 4, 0),
    );
    const complete: ClusterBootstrap = { ...drawn, replicates: [Float64Array.from(all)] };
    const interval = bcaInterval(complete, 0).value;
    expect(interval?.acceleration).toBeCloseTo(0.064035, 6);
    expect(interval?.bias).toBeCloseTo(0.083324, 6);
  });

  it("gives τ .4 with its exact p for two orders of five, and corrects τ for a tie", () => {
    const test = kendallTau([1, 2, 3, 4, 5], [3, 1, 2, 5, 4]).value;
    expect(test?.tau).toBeCloseTo(0.4, 12);
    expect(test?.pValue).toBeCloseTo(0.483333, 6);
    expect(kendallTau([1, 2, 2, 4], [1, 3, 2, 4]).value?.tau).toBeCloseTo(0.912871, 6);
  });

  it("gives Wilson's interval for 2 of 16", () => {
    const interval = wilsonInterval(2, 16).value;
    expect(interval?.low).toBeCloseTo(0.034977, 6);
    expect(interval?.high).toBeCloseTo(0.360228, 6);
  });
});
