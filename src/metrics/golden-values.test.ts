import { describe, expect, it } from "vitest";
import {
  abnormalCasePercentage,
  auroc,
  biasedCka,
  bleu,
  brierScore,
  chrf2,
  clusterEntropyNats,
  debiasedCka,
  gramAlignment,
  gramOf,
  gramRsa,
  entropyNats,
  expectedCalibrationError,
  extraSpaceRate,
  languageStyleMatching,
  margin,
  meanLogProbNats,
  normalisedClusterEntropy,
  normalisedEntropy,
  pairwiseAgreement,
  PAPER_RANGES,
  paperScore,
  paperSensitivity,
  perplexity,
  posix,
  predictionConsistency,
  predictionSensitivity,
  probabilityTrue,
  promptSensitivity,
  rougeL,
  rsa,
  softmax,
  variantInformationNats,
} from "./index.ts";

/** Worked out beforehand, with other programs where there are some; the file's other values stand with their metric. */
describe("reference values", () => {
  const cat = ["the cat sat on the mat", "the cat is on the mat"] as const;

  it("of the paper's sensitivity and score", () => {
    expect(paperSensitivity([-20, -60, -100, 0], PAPER_RANGES.bleu).value).toBeCloseTo(0.591608, 6);
    expect(paperScore([0.12, 0.3, 0.05, 0.22, 0.18, 0.09]).value).toBeCloseTo(0.16, 12);
  });

  it("of BLEU in both orders", () => {
    expect(bleu(...cat, { effectiveOrder: false })).toBeCloseTo(37.991784, 6);
    expect(bleu("Paris .", "Paris .", { effectiveOrder: false })).toBe(0);
    expect(bleu("Paris .", "Paris .", { effectiveOrder: true })).toBeCloseTo(100, 10);
  });

  it("of chrF2 and ROUGE-L", () => {
    expect(chrf2(...cat)).toBeCloseTo(64.577942, 6);
    expect(chrf2(cat[1], cat[0])).toBeCloseTo(61.925151, 6);
    expect(rougeL("paris is the capital of france", "the capital of france is paris")).toBeCloseTo(
      0.666667,
      6,
    );
  });

  it("of agreement, cluster entropy and variant information", () => {
    const answers = [..."AABAC"];
    expect(pairwiseAgreement(answers).value).toBeCloseTo(0.3, 12);
    expect(clusterEntropyNats(answers).value).toBeCloseTo(0.950271, 6);
    expect(normalisedClusterEntropy(answers).value).toBeCloseTo(0.590436, 6);
    expect(variantInformationNats([[..."AAAB"], [..."ABBB"]]).value).toBeCloseTo(0.130812, 6);
  });

  it("of CKA, biased and debiased, and RSA", () => {
    const x = [
      [1, 0],
      [0, 1],
      [2, 1],
      [3, -1],
      [1, 3],
    ];
    const y = [
      [1, 1, 0],
      [0, 1, 1],
      [2, 0, 1],
      [2, -1, 0],
      [0, 3, 1],
    ];
    expect(biasedCka(x, y).value).toBeCloseTo(0.867982, 6);
    expect(debiasedCka(x, y).value).toBeCloseTo(0.742554, 6);
    expect(rsa(x, y).value).toBeCloseTo(0.741624, 6);
    expect(gramAlignment(gramOf(x), gramOf(y), x.length).value).toBeCloseTo(0.742554, 6);
    expect(gramRsa(gramOf(x), gramOf(y), x.length).value).toBeCloseTo(0.741624, 6);
  });

  it("of the certainty of a response and of one position", () => {
    const logProbs = [0.9, 0.5, 0.8].map(Math.log);
    expect(meanLogProbNats(logProbs).value).toBeCloseTo(-0.34055, 6);
    expect(perplexity(logProbs).value).toBeCloseTo(1.405721, 6);
    const probabilities = softmax([2, 1, 0]);
    expect(entropyNats(probabilities)).toBeCloseTo(0.832396, 6);
    expect(normalisedEntropy(entropyNats(probabilities), 3).value).toBeCloseTo(0.757679, 6);
    expect(margin(probabilities).value).toBeCloseTo(0.420512, 6);
    expect(probabilityTrue(2, 1)).toBeCloseTo(0.731059, 6);
  });

  it("of POSIX", () => {
    const logProbs = [
      [-4, -9, -12],
      [-6, -5, -10],
      [-7, -8, -6],
    ];
    expect(posix(logProbs, [4, 5, 6]).value).toBeCloseTo(0.719444, 6);
  });

  it("of calibration", () => {
    const answers = [0.95, 0.85, 0.8, 0.65, 0.6, 0.3].map((confidence, at) => ({
      confidence,
      correct: [true, true, false, true, false, false][at] ?? false,
    }));
    expect(expectedCalibrationError(answers, 5, "equal-width").value).toBeCloseTo(0.258333, 6);
    expect(brierScore(answers).value).toBeCloseTo(0.20625, 12);
    expect(auroc(answers).value).toBeCloseTo(0.888889, 6);
  });

  it("of language style matching", () => {
    expect(languageStyleMatching([8], [6]).value).toBeCloseTo(0.857144, 6);
    expect(languageStyleMatching([5], [5]).value).toBe(1);
    expect(languageStyleMatching([2], [0]).value).toBeCloseTo(0.00005, 6);
    expect(languageStyleMatching([8, 5, 2], [6, 5, 0]).value).toBeCloseTo(0.619065, 6);
  });

  it("of the detectors of abnormal case and extra spaces", () => {
    expect(abnormalCasePercentage("the CAPITAL of FRANCE is Paris")).toBe(52);
    expect(extraSpaceRate("So   many    spaces")).toBeCloseTo(26.3158, 4);
  });

  it("of the other sensitivity indices", () => {
    expect(promptSensitivity([1, 1, 0, 1]).value).toBe(0.5);
    expect(predictionSensitivity([[0.6, 0.4, 0]]).value).toBeCloseTo(0.612602, 6);
    expect(predictionConsistency([0.6, 0.4, 0], [0.8, 0, 0.2])).toBeCloseTo(0.6, 12);
  });
});
