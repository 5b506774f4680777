import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answerClass,
  auroc,
  biasedCka,
  bleu,
  brierScore,
  chrfDistance,
  clusterEntropyNats,
  copyRate,
  debiasedCka,
  expectedCalibrationError,
  formatSpread,
  functionWordPercentages,
  languageStyleMatching,
  margin,
  meanLogProbNats,
  mirrorsPerturbation,
  normalisedClusterEntropy,
  normalisedEntropy,
  pairwiseAgreement,
  paperScore,
  paperSensitivity,
  perplexity,
  posix,
  predictionSensitivity,
  promptSensitivity,
  REFUSAL,
  relativeL2,
  rescaled,
  rougeL,
  rsa,
  tokenMatching,
  variantInformationAboveChance,
  variantInformationNats,
  zScored,
} from "./index.ts";

describe("text overlap", () => {
  it("is symmetric, 0 apart for equal texts and 1 for texts without a common character", () => {
    expect(chrfDistance("", " ")).toBe(0);
    expect(chrfDistance("", "text")).toBe(1);
    expect(chrfDistance("abc", "xyz")).toBe(1);
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(chrfDistance(a, b)).toBeCloseTo(chrfDistance(b, a), 12);
        expect(chrfDistance(a, a)).toBeCloseTo(0, 12);
        expect(rougeL(a, b)).toBeCloseTo(rougeL(b, a), 12);
        const score = bleu(a, b, { effectiveOrder: true });
        expect(score >= 0 && score <= 100 + 1e-9).toBe(true);
      }),
    );
  });

  it("reads words of other scripts", () => {
    expect(rougeL("Привет мир", "привет, мир!")).toBe(1);
    expect(rougeL("", "")).toBe(0);
  });
});

describe("token matching", () => {
  const matrix = (...rows: number[][]) => ({
    rows: rows.length,
    dimensions: rows[0]?.length ?? 2,
    values: Float32Array.from(rows.flat()),
  });

  it("takes the best match of every token in both directions", () => {
    const match = tokenMatching(matrix([2, 0], [0, 3]), matrix([1, 0]));
    expect(match).toEqual({ precision: 0.5, recall: 1, f1: 2 / 3 });
    expect(tokenMatching(matrix(), matrix([1, 0]))).toBeNull();
    expect(() => tokenMatching(matrix([1]), matrix([1, 0]))).toThrow(RangeError);
  });

  it("is rescaled so that unrelated texts are at 0", () => {
    expect(rescaled(0.9, 0.8).value).toBeCloseTo(0.5, 12);
    expect(rescaled(0.9, 1).value).toBeNull();
  });
});

describe("answer classes", () => {
  it.each([
    ["The answer, PARIS!", "answer paris"],
    ["Twenty-one", "21"],
    ["1,000 km", "1000 km"],
    ["１２", "12"],
    ["−5 degrees", "-5 degrees"],
    ["It's a cat", "its cat"],
    ["A", "a"],
    ["seven", "7"],
    ["ninety", "90"],
    ["", ""],
  ])("puts %j into %j", (text, expected) => expect(answerClass(text)).toBe(expected));

  it("has one class for all refusals, and none of its answers in it", () => {
    for (const text of [
      "I'm sorry, I can't help.",
      "I cannot answer that.",
      "As an AI language model, no.",
      "I don't know.",
    ]) {
      expect(answerClass(text)).toBe(REFUSAL);
    }
    expect(answerClass("Paris, I am sure")).not.toBe(REFUSAL);
  });
});

describe("clusters", () => {
  it("have no agreement for one answer and no entropy for none", () => {
    expect(pairwiseAgreement(["A"]).value).toBeNull();
    expect(pairwiseAgreement(["A", "A"]).value).toBe(1);
    expect(clusterEntropyNats([]).value).toBeNull();
    expect(normalisedClusterEntropy(["A"]).value).toBeNull();
    expect(normalisedClusterEntropy(["A", "B"]).value).toBeCloseTo(1, 12);
  });

  it("carry ln k of information where each wording has its own, and none where all are alike", () => {
    expect(variantInformationNats([["A"], ["B"], ["C"]]).value).toBeCloseTo(Math.log(3), 12);
    expect(
      variantInformationNats([
        ["A", "B"],
        ["B", "A"],
      ]).value,
    ).toBeCloseTo(0, 12);
    expect(variantInformationNats([["A"]]).value).toBeNull();
    expect(variantInformationNats([["A"], []]).value).toBeNull();
  });

  it("lose what chance alone would show", () => {
    let state = 1;
    const shuffle = (list: string[]) => {
      for (let last = list.length - 1; last > 0; last -= 1) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const other = Math.floor((state / 2 ** 32) * (last + 1));
        [list[last], list[other]] = [list[other] ?? "", list[last] ?? ""];
      }
    };
    const informative = variantInformationAboveChance([[..."AAAA"], [..."BBBB"]], shuffle).value ?? NaN;
    expect(informative).toBeGreaterThan(0.5);
    expect(informative).toBeLessThan(Math.LN2);
    expect(variantInformationAboveChance([[..."ABAB"], [..."BABA"]], shuffle).value).toBeLessThan(0);
  });
});

