import { describe, expect, it } from "vitest";
import builtIn from "../datasets/built-in/short-facts.json" with { type: "json" };
import { PAPER_WORDINGS, paperWordings } from "./index.ts";

const prompts = builtIn.examples.map(({ prompt }) => prompt);
const all = prompts.map((prompt, place) => paperWordings(prompt, place, { seed: 7 }));
const DOSED = ["politeness", "spacing", "punctuation", "letter-case", "length"] as const;

describe("the paper's families of a question", () => {
  it("gives at most eight wordings, all different from each other and from the question", () => {
    for (const [at, wordings] of all.entries()) {
      expect(wordings.length).toBeLessThanOrEqual(PAPER_WORDINGS);
      expect(wordings.length).toBeGreaterThanOrEqual(6);
      const texts = [prompts[at], ...wordings.map(({ text }) => text)];
      expect(new Set(texts).size).toBe(texts.length);
      expect(new Set(wordings.map(({ id }) => id)).size).toBe(wordings.length);
    }
  });

  it("has every dosed family in nearly every question, and sentence form where it can be turned", () => {
    for (const family of DOSED) {
      const having = all.filter((wordings) => wordings.some((it) => it.family === family)).length;
      expect(having).toBeGreaterThanOrEqual(0.9 * prompts.length);
    }
    expect(all.some((wordings) => wordings.some((it) => it.family === "sentence-form"))).toBe(true);
  });

  it("takes turns: each dosed family in three strengths for about a fifth of the questions", () => {
    for (const family of DOSED) {
      const inThree = all.filter(
        (wordings) =>
          new Set(wordings.filter((it) => it.family === family).map((it) => it.strength)).size >= 3,
      ).length;
      expect(inThree).toBeGreaterThanOrEqual(prompts.length / 5 - 4);
      expect(inThree).toBeLessThanOrEqual(prompts.length / 5 + 1);
    }
  });

  it("covers every strength of every family over the questions", () => {
    const strengths = (family: string) =>
      [...new Set(all.flat().flatMap((it) => (it.family === family ? [it.strength] : [])))].sort(
        (a, b) => (a ?? 0) - (b ?? 0),
      );
    expect(strengths("politeness")).toEqual([-10, -5, 5, 10]);
    expect(strengths("spacing")).toEqual([20, 50, 100]);
    expect(strengths("punctuation")).toEqual([2, 5, 10, 20]);
    expect(strengths("letter-case")).toEqual([25, 50, 100]);
    expect(strengths("length")).toEqual([1.5, 2, 3]);
    const forms = new Set(
      all
        .flat()
        .flatMap((it) => (it.family === "letter-case" ? it.id.split("-")[1]?.replace("case:", "") : [])),
    );
    expect(forms).toEqual(new Set(["prefix", "suffix", "global", "all"]));
  });

  it("is a function of prompt, place and seed", () => {
    expect(paperWordings("Name a river in Asia.", 3, { seed: 7 })).toEqual(
      paperWordings("Name a river in Asia.", 3, { seed: 7 }),
    );
    expect(paperWordings("Name a river in Asia.", 3, { seed: 8 })).not.toEqual(
      paperWordings("Name a river in Asia.", 3, { seed: 7 }),
    );
  });

  it("leaves out families that cannot change a text, and makes nothing of an empty one", () => {
    const chinese = paperWordings("亚洲的一条河流叫什么？", 0, { seed: 7 });
    expect(chinese.map(({ family }) => family)).not.toContain("politeness");
    expect(chinese.map(({ family }) => family)).toContain("punctuation");
    expect(paperWordings("  ", 0, { seed: 7 })).toEqual([]);
  });
});
