import { describe, expect, it } from "vitest";
import { comparableText, matchesGold } from "./gold";

const short = (response: string, ...gold: string[]) => matchesGold(response, gold, "short-answer");

describe("matchesGold on short answers", () => {
  it.each([
    ["Paris", "Paris"],
    ["The capital of France is **Paris**.", "paris"],
    ["It was Leonardo da Vinci, of course!", "Leonardo da Vinci"],
    ["A spider has eight legs.", "8"],
    ["A spider has 8 legs.", "eight"],
    ["Seven times eight is fifty-six.", "56"],
    ["fifty six", "56"],
    ["The formula is H₂O.", "H2O"],
    ["ＰＡＲＩＳ", "Paris"],
    ["About 1,000 grams", "1000"],
    ["It boils at 100°C.", "100 °C"],
    ["Water freezes at zero degrees.", "0"],
    ["It falls to −5 degrees.", "-5"],
    ["in the United States of America", "The United States"],
    ["the-blue-whale", "blue whale"],
    ["Il s’appelle Zoe\u0301.", "Zoé"],
    ["首都是东京。", "东京"],
  ])("finds the answer in %j", (response, gold) => {
    expect(short(response, gold)).toBe(true);
  });

  it.each([
    ["Parisian food", "Paris"],
    ["28", "8"],
    ["twenty-eight", "8"],
    ["twenty-eight", "20"],
    ["3.5", "3"],
    ["-5", "5"],
    ["da Leonardo Vinci", "Leonardo da Vinci"],
    ["", "Paris"],
    ["?!", "Paris"],
  ])(
    "does not find an answer in %j that is only part of a word or number, or in another order",
    (response, gold) => {
      expect(short(response, gold)).toBe(false);
    },
  );

  it("accepts any one of several gold answers", () => {
    expect(short("They become moths.", "butterfly", "moths")).toBe(true);
  });

  it("takes the hyphen between two numbers for a dash, not for a minus", () => {
    expect(short("between 5-10", "10")).toBe(true);
  });

  it("looks for a single letter in its own case only", () => {
    expect(short("Sunlight gives us vitamin D.", "D")).toBe(true);
    expect(short("I'd say a vitamin.", "D")).toBe(false);
    expect(short("a vitamin", "A")).toBe(false);
    expect(short("Vitamin A", "A")).toBe(true);
  });

  it("keeps the words of an answer that consists of articles only", () => {
    expect(short("The missing word is 'the'.", "the")).toBe(true);
    expect(short("A missing word.", "the")).toBe(false);
  });

  it("does not understand negation", () => {
    expect(short("It is certainly not Paris.", "Paris")).toBe(true);
  });

  it("is null without a gold answer, or with one that has no letter or digit", () => {
    expect(matchesGold("Paris", undefined, "short-answer")).toBeNull();
    expect(matchesGold("Paris", [], "free-text")).toBeNull();
    expect(short("!", "!")).toBeNull();
  });
});

describe("matchesGold on classifications", () => {
  const classify = (response: string, gold: string, labels: string[]) =>
    matchesGold(response, [gold], "classification", labels);
  const tones = ["positive", "negative"];

  it("takes the first label mentioned for the answer", () => {
    expect(classify("Negative. A positive review would sound otherwise.", "negative", tones)).toBe(true);
    expect(classify("Negative. A positive review would sound otherwise.", "positive", tones)).toBe(false);
  });

  it("is false when no label is mentioned", () => {
    expect(classify("I like soup.", "positive", tones)).toBe(false);
    expect(classify("Positively so", "positive", tones)).toBe(false);
  });

  it("takes the longer of two labels that begin at the same word, in any order of the labels", () => {
    for (const labels of [
      ["very good", "very"],
      ["very", "very good"],
    ]) {
      expect(classify("Very good!", "very good", labels)).toBe(true);
      expect(classify("Very good!", "very", labels)).toBe(false);
    }
  });

  it("sees that 'not spam' begins before 'spam'", () => {
    expect(classify("It is not spam.", "not spam", ["spam", "not spam"])).toBe(true);
  });

  it("tells single letters from articles", () => {
    expect(classify("As a matter of fact, B", "B", ["A", "B"])).toBe(true);
    expect(classify("(A) is right, not B", "A", ["A", "B"])).toBe(true);
  });

  it("does not understand negation", () => {
    expect(classify("This is not positive at all.", "positive", tones)).toBe(true);
  });

  it("is null without gold", () => {
    expect(matchesGold("positive", undefined, "classification", tones)).toBeNull();
  });
});

describe("comparableText", () => {
  it("is the words in lower case with digits for numbers, without articles and marks", () => {
    expect(comparableText("  The Twenty-One\nGuns! ")).toBe("21 guns");
  });

  it("is empty for a text without letters and digits", () => {
    expect(comparableText(" – ?! ")).toBe("");
  });
});
