import { describe, expect, it } from "vitest";
import type { Analysis, AxisId, AxisResult } from "./controller.ts";
import { aboveNoise, axisSentence, fractionWords, headline, noiseTag } from "./findings.ts";

function axis(id: AxisId, estimate: number | null, above: boolean | null): AxisResult {
  const raw = { mean: null, pairs: 0 };
  const reason = estimate === null ? "The graph has no layers that can be recognised." : null;
  return {
    axis: id,
    estimate,
    low: estimate,
    high: estimate,
    reason,
    floor: { estimate: 0, low: null, high: null, reason: null },
    raw: { B: raw, W: raw, C: raw, N: raw },
    changed: { count: 0, total: 0, low: null, high: null },
    layers: null,
    aboveFloor: {
      test: "permutation",
      pValue: null,
      difference: null,
      examples: 0,
      reason: above === null ? "too few" : null,
      above,
      adjustedP: null,
    },
  };
}
function analysis(...above: (boolean | null)[]): Analysis {
  const [g = null, a = null, c = null, m = null] = above;
  return {
    schema: "sago-analysis/4",
    runId: "r",
    productVersion: "1",
    further: null,
    examplesPlanned: 16,
    examplesAnalysed: 16,
    exploratory: true,
    bootstrapReplications: 2000,
    axes: {
      generation: axis("generation", 0.34, g),
      activation: axis("activation", 0.2, a),
      confidence: axis("confidence", 0.3, c),
      mirroring: axis("mirroring", 0.1, m),
    },
    composite: { estimate: 0.2, low: 0.1, high: 0.3, reason: null, complete: true, axes: [] },
    examples: [],
    notes: [],
    beside: {
      accuracyOriginal: null,
      accuracyWorst: null,
      accuracyBest: null,
      answers: 0,
      truncated: 0,
      empty: 0,
      looping: 0,
      constant: false,
      rejectedVariants: 0,
    },
    determinism: { reruns: 0, identical: 0, maxDistance: null },
  };
}

describe("fractions in words", () => {
  it("says hardly by null, and nothing before “as much” from 0.95 on", () => {
    expect([0, 0.069].map(fractionWords)).toEqual([null, null]);
    expect([0.95, 1, 1.4].map(fractionWords)).toEqual(["", "", ""]);
  });
  it("names the nearest plain fraction", () => {
    expect([0.1, 0.2, 0.25, 0.33, 0.4, 0.5, 0.6, 0.66, 0.75, 0.8, 0.9].map(fractionWords)).toEqual([
      "about a tenth",
      "about a fifth",
      "about a quarter",
      "about a third",
      "about two fifths",
      "about half",
      "about three fifths",
      "about two thirds",
      "about three quarters",
      "about four fifths",
      "about nine tenths",
    ]);
  });
});

describe("the headline", () => {
  it("is one sentence with the fraction in bold, and the count of axes above noise", () => {
    const { before, strong, after, second } = headline(analysis(true, true, true, false));
    expect(before + strong + after).toBe(
      "Asked in other words, this model changes its answers about a third as much as when asked something else.",
    );
    expect(second).toBe("Three of four axes are above noise.");
  });
  it("says why when answers could not be compared", () => {
    const whole = analysis(true, true, true, true);
    const { strong, after } = headline({
      ...whole,
      axes: { ...whole.axes, generation: axis("generation", null, null) },
    });
    expect(strong).toBe("could not be measured");
    expect(after).toContain("no layers");
  });
  it.each([
    [[true, true, true, true], "All four axes are above noise."],
    [[false, false, false, false], "None of the four axes is above noise."],
    [[true, false, false, false], "One of four axes is above noise."],
    [[true, null, true, false], "Two of the three axes that could be tested are above noise."],
    [[null, null, true, null], "The one axis that could be tested is above noise."],
    [[null, null, null, null], "There is too little yet to tell it from noise."],
  ])("counts only axes that were tested: %j", (above, sentence) => {
    expect(aboveNoise(analysis(...above))).toBe(sentence);
  });
});

describe("what an axis says", () => {
  it("is the reason for an axis that is missing, which has no tag", () => {
    const missing = axis("activation", null, null);
    expect(axisSentence(missing)).toBe("The graph has no layers that can be recognised.");
    expect(noiseTag(missing)).toBeNull();
  });
  it("never says “no effect”: within noise, or not tested", () => {
    expect(noiseTag(axis("generation", 0.1, false))?.text).toBe("within noise");
    expect(noiseTag(axis("generation", 0.1, null))?.text).toBe("not tested");
  });
  it("stays a correct sentence for very small and very large numbers", () => {
    expect(axisSentence(axis("generation", 0.01, false))).toBe(
      "Two answers to one question hardly differ, compared with answers to unrelated questions.",
    );
    expect(axisSentence(axis("activation", 1.1, true))).toBe(
      "Inside, a new wording moves the model as far as a new topic does.",
    );
  });
});
