import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  builtInDatasets,
  loadBackgroundPrompts,
  loadBuiltInDataset,
  matchesGold,
  type Dataset,
  type DatasetExample,
} from "./index";

const catalogue = builtInDatasets();
const datasets = await Promise.all(catalogue.map(({ id }) => loadBuiltInDataset(id)));
const background = await loadBackgroundPrompts();

const promptsOf = ({ prompt, variants }: DatasetExample) => [
  prompt,
  ...variants.map((variant) => variant.prompt),
];
const allPrompts = ({ examples }: Dataset) => examples.flatMap(promptsOf);
const byHand = ({ prompt, variants }: DatasetExample) => [
  prompt,
  ...variants.filter(({ family }) => family === "paraphrase").map((variant) => variant.prompt),
];
const lettersOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();

/** All runs of `length` words of a text, without regard to case, marks and line breaks. */
function runsOfWords(text: string, length: number): string[] {
  const words = lettersOf(text).split(" ");
  return words.slice(length - 1).map((_, start) => words.slice(start, start + length).join(" "));
}

function shared(first: Iterable<string>, second: Iterable<string>): string[] {
  const known = new Set(first);
  return [...new Set(second)].filter((entry) => known.has(entry));
}

it("offers at least three kinds of sets", () => {
  expect(new Set(catalogue.map(({ kind }) => kind))).toEqual(
    new Set(["short-answer", "free-text", "classification"]),
  );
});

it("equals what the build script makes of the rows written by hand", () => {
  const script = fileURLToPath(new URL("../../tools/datasets/build.mjs", import.meta.url));
  expect(() => execFileSync(process.execPath, [script, "--check"], { stdio: "pipe" })).not.toThrow();
});

it("says so when there is no built-in set of an id", async () => {
  await expect(loadBuiltInDataset("toString")).rejects.toThrow(/no built-in dataset "toString".*short-facts/);
});

