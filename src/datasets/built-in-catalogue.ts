import { parseDataset } from "./parse-dataset";
import type { Dataset, DatasetKind } from "./schema";

/** What the page shows of a built-in set before its text is loaded. */
export interface BuiltInDataset {
  id: string;
  name: string;
  description: string;
  kind: DatasetKind;
  language: string;
  license: string;
  /** number of examples */
  examples: number;
  /** number of variants of each example, the original not counted */
  variants: number;
}

const shared = { language: "en", license: "Apache-2.0", examples: 64, variants: 7 };

const catalogue: readonly BuiltInDataset[] = [
  {
    id: "short-facts",
    name: "Short facts",
    description: "Questions of general knowledge with a short answer, compared with accepted answers.",
    kind: "short-answer",
    ...shared,
  },
  {
    id: "instructions",
    name: "Instructions",
    description: "Explain, list, advise, summarise, write: answers in free text, with no single right one.",
    kind: "free-text",
    ...shared,
  },
  {
    id: "judgements",
    name: "Judgements",
    description: "Is a review positive or negative, is a claim true or false: half of the set each.",
    kind: "classification",
    ...shared,
  },
];

/** Imported when asked for, so that no text of a set is in the main chunk. */
const files: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
  "short-facts": () => import("./built-in/short-facts.json"),
  instructions: () => import("./built-in/instructions.json"),
  judgements: () => import("./built-in/judgements.json"),
};

/** The built-in sets, in the order in which to offer them. */
export function builtInDatasets(): BuiltInDataset[] {
  return catalogue.map((entry) => ({ ...entry }));
}

/**
 * Loads a built-in set with its text.
 *
 * @throws {RangeError} (rejects) if there is no built-in set of that id
 * @throws {Error} (rejects) if the file could not be fetched or is not a valid dataset
 */
export async function loadBuiltInDataset(id: string): Promise<Dataset> {
  const load = Object.hasOwn(files, id) ? files[id] : undefined;
  if (load === undefined) {
    const known = catalogue.map((entry) => entry.id).join(", ");
    throw new RangeError(`There is no built-in dataset "${id}". Choose one of: ${known}.`);
  }
  const parsed = parseDataset((await load()).default);
  if (parsed.ok) return parsed.dataset;
  const problems = parsed.problems.map(({ where, message }) => `${where}: ${message}`).join("\n");
  throw new Error(`The built-in dataset "${id}" is damaged. Reload the page.\n${problems}`);
}

/** 64 prompts that share no text with the built-in sets; their mean activations centre those of a run. */
export async function loadBackgroundPrompts(): Promise<string[]> {
  return (await import("./built-in/background.json")).default.slice();
}