describe("representations", () => {
  const x = [
    [1, 0],
    [0, 2],
    [3, 1],
    [1, 1],
    [0, -1],
  ];

  it("are 1 alike when turned, scaled or moved", () => {
    const turned = x.map(([a = 0, b = 0]) => [5 - 2 * b, 2 * a + 7]);
    expect(biasedCka(x, turned).value).toBeCloseTo(1, 10);
    expect(debiasedCka(x, turned).value).toBeCloseTo(1, 10);
    expect(rsa(x, turned).value).toBeCloseTo(1, 10);
  });

  it("cannot be compared with fewer than four examples or without variance", () => {
    expect(debiasedCka(x.slice(0, 3), x.slice(0, 3)).reason).toContain("fewer than 4");
    expect(
      biasedCka(
        x,
        x.map(() => [1, 1]),
      ).value,
    ).toBeNull();
    expect(
      rsa(
        x,
        x.map(() => [1, 1]),
      ).value,
    ).toBeNull();
    expect(() => rsa(x, x.slice(1))).toThrow(RangeError);
  });

  it("have a relative distance between 0 and 2", () => {
    expect(relativeL2([3, 4], [3, 4]).value).toBe(0);
    expect(relativeL2([3, 4], [-3, -4]).value).toBe(2);
    expect(relativeL2([0, 0], [0, 0]).value).toBeNull();
    expect([...zScored([5, 7], [3, 7], [2, 0])]).toEqual([1, 0]);
  });
});

describe("certainty and calibration", () => {
  it("are null where there is nothing to average", () => {
    expect(meanLogProbNats([]).value).toBeNull();
    expect(perplexity([]).value).toBeNull();
    expect(margin([1]).value).toBeNull();
    expect(normalisedEntropy(0, 1).value).toBeNull();
    expect(posix([[-1]], [1]).value).toBeNull();
    expect(
      posix(
        [
          [0, 0],
          [0, 0],
        ],
        [1, 0],
      ).value,
    ).toBeNull();
    expect(expectedCalibrationError([], 5).value).toBeNull();
    expect(brierScore([]).value).toBeNull();
    expect(auroc([{ confidence: 0.5, correct: true }]).reason).toBe("the answers are all right or all wrong");
  });

  it("fill bins with as many answers each when answers are few", () => {
    const answers = [0.1, 0.2, 0.8, 0.9].map((confidence) => ({ confidence, correct: confidence > 0.5 }));
    expect(expectedCalibrationError(answers, 2).value).toBeCloseTo(0.15, 12);
    expect(expectedCalibrationError(answers, 1, "equal-width").value).toBeCloseTo(0, 12);
    expect(() => expectedCalibrationError(answers, 0)).toThrow(RangeError);
  });
});

describe("style", () => {
  it("matches in categories that are used, and copies as often as the prompt allows", () => {
    expect(languageStyleMatching([0, 0], [0, 0]).value).toBeNull();
    expect(functionWordPercentages("I do not know the way").filter((share) => share > 0)).not.toHaveLength(0);
    expect(copyRate("the cat the cat", "the cat sat", 1).value).toBe(0.5);
    expect(copyRate("the cat sat", "see the cat sit", 2).value).toBe(0.5);
    expect(copyRate("cat", "cat", 2).value).toBeNull();
  });
});

describe("indices of sensitivity", () => {
  it("need at least two wordings or classes", () => {
    expect(promptSensitivity([1]).value).toBeNull();
    expect(formatSpread([0.5]).value).toBeNull();
    expect(formatSpread([0.5, 0.9, 0.7]).value).toBeCloseTo(0.4, 12);
    expect(predictionSensitivity([[1]]).value).toBeNull();
    expect(paperSensitivity([], 1).value).toBeNull();
    expect(paperScore([]).value).toBeNull();
  });
});

describe("detectors of mirroring in Paper mode", () => {
  const plain = "The capital of France is Paris and it lies on the river Seine.";

  it("need both a rise over the baseline and a level, by strength", () => {
    const spaced = plain.replaceAll(" ", "  ");
    expect(mirrorsPerturbation(spaced, plain, { kind: "spacing", strength: 20 })).toBe(true);
    expect(mirrorsPerturbation(spaced, spaced, { kind: "spacing", strength: 20 })).toBe(false);
    expect(mirrorsPerturbation(plain, plain, { kind: "spacing", strength: 100 })).toBe(false);
    expect(
      mirrorsPerturbation("Paris!!!! Really!!!! Yes!!!!", plain, { kind: "punctuation", strength: 20 }),
    ).toBe(true);
    expect(mirrorsPerturbation(plain.toUpperCase(), plain, { kind: "case", strength: 100 })).toBe(true);
    expect(mirrorsPerturbation(`ABCDE ${plain}`, plain, { kind: "case", strength: 100 })).toBe(false);
    expect(mirrorsPerturbation(`ABCDE ${plain}`, plain, { kind: "case", strength: 25 })).toBe(true);
  });

  it("compare lengths with the multiplier, and cannot where the baseline is empty", () => {
    expect(mirrorsPerturbation("a b c d", "a b", { kind: "length", multiplier: 2 })).toBe(true);
    expect(mirrorsPerturbation("a b", "a b", { kind: "length", multiplier: 2 })).toBe(false);
    expect(mirrorsPerturbation("a b", "", { kind: "length", multiplier: 2 })).toBeNull();
  });
});
