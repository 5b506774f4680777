import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { tokenTexts } from "./token-texts.ts";
import { ModelTokenizer } from "./tokenizer.ts";

/** Property tests take long where many test files share the cores. */
vi.setConfig({ testTimeout: 120_000 });
const FOLDER = "public/models/SmolLM2-135M-Instruct";
const tokenizer = new ModelTokenizer(
  JSON.parse(readFileSync(`${FOLDER}/tokenizer.json`, "utf8")),
  JSON.parse(readFileSync(`${FOLDER}/tokenizer_config.json`, "utf8")),
);
const textsOf = (text: string): string[] =>
  tokenTexts([...tokenizer.encode(text, false).ids], (ids) => tokenizer.decode(ids));

describe("tokenTexts", () => {
  it("gives each token its own piece of the text", () => {
    expect(textsOf("The capital of France is Paris.")).toEqual([
      "The",
      " capital",
      " of",
      " France",
      " is",
      " Paris",
      ".",
    ]);
  });

  it("gives a character that spans tokens to the token that completes it", () => {
    const texts = textsOf("𝔘");
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.at(-1)).toBe("𝔘");
    expect(texts.slice(0, -1).every((text) => text === "")).toBe(true);
  });

  it("joins to the text, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const ids = [...tokenizer.encode(text, false).ids];
        const texts = tokenTexts(ids, (part) => tokenizer.decode(part));
        expect(texts).toHaveLength(ids.length);
        expect(texts.join("")).toBe(tokenizer.decode(ids));
      }),
      { numRuns: 100 },
    );
  });

  it("keeps what is broken at the end, since a cut answer may end within a character", () => {
    const ids = [...tokenizer.encode("a 𝔘", false).ids].slice(0, -1);
    expect(tokenTexts(ids, (part) => tokenizer.decode(part)).join("")).toBe(tokenizer.decode(ids));
  });

  it("gives nothing for nothing", () => {
    expect(tokenTexts([], () => "")).toEqual([]);
  });
});
