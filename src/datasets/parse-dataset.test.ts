import { describe, expect, it } from "vitest";
import { parseDataset } from "./parse-dataset";

const variant = (id: string, prompt: string) => ({
  id,
  family: "paraphrase",
  label: "in other words",
  prompt,
});

const example = (changes: object = {}) => ({
  id: "tea-1",
  prompt: "How hot is tea?",
  gold: ["very hot"],
  variants: [variant("p1", "What is the heat of tea?"), variant("p2", "Say how hot tea is.")],
  ...changes,
});

const dataset = (changes: object = {}) => ({
  schema: "sago-dataset/1",
  id: "tea",
  name: "Tea",
  description: "",
  kind: "short-answer",
  license: "CC0-1.0",
  language: "en",
  examples: [example()],
  ...changes,
});

function problemsOf(input: unknown) {
  const parsed = parseDataset(input);
  return parsed.ok ? [] : parsed.problems;
}

describe("parseDataset", () => {
  it("returns a valid dataset as it is", () => {
    expect(parseDataset(dataset())).toEqual({ ok: true, dataset: dataset() });
  });

  it("accepts labels and a system prompt, and drops fields that the schema does not know", () => {
    const valid = dataset({
      kind: "classification",
      labels: ["hot", "cold"],
      system: "You like tea.",
      examples: [example({ gold: ["Hot"] })],
    });
    expect(parseDataset({ ...valid, colour: "brown" })).toEqual({ ok: true, dataset: valid });
  });

  it("accepts free text without gold, and examples that have no variants yet", () => {
    const bare = { id: "tea-1", prompt: "Write a line about tea.", variants: [] };
    expect(parseDataset(dataset({ kind: "free-text", examples: [bare] })).ok).toBe(true);
  });

  it.each([null, 3, "text", [], undefined])("refuses %j with a problem of the dataset", (input) => {
    expect(problemsOf(input)[0]?.where).toBe("dataset");
  });

  it("says which field of which variant is missing", () => {
    const unlabelled = { id: "p1", family: "style", prompt: "Hot?" };
    expect(problemsOf(dataset({ examples: [example({ variants: [unlabelled] })] }))).toEqual([
      { where: 'example "tea-1", variant "p1"', message: 'The field "label" is missing. Add it.' },
    ]);
  });

  it("counts from 1 where there is no id", () => {
    const nameless = { ...example(), id: "" };
    expect(problemsOf(dataset({ examples: [example(), nameless] }))[0]).toEqual({
      where: "example number 2",
      message: "The example's id is empty. Fill it in.",
    });
  });

  it("lists all problems of shape, not only the first", () => {
    const wheres = problemsOf(dataset({ kind: "poem", examples: [example({ prompt: 7 }), 5] })).map(
      (p) => p.where,
    );
    expect(wheres).toEqual(["dataset", 'example "tea-1"', "example number 2"]);
  });

  it.each<[string, object, string, RegExp]>([
    ["another schema", { schema: "sago-dataset/2" }, "dataset", /must be "sago-dataset\/1"/],
    ["no examples", { examples: [] }, "dataset", /no examples/],
    ["an id with a space at its end", { id: "tea " }, "dataset", /begins or ends with a space/],
    [
      "repeated example ids",
      { examples: [example(), example()] },
      'example "tea-1"',
      /"tea-1" is used more than once/,
    ],
    [
      "repeated variant ids",
      { examples: [example({ variants: [variant("p1", "Hot?"), variant("p1", "Is it hot?")] })] },
      'example "tea-1", variant "p1"',
      /used more than once/,
    ],
    [
      "a variant called original",
      { examples: [example({ variants: [variant("original", "Hot?")] })] },
      'example "tea-1", variant "original"',
      /reserved/,
    ],
    [
      "a variant called like a null edit",
      { examples: [example({ variants: [variant("null:space", "Hot?")] })] },
      'example "tea-1", variant "null:space"',
      /reserved/,
    ],
    [
      "a variant equal to the original but for spaces at its ends",
      { examples: [example({ variants: [variant("p1", " How hot is tea?\n")] })] },
      'example "tea-1", variant "p1"',
      /same as that of the original/,
    ],
    [
      "two equal variants",
      { examples: [example({ variants: [variant("p1", "Hot?"), variant("p2", "Hot? ")] })] },
      'example "tea-1", variant "p2"',
      /same as that of variant "p1"/,
    ],
    ["a prompt of spaces", { examples: [example({ prompt: "  " })] }, 'example "tea-1"', /prompt is empty/],
    ["no gold", { examples: [example({ gold: [] })] }, 'example "tea-1"', /no gold answer/],
    ["gold of marks only", { examples: [example({ gold: ["?"] })] }, 'example "tea-1"', /no letter or digit/],
    ["labels without classification", { labels: ["hot", "cold"] }, "dataset", /kind is "short-answer"/],
    ["a classification without labels", { kind: "classification" }, "dataset", /at least two labels/],
    [
      "labels that count as the same",
      { kind: "classification", labels: ["very hot", "Very hot!"] },
      "dataset",
      /count as the same answer/,
    ],
    [
      "gold that is not a label",
      { kind: "classification", labels: ["hot", "cold"] },
      'example "tea-1"',
      /"very hot" is not one of the labels/,
    ],
  ])("refuses %s", (_what, changes, where, message) => {
    const found = problemsOf(dataset(changes)).filter((problem) => message.test(problem.message));
    expect(found.map((problem) => problem.where)).toEqual([where]);
  });
});
