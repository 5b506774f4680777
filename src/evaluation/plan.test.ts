import { describe, expect, it } from "vitest";
import { builtInDatasets, loadBuiltInDataset } from "../datasets/index.ts";
import { planPrompts, planReruns, planUnrelatedPairs, spreadOverFamilies, withWordings } from "./plan.ts";

const choices = { examples: 4, variantsPerExample: null, seed: 7, nullEditsPerExample: 3 };

describe("the plan of a run", () => {
  it("holds original, variants and null edits of each example, all texts distinct", async () => {
    for (const { id } of builtInDatasets()) {
      const dataset = await loadBuiltInDataset(id);
      const prompts = planPrompts(dataset, choices);
      for (const example of dataset.examples.slice(0, 4)) {
        const own = prompts.filter((prompt) => prompt.exampleId === example.id);
        expect(own.map((prompt) => prompt.role)).toEqual([
          "original",
          ...example.variants.map(() => "variant"),
          ...Array.from({ length: 3 }, () => "null-edit"),
        ]);
        expect(new Set(own.map((prompt) => prompt.text)).size).toBe(own.length);
        expect(new Set(own.map((prompt) => prompt.promptId)).size).toBe(own.length);
      }
    }
  });

  it("refuses a run of no examples", async () => {
    const dataset = await loadBuiltInDataset("short-facts");
    expect(() => planPrompts(dataset, { ...choices, examples: 0 })).toThrow(RangeError);
  });

  it("covers every family when fewer variants are wanted than there are", async () => {
    const dataset = await loadBuiltInDataset("short-facts");
    const variants = dataset.examples[0]?.variants ?? [];
    const three = spreadOverFamilies(variants, 3);
    expect(three).toHaveLength(3);
    expect(new Set(three.map((variant) => variant.family)).size).toBe(3);
    expect(spreadOverFamilies(variants, 100)).toEqual(variants);
  });

  it("pairs unrelated examples, originals first, each pair once, the same for the same seed", async () => {
    const prompts = planPrompts(await loadBuiltInDataset("short-facts"), { ...choices, examples: 16 });
    const pairs = planUnrelatedPairs(prompts, 200, 7);
    expect(pairs).toHaveLength(200);
    expect(pairs.every((pair) => pair.exampleId !== pair.promptExampleId)).toBe(true);
    expect(pairs.every((pair) => pair.promptId === "original")).toBe(true);
    expect(new Set(pairs.map((pair) => JSON.stringify(pair))).size).toBe(200);
    expect(planUnrelatedPairs(prompts, 200, 7)).toEqual(pairs);
    expect(planUnrelatedPairs(prompts, 200, 8)).not.toEqual(pairs);
  });

  it("takes wordings of the same family where two examples have too few originals", async () => {
    const prompts = planPrompts(await loadBuiltInDataset("short-facts"), { ...choices, examples: 2 });
    const pairs = planUnrelatedPairs(prompts, 10, 7);
    expect(pairs).toHaveLength(10);
    expect(pairs.filter((pair) => pair.promptId === "original")).toHaveLength(2);
    const family = (exampleId: string, promptId: string) =>
      prompts.find((prompt) => prompt.exampleId === exampleId && prompt.promptId === promptId)?.family;
    for (const pair of pairs) {
      const own = prompts
        .filter((prompt) => prompt.exampleId === pair.exampleId)
        .map((prompt) => prompt.family);
      expect(own).toContain(family(pair.promptExampleId, pair.promptId));
    }
  });

  it("has no unrelated pair for a single example", async () => {
    const prompts = planPrompts(await loadBuiltInDataset("short-facts"), { ...choices, examples: 1 });
    expect(planUnrelatedPairs(prompts, 200, 7)).toEqual([]);
  });

  it("runs at least one prompt again and about the share that was asked for", async () => {
    const prompts = planPrompts(await loadBuiltInDataset("short-facts"), { ...choices, examples: 16 });
    expect(planReruns(prompts, 0.05)).toHaveLength(7);
    expect(planReruns(prompts.slice(0, 2), 0.05)).toHaveLength(1);
    expect(planReruns(prompts, 0)).toEqual([]);
    expect(new Set(planReruns(prompts, 0.05)).size).toBe(7);
  });

  it("takes the set's own wordings, the paper's families, or its own and then those", async () => {
    const dataset = await loadBuiltInDataset("short-facts");
    const variantsOf = (wordings: "own" | "paper" | "both") =>
      planPrompts(dataset, { ...choices, examples: 1, wordings }).filter(({ role }) => role === "variant");
    const [own, paper, both] = [variantsOf("own"), variantsOf("paper"), variantsOf("both")];
    expect(new Set(own.map(({ family }) => family))).toEqual(new Set(["paraphrase", "style", "format"]));
    expect(paper.every(({ promptId }) => promptId.startsWith("paper:"))).toBe(true);
    expect(both.slice(0, own.length)).toEqual(own);
    // A wording that both have comes once.
    expect(new Set(both.map(({ text }) => text.trim())).size).toBe(both.length);
    const texts = new Set([...own, ...paper].map(({ text }) => text.trim()));
    expect(both).toHaveLength(texts.size);
  });

  it("plans the same wordings by rule for the same seed, whatever the number of questions", async () => {
    const dataset = await loadBuiltInDataset("instructions");
    const plan = (examples: number, seed: number) =>
      planPrompts(dataset, { ...choices, examples, seed, wordings: "paper" });
    expect(plan(4, 7)).toEqual(plan(4, 7));
    expect(plan(8, 7).slice(0, plan(4, 7).length)).toEqual(plan(4, 7));
    expect(plan(4, 8)).not.toEqual(plan(4, 7));
  });

  it("leaves a set as it is where its own wordings are asked for", async () => {
    const dataset = await loadBuiltInDataset("short-facts");
    expect(withWordings(dataset, { wordings: "own", seed: 7 })).toBe(dataset);
  });
});
