import { describe, expect, it } from "vitest";
import {
  auroc,
  biasedCka,
  brierScore,
  clusterEntropyNats,
  debiasedCka,
  expectedCalibrationError,
  formatSpread,
  leakageSlope,
  normalisedClusterEntropy,
  pairwiseAgreement,
  paperScore,
  paperSensitivity,
  posix,
  predictionConsistency,
  predictionSensitivity,
  promptSensitivity,
  relativeL2,
  rsa,
  variantInformationNats,
} from "./index.ts";

/** Undefined is null with a sentence that says why; never 0, NaN or an error. */
describe("numbers of nothing", () => {
  it.each([
    ["agreement", pairwiseAgreement([])],
    ["entropy of groups", clusterEntropyNats([])],
    ["entropy of groups, of 1", normalisedClusterEntropy([])],
    ["variant information", variantInformationNats([])],
    ["PSS", promptSensitivity([])],
    ["FormatSpread", formatSpread([])],
    ["sensitivity", predictionSensitivity([])],
    ["the paper's s", paperSensitivity([], 100)],
    ["the paper's score", paperScore([])],
    ["POSIX", posix([], [])],
    ["ECE", expectedCalibrationError([], 10)],
    ["Brier score", brierScore([])],
    ["AUROC", auroc([])],
    ["leakage slope", leakageSlope([], [])],
    ["biased CKA", biasedCka([], [])],
    ["debiased CKA", debiasedCka([], [])],
    ["RSA", rsa([], [])],
  ])("%s", (_name, { value, reason }) => {
    expect(value).toBeNull();
    expect(reason).toMatch(/\w/u);
  });
});

describe("numbers of one", () => {
  it("have a value only where one is enough", () => {
    const one = [{ confidence: 0.7, correct: true }];
    expect(brierScore(one).value).toBeCloseTo(0.09, 12);
    expect(expectedCalibrationError(one, 10).value).toBeCloseTo(0.3, 12);
    expect(auroc(one).value).toBeNull();
    expect(clusterEntropyNats(["A"]).value).toBe(0);
    expect(pairwiseAgreement(["A"]).value).toBeNull();
    expect(paperSensitivity([-50], 100).value).toBe(0.5);
    expect(paperScore([0.5]).value).toBe(0.5);
    expect(rsa([[1, 2]], [[2, 1]]).value).toBeNull();
    expect(leakageSlope([1], [2]).value).toBeNull();
  });
});

describe("ties and zero variance", () => {
  it("count half in AUROC, so that equal confidences are no better than chance", () => {
    const answers = [true, false, true, false].map((correct) => ({ confidence: 0.5, correct }));
    expect(auroc(answers).value).toBe(0.5);
    expect(auroc(answers.map((answer) => ({ ...answer, correct: false }))).value).toBeNull();
  });

  it("leave calibration defined, all answers in one bin or not", () => {
    const answers = [true, false, true, false].map((correct) => ({ confidence: 0.5, correct }));
    expect(expectedCalibrationError(answers, 2, "equal-width").value).toBe(0);
  });

  it("make indices 0 where nothing moves, and geometry undefined where questions do not differ", () => {
    expect(promptSensitivity([1, 1, 1]).value).toBe(0);
    expect(formatSpread([0.5, 0.5]).value).toBe(0);
    expect(predictionSensitivity([[1, 0]]).value).toBe(0);
    expect(paperSensitivity([0, 0], 100).value).toBe(0);
    const same = Array.from({ length: 5 }, () => [1, 2]);
    expect(biasedCka(same, same).value).toBeNull();
    expect(debiasedCka(same, same).value).toBeNull();
    expect(rsa(same, same).value).toBeNull();
    expect(relativeL2([0, 0], [0, 0]).value).toBeNull();
    expect(leakageSlope([1, 1], [0, 5]).reason).toBe("the prompts do not differ in this feature");
  });

  it("refuse distributions over different classes", () => {
    expect(() => predictionConsistency([1], [0.5, 0.5])).toThrow(RangeError);
    expect(predictionConsistency([0.5, 0.5], [0.5, 0.5])).toBe(1);
  });
});