describe.each(datasets.map((dataset) => [dataset.id, dataset] as const))(
  "the built-in set %s",
  (id, dataset) => {
    const { examples } = dataset;

    it("is what the catalogue announces", () => {
      const { name, description, kind, language, license } = dataset;
      expect(catalogue).toContainEqual({
        ...{ id, name, description, kind, language, license },
        examples: examples.length,
        variants: examples[0]?.variants.length,
      });
    });

    it("has 64 examples with different ids and different originals", () => {
      expect(examples).toHaveLength(64);
      expect(new Set(examples.map((example) => example.id)).size).toBe(64);
      expect(new Set(examples.map(({ prompt }) => lettersOf(prompt))).size).toBe(64);
    });

    it("has the same number of variants, at least 6 over at least 3 families, in every example", () => {
      for (const example of examples) {
        const families = example.variants.map(({ family }) => family);
        expect(families.length, example.id).toBeGreaterThanOrEqual(6);
        expect(families.length, example.id).toBe(examples[0]?.variants.length);
        expect([...new Set(families)].sort(), example.id).toEqual(["format", "paraphrase", "style"]);
        expect(new Set(example.variants.map((variant) => variant.id)).size, example.id).toBe(families.length);
      }
    });

    it("has no two equal variants, spaces and line breaks at the ends aside, anywhere in the set", () => {
      const prompts = allPrompts(dataset).map((prompt) => prompt.trim());
      expect(prompts.filter((prompt, index) => prompts.indexOf(prompt) !== index)).toEqual([]);
    });

    it("has paraphrases that differ in words, not only in case and marks", () => {
      for (const example of examples) {
        expect(new Set(byHand(example).map(lettersOf)).size, example.id).toBe(4);
      }
    });

    it("keeps every word of the original in its styles and formats", () => {
      for (const { id: example, prompt, variants } of examples) {
        for (const variant of variants.filter(({ family }) => family !== "paraphrase")) {
          expect(lettersOf(variant.prompt), `${example} ${variant.id}`).toContain(lettersOf(prompt));
        }
      }
    });

    it("has odd white space only where a format means it", () => {
      for (const example of examples) {
        for (const prompt of promptsOf(example)) expect(prompt, example.id).toBe(prompt.trim());
        const calm = example.variants.filter(({ family }) => family !== "format");
        for (const text of [example.prompt, ...calm.map(({ prompt }) => prompt)]) {
          expect(text, example.id).not.toMatch(/\s\s|[^\S ]/);
        }
      }
    });

    it("ends every text written by hand with a mark", () => {
      for (const text of examples.flatMap(byHand)) expect(text).toMatch(/[?.!]$/);
    });

    it("keeps prompts short: none over 60 words, nine in ten under 40", () => {
      const lengths = allPrompts(dataset).map((prompt) => prompt.split(/\s+/).length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(60);
      expect(lengths.filter((length) => length < 40).length / lengths.length).toBeGreaterThan(0.9);
    });

    it("shares no prompt and no run of five words with the background prompts", () => {
      const runs = allPrompts(dataset).flatMap((prompt) => runsOfWords(prompt, 5));
      expect(
        shared(
          runs,
          background.flatMap((prompt) => runsOfWords(prompt, 5)),
        ),
      ).toEqual([]);
      expect(shared(allPrompts(dataset).map(lettersOf), background.map(lettersOf))).toEqual([]);
    });

    it("shares no prompt with another set", () => {
      const others = datasets.filter((other) => other.id !== id).flatMap(allPrompts);
      expect(shared(allPrompts(dataset).map(lettersOf), others.map(lettersOf))).toEqual([]);
    });

    it("has gold answers exactly if its kind promises them", () => {
      for (const { id: example, gold } of examples) {
        if (dataset.kind === "free-text") expect(gold, example).toBeUndefined();
        else expect(gold?.length, example).toBeGreaterThan(0);
      }
    });
  },
);

describe("the short facts", () => {
  const examples = datasets.find(({ kind }) => kind === "short-answer")?.examples ?? [];

  it("never give an accepted answer away in a prompt", () => {
    const given = examples.flatMap((example) =>
      promptsOf(example).filter((prompt) => matchesGold(prompt, example.gold, "short-answer") !== false),
    );
    expect(given).toEqual([]);
  });

  it("accept each of their own gold answers inside a sentence", () => {
    for (const { id, gold } of examples) {
      for (const answer of gold ?? []) {
        expect(matchesGold(`I think it is ${answer}.`, gold, "short-answer"), id).toBe(true);
      }
    }
  });
});

describe("the judgements", () => {
  const dataset = datasets.find(({ kind }) => kind === "classification");
  const examples = dataset?.examples ?? [];
  const count = (part: DatasetExample[]) =>
    dataset?.labels?.map((label) => part.filter(({ gold }) => gold?.[0] === label).length);

  it("have one gold label each, and all labels equally often, also in the first 16", () => {
    expect(examples.filter(({ gold }) => gold?.length !== 1)).toEqual([]);
    expect(count(examples)).toEqual([16, 16, 16, 16]);
    expect(count(examples.slice(0, 16))).toEqual([4, 4, 4, 4]);
  });

  it("name both labels of the task in every wording, and no label of the other task", () => {
    const pairs = [
      ["positive", "negative"],
      ["true", "false"],
    ];
    for (const example of examples) {
      for (const prompt of promptsOf(example)) {
        const words = lettersOf(prompt).split(" ");
        const named = pairs.map((pair) => pair.filter((label) => words.includes(label)).length);
        expect(named, prompt).toEqual(
          example.gold?.some((label) => pairs[0]?.includes(label)) ? [2, 0] : [0, 2],
        );
      }
    }
  });

  it("mention either label first about equally often for each gold label, so that position tells nothing", () => {
    for (const label of dataset?.labels ?? []) {
      const prompts = examples.filter(({ gold }) => gold?.includes(label)).flatMap(byHand);
      const first = prompts.filter((prompt) =>
        matchesGold(prompt, [label], "classification", dataset?.labels),
      );
      expect(first.length / prompts.length, label).toBeGreaterThan(0.35);
      expect(first.length / prompts.length, label).toBeLessThan(0.65);
    }
  });
});

it("has 64 different background prompts without odd white space", () => {
  expect(background).toHaveLength(64);
  expect(new Set(background.map(lettersOf)).size).toBe(64);
  for (const prompt of background) expect(prompt).toMatch(/^\S+(?: \S+)*$/);
});
