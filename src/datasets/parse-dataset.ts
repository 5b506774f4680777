import * as v from "valibot";
import { comparableText } from "./gold";
import { datasetShape, type Dataset, type DatasetExample } from "./schema";

/** One thing wrong with a dataset: where it is, in words, and what is wrong and what to do. */
export interface DatasetProblem {
  where: string;
  message: string;
}

export type ParsedDataset = { ok: true; dataset: Dataset } | { ok: false; problems: DatasetProblem[] };

/**
 * Reads a dataset from data of unknown origin.
 *
 * First the shape of every field; where that holds, what the fields promise each other: unique ids, no two
 * equal prompts within an example (spaces at the ends aside), gold where the kind needs it, labels. All
 * problems of the failing stage are listed, not only the first. Fields that the schema does not know are
 * dropped.
 *
 * @param input - parsed JSON
 * @example parseDataset(JSON.parse(text))
 */
export function parseDataset(input: unknown): ParsedDataset {
  const shape = v.safeParse(datasetShape, input);
  if (!shape.success) {
    return { ok: false, problems: shape.issues.map((issue) => shapeProblem(issue, input)) };
  }
  const dataset = shape.output;
  const problems = [
    ...labelProblems(dataset),
    ...repeatedIds(dataset.examples, (example) => `example "${example.id}"`),
    ...dataset.examples.flatMap((example) => exampleProblems(example, dataset)),
  ];
  return problems.length === 0 ? { ok: true, dataset } : { ok: false, problems };
}

function shapeProblem(issue: v.BaseIssue<unknown>, input: unknown): DatasetProblem {
  const keys = (issue.path ?? []).map((item) => item.key);
  const field = keys.at(-1);
  // A missing field fails with the message of its whole object, so it gets a message of its own.
  const missing = issue.received === "undefined" && typeof field === "string";
  return {
    where: placeInWords(keys, input),
    message: missing ? `The field "${field}" is missing. Add it.` : issue.message,
  };
}

function placeInWords(keys: unknown[], input: unknown): string {
  const [list, exampleIndex, field, variantIndex] = keys;
  if (list !== "examples" || typeof exampleIndex !== "number") return "dataset";
  const example = entryAt(property(input, "examples"), exampleIndex);
  const exampleName = `example ${nameOf(example, exampleIndex)}`;
  if (field !== "variants" || typeof variantIndex !== "number") return exampleName;
  return `${exampleName}, variant ${nameOf(entryAt(property(example, "variants"), variantIndex), variantIndex)}`;
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function entryAt(value: unknown, index: number): unknown {
  return Array.isArray(value) ? value[index] : undefined;
}

/** The id in quotes, or the place in the list counted from 1 where there is no usable id. */
function nameOf(entry: unknown, index: number): string {
  const id = property(entry, "id");
  return typeof id === "string" && id.trim() !== "" ? `"${id}"` : `number ${index + 1}`;
}

function labelProblems({ kind, labels }: Dataset): DatasetProblem[] {
  const where = "dataset";
  if (kind !== "classification") {
    return labels === undefined
      ? []
      : [
          {
            where,
            message: `labels belong to a classification, but kind is "${kind}". Remove one or change the other.`,
          },
        ];
  }
  if (labels === undefined || labels.length < 2) {
    return [{ where, message: "A classification needs at least two labels. List them in labels." }];
  }
  const problems: DatasetProblem[] = [];
  const seen = new Map<string, string>();
  for (const label of labels) {
    const text = comparableText(label);
    const twin = seen.get(text);
    if (text === "") {
      problems.push({
        where,
        message: `The label "${label}" has no letter or digit to look for in an answer.`,
      });
    } else if (twin !== undefined) {
      problems.push({
        where,
        message: `The labels "${twin}" and "${label}" count as the same answer. Keep one.`,
      });
    }
    seen.set(text, label);
  }
  return problems;
}

function repeatedIds<T extends { id: string }>(entries: T[], where: (entry: T) => string): DatasetProblem[] {
  const seen = new Set<string>();
  const problems: DatasetProblem[] = [];
  for (const entry of entries) {
    if (seen.has(entry.id)) {
      problems.push({
        where: where(entry),
        message: `The id "${entry.id}" is used more than once. Give each its own.`,
      });
    }
    seen.add(entry.id);
  }
  return problems;
}

function exampleProblems(example: DatasetExample, dataset: Dataset): DatasetProblem[] {
  const where = `example "${example.id}"`;
  return [
    ...repeatedIds(example.variants, (variant) => `${where}, variant "${variant.id}"`),
    ...reservedIds(example, where),
    ...repeatedPrompts(example, where),
    ...goldProblems(example, dataset, where),
  ];
}

/** A run calls the original `original` and its null edits `null:…`: no variant may have such an id. */
function reservedIds(example: DatasetExample, where: string): DatasetProblem[] {
  return example.variants
    .filter(({ id }) => id === "original" || id.startsWith("null:"))
    .map(({ id }) => ({
      where: `${where}, variant "${id}"`,
      message: `The id "${id}" is reserved for the page itself. Give the variant another id.`,
    }));
}

function repeatedPrompts(example: DatasetExample, where: string): DatasetProblem[] {
  const seen = new Map([[example.prompt.trim(), "the original"]]);
  const problems: DatasetProblem[] = [];
  for (const { id, prompt } of example.variants) {
    const twin = seen.get(prompt.trim());
    if (twin !== undefined) {
      problems.push({
        where: `${where}, variant "${id}"`,
        message: `The prompt is the same as that of ${twin}. Reword it or remove the variant.`,
      });
    } else {
      seen.set(prompt.trim(), `variant "${id}"`);
    }
  }
  return problems;
}

function goldProblems({ gold }: DatasetExample, { kind, labels }: Dataset, where: string): DatasetProblem[] {
  if (gold === undefined || gold.length === 0) {
    return kind === "free-text" && gold === undefined
      ? []
      : [
          {
            where,
            message:
              'There is no gold answer. Add at least one to gold, or use the kind "free-text" without gold.',
          },
        ];
  }
  const known = new Set(labels?.map(comparableText));
  return gold.flatMap((answer) => {
    const text = comparableText(answer);
    if (text === "") {
      return [
        { where, message: `The gold answer "${answer}" has no letter or digit to look for. Spell it out.` },
      ];
    }
    return kind === "classification" && !known.has(text)
      ? [
          {
            where,
            message: `The gold answer "${answer}" is not one of the labels. Add it to labels or correct it.`,
          },
        ]
      : [];
  });
}
