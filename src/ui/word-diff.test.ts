import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffWords, doubtLevel, plainWords, wordsOf } from "./word-diff.ts";

const kinds = (from: string, to: string) =>
  diffWords(plainWords(from), plainWords(to)).map(({ kind, words }) => [
    kind,
    words.map(({ text }) => text).join(" "),
  ]);

describe("wordsOf", () => {
  it("puts tokens together to words and keeps each token's probability", () => {
    const words = wordsOf([
      { text: "The", probability: 0.9 },
      { text: " temper", probability: 0.4 },
      { text: "ature.", probability: 0.8 },
      { text: "\n\n", probability: 0.5 },
      { text: "Two words", probability: 0.7 },
    ]);
    expect(words.map(({ text, lead }) => [lead, text])).toEqual([
      ["", "The"],
      [" ", "temperature."],
      ["\n\n", "Two"],
      [" ", "words"],
    ]);
    expect(words[1]?.pieces.map(({ probability }) => probability)).toEqual([0.4, 0.8]);
  });

  it("loses nothing but white space at the end, however the text is cut into tokens", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "B", " ", "\n", ".", "é", "😀") })),
        (texts) => {
          const words = wordsOf(texts.map((text) => ({ text, probability: 0.5 })));
          const joined = words.map(({ lead, text }) => lead + text).join("");
          expect(joined).toBe(texts.join("").trimEnd());
        },
      ),
    );
  });
});

describe("diffWords", () => {
  it("marks new, lost and re-cased words, and joins neighbours", () => {
    expect(kinds("The largest organ is the skin.", "The LARGEST organ is a big liver.")).toEqual([
      ["same", "The"],
      ["case", "LARGEST"],
      ["same", "organ is"],
      ["del", "the skin."],
      ["ins", "a big liver."],
    ]);
  });

  it("does not count final marks as a change", () => {
    expect(kinds("It is blue.", "It is blue")).toEqual([["same", "It is blue"]]);
  });

  it("is empty for two empty answers, and all new for an answer to nothing", () => {
    expect(kinds("", " ")).toEqual([]);
    expect(kinds("", "one two")).toEqual([["ins", "one two"]]);
    expect(kinds("one two", "")).toEqual([["del", "one two"]]);
  });

  it("gives back the whole new answer, in order, whatever the two are", () => {
    const text = fc.array(fc.constantFrom("a", "A", "b", "c.", "c")).map((words) => words.join(" "));
    fc.assert(
      fc.property(text, text, (from, to) => {
        const kept = diffWords(plainWords(from), plainWords(to)).filter(({ kind }) => kind !== "del");
        expect(kept.flatMap(({ words }) => words.map((word) => word.text)).join(" ")).toBe(to);
      }),
    );
  });
});

it("leaves sure tokens on plain paper and shades more the less sure they are", () => {
  expect([1, 0.75, 0.74, 0.55, 0.45, 0.1].map(doubtLevel)).toEqual([0, 0, 1, 2, 3, 4]);
  expect(doubtLevel(null)).toBe(0);
});
