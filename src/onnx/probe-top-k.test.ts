import { describe, expect, test } from "vitest";
import { groupSize } from "./probe-top-k.ts";

describe("groupSize", () => {
  test.each([
    ["SmolLM2", 49_152, 24],
    ["GPT-2", 50_257, 29],
    ["Llama 3", 128_256, 64],
    ["Qwen 2", 151_936, 128],
    ["Gemma 3", 262_144, 128],
  ])("splits the vocabulary of %s into at most 2,048 groups", (_model, vocabulary, size) => {
    expect(groupSize(vocabulary)).toBe(size);
    expect(vocabulary / size).toBeLessThanOrEqual(2_048);
  });

  test("leaves small, unknown and prime vocabularies whole", () => {
    expect([2_048, null, 50_261].map(groupSize)).toEqual([null, null, null]);
  });
});
