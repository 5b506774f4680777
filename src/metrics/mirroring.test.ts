import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  leakageSlope,
  matchedMinusMismatched,
  mirroringInstability,
  pairingMatrix,
} from "./matched-style.ts";
import { STYLE_FEATURES, styleSimilarity, styleVector } from "./style-features.ts";

const feature = (text: string, id: string) =>
  styleVector(text)[STYLE_FEATURES.findIndex((it) => it.id === id)];

describe("styleVector", () => {
  it("measures each feature in its unit", () => {
    expect(feature("the CAPITAL of FRANCE is Paris", "capitals")).toBe(56);
    expect(feature("So   many    spaces", "extra-spaces")).toBeCloseTo(26.3158, 4);
    expect(feature("Really?! Yes!!! No... ok.", "repeated-punctuation")).toBeCloseTo((100 * 3) / 25, 10);
    expect(feature("one two three", "length")).toBeCloseTo(Math.log(4), 12);
    expect(feature("I like the cat and the dog", "articles")).toBeCloseTo(200 / 7, 10);
    expect(feature("It’s fine, don't go", "contractions")).toBe(50);
    expect(feature("Please help, thank you", "politeness")).toBe(50);
    expect(feature("Is it? It is. Are you sure?", "questions")).toBeCloseTo(200 / 3, 10);
    expect(feature("Please name a river. It is long.", "imperatives")).toBe(50);
    expect(feature("- one\n- two\n\nplain\n**bold** word", "lists")).toBe(75);
  });

  it("is the zero vector for an empty text, and finite for any text", () => {
    expect([...styleVector("")].every((value) => value === 0)).toBe(true);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) =>
        styleVector(text).every((it) => Number.isFinite(it) && it >= 0),
      ),
    );
  });

  it("leaves indentation alone, and does not take one full stop or an ellipsis sign for repetition", () => {
    expect(feature("    indented code\n    more of it", "extra-spaces")).toBe(0);
    expect(feature("One. Two… three, four!", "repeated-punctuation")).toBe(0);
  });

  it("reads other scripts without words of their own: questions in full-width and Arabic marks count", () => {
    expect(feature("你好吗？", "questions")).toBe(100);
    expect(feature("كيف حالك؟", "questions")).toBe(100);
  });
});

describe("styleSimilarity", () => {
  it("is 1 for equal texts, symmetric, and within [0, 1]", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const [x, y] = [styleVector(a), styleVector(b)];
        expect(styleSimilarity(x, x)).toBe(1);
        expect(styleSimilarity(x, y)).toBe(styleSimilarity(y, x));
        expect(styleSimilarity(x, y)).toBeGreaterThanOrEqual(0);
        expect(styleSimilarity(x, y)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("falls by one share when one feature differs by its whole range", () => {
    const a = new Float64Array(STYLE_FEATURES.length);
    const b = a.slice();
    b[0] = 2 * (STYLE_FEATURES[0]?.range ?? NaN);
    expect(styleSimilarity(a, b)).toBeCloseTo(1 - 1 / STYLE_FEATURES.length, 12);
  });
});

describe("matchedMinusMismatched", () => {
  it("agrees with the reference value", () => {
    const similarity = Float64Array.of(0.6, 0.2, 0.3, 0.1, 0.5, 0.2, 0.4, 0.3, 0.7);
    const style = matchedMinusMismatched({ size: 3, similarity });
    expect(style?.difference).toBeCloseTo(0.35, 12);
    expect(style?.matched).toBeCloseTo(0.6, 12);
    expect(style?.mismatched).toBeCloseTo(0.25, 12);
  });

  it("is positive when answers shout back, 0 when all answers are alike, and null for one wording", () => {
    const prompts = ["WHAT IS A CAT???", "what is a cat?", "Could you please tell me what a cat is?"].map(
      styleVector,
    );
    const echoing = [
      "A CAT IS A PET!!!",
      "a cat is a pet.",
      "Of course. Thank you, please note that a cat is a pet.",
    ];
    const echo = pairingMatrix(
      echoing.map((it) => [styleVector(it)]),
      prompts,
    );
    expect(matchedMinusMismatched(echo)?.difference).toBeGreaterThan(0.05);
    const flat = pairingMatrix(
      echoing.map(() => [styleVector("A cat is a pet.")]),
      prompts,
    );
    expect(matchedMinusMismatched(flat)?.difference).toBeCloseTo(0, 12);
    expect(matchedMinusMismatched({ size: 1, similarity: Float64Array.of(1) })).toBeNull();
  });

  it("averages over the repeats of a sampled answer", () => {
    const prompts = ["HELLO THERE", "hello there"].map(styleVector);
    const both = pairingMatrix(
      [["A B", "a b"], ["a b"]].map((texts) => texts.map(styleVector)),
      prompts,
    );
    const one = (text: string) => styleSimilarity(styleVector(text), prompts[0] ?? new Float64Array());
    expect(both.similarity[0]).toBeCloseTo((one("A B") + one("a b")) / 2, 12);
  });
});

describe("mirroringInstability", () => {
  it("takes chance away on both ends and never falls below 0", () => {
    expect(mirroringInstability(0.35, 0.1)).toBeCloseTo(0.25 / 0.9, 12);
    expect(mirroringInstability(-0.35, 0.1)).toBeCloseTo(0.25 / 0.9, 12);
    expect(mirroringInstability(0.05, 0.1)).toBe(0);
    expect(mirroringInstability(1, 1)).toBe(0);
  });
});

describe("leakageSlope", () => {
  it("agrees with the reference value", () => {
    expect(leakageSlope([0, 0.25, 0.5, 1], [0.02, 0.02, 0.1, 0.3]).value).toBeCloseTo(0.297143, 6);
  });

  it("is null with a reason where the prompts do not differ or are too few", () => {
    expect(leakageSlope([1, 1, 1], [0, 1, 2]).reason).toBe("the prompts do not differ in this feature");
    expect(leakageSlope([1], [1]).value).toBeNull();
    expect(() => leakageSlope([1, 2], [1])).toThrow(RangeError);
  });
});
