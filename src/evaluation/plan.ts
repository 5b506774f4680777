import type { Dataset, DatasetExample, DatasetVariant } from "../datasets/index.ts";
import { createRandom } from "../statistics/index.ts";
import type { PlannedPrompt, WordingSource } from "../storage/index.ts";
import { nullEdits, paperWordings } from "../variants/index.ts";

export interface PlanChoices {
  readonly examples: number;
  /** At most this many variants an example, spread over its families; null means all. */
  readonly variantsPerExample: number | null;
  /** Left out: the set's own. */
  readonly wordings?: WordingSource;
  /** Of the wordings made by rule. */
  readonly seed: number;
  readonly nullEditsPerExample: number;
}

/**
 * The prompts of a run: for each of the dataset's first `examples` examples its original, its variants and
 * its null edits, in this order.
 *
 * @throws {RangeError} if fewer than one example is asked for
 */
export function planPrompts(dataset: Dataset, choices: PlanChoices): PlannedPrompt[] {
  if (choices.examples < 1) throw new RangeError("A run needs at least one example.");
  const asked = { ...dataset, examples: dataset.examples.slice(0, choices.examples) };
  return withWordings(asked, choices).examples.flatMap((example) => planExample(example, choices));
}

/**
 * The set with the variants that a run takes: its own, the paper's families by rule (their ids begin with `paper:`),
 * or its own and then those. A wording by rule that the set has already is left out.
 */
export function withWordings(
  dataset: Dataset,
  { wordings = "own", seed }: Pick<PlanChoices, "wordings" | "seed">,
): Dataset {
  if (wordings === "own") return dataset;
  const labels = dataset.labels ?? [];
  const examples = dataset.examples.map((example, place): DatasetExample => {
    const own = wordings === "both" ? example.variants : [];
    const texts = new Set([example.prompt, ...own.map(({ prompt }) => prompt)].map((text) => text.trim()));
    const byRule = paperWordings(example.prompt, place, { seed, labels })
      .filter(({ text }) => !texts.has(text.trim()) && texts.add(text.trim()))
      .map(({ id, family, strength, label, text }): DatasetVariant => ({
        id: `paper:${id}`,
        family,
        label: label.charAt(0).toUpperCase() + label.slice(1),
        prompt: text,
        ...(strength === null ? {} : { strength }),
      }));
    return { ...example, variants: [...own, ...byRule] };
  });
  return { ...dataset, examples };
}

function planExample(example: DatasetExample, choices: PlanChoices): PlannedPrompt[] {
  const exampleId = example.id;
  const original: PlannedPrompt = {
    exampleId,
    promptId: "original",
    role: "original",
    family: "original",
    label: "Original",
    text: example.prompt,
  };
  const variants = spreadOverFamilies(example.variants, choices.variantsPerExample).map(
    (variant): PlannedPrompt => ({
      exampleId,
      promptId: variant.id,
      role: "variant",
      family: variant.family,
      label: variant.label,
      text: variant.prompt,
      ...(variant.strength === undefined ? {} : { strength: variant.strength }),
    }),
  );
  const edits = nullEdits(example.prompt, choices.nullEditsPerExample).map((edit): PlannedPrompt => ({
    exampleId,
    promptId: edit.id,
    role: "null-edit",
    family: "null-edit",
    label: edit.label,
    text: edit.text,
  }));
  return [original, ...variants, ...edits];
}

/** The first `limit` variants when families take turns: so a small run still covers every family. */
export function spreadOverFamilies(
  variants: readonly DatasetVariant[],
  limit: number | null,
): DatasetVariant[] {
  if (limit === null || limit >= variants.length) return [...variants];
  const families = new Map<string, DatasetVariant[]>();
  for (const variant of variants) {
    const family = families.get(variant.family);
    if (family) family.push(variant);
    else families.set(variant.family, [variant]);
  }
  const chosen: DatasetVariant[] = [];
  for (let round = 0; chosen.length < limit; round++) {
    for (const family of families.values()) {
      const variant = family[round];
      if (variant && chosen.length < limit) chosen.push(variant);
    }
  }
  return chosen;
}

export interface UnrelatedPair {
  /** Whose response y₀ is scored. */
  readonly exampleId: string;
  /** Under whose prompt. */
  readonly promptExampleId: string;
  readonly promptId: string;
}

/**
 * Pairs for the ceiling C of the confidence axis: the response of one example under the prompt of another.
 *
 * Ordered pairs of originals first, in seeded random order; where those are fewer than `count` (small
 * runs), pairs of further wordings of the same family follow. May return fewer than `count`.
 */
export function planUnrelatedPairs(
  prompts: readonly PlannedPrompt[],
  count: number,
  seed: number,
): UnrelatedPair[] {
  const byExample = new Map<string, PlannedPrompt[]>();
  for (const prompt of prompts) {
    if (prompt.role === "null-edit") continue;
    const list = byExample.get(prompt.exampleId);
    if (list) list.push(prompt);
    else byExample.set(prompt.exampleId, [prompt]);
  }
  const random = createRandom(`${seed}/unrelated-pairs`);
  const pairs: UnrelatedPair[] = [];
  const rounds = Math.max(0, ...[...byExample.values()].map((list) => list.length));
  for (let round = 0; round < rounds && pairs.length < count; round++) {
    const ofRound: UnrelatedPair[] = [];
    for (const [exampleId, own] of byExample) {
      for (const [promptExampleId, others] of byExample) {
        const other = others[round];
        if (exampleId === promptExampleId || !other) continue;
        if (!own.some((prompt) => prompt.family === other.family)) continue;
        ofRound.push({ exampleId, promptExampleId, promptId: other.promptId });
      }
    }
    random.shuffle(ofRound);
    pairs.push(...ofRound.slice(0, count - pairs.length));
  }
  return pairs;
}

/** Prompts generated a second time, spread evenly over the run: at least one, about `share` of all. */
export function planReruns(prompts: readonly PlannedPrompt[], share: number): PlannedPrompt[] {
  const eligible = prompts.filter((prompt) => prompt.role !== "null-edit");
  if (share <= 0 || eligible.length === 0) return [];
  const count = Math.max(1, Math.ceil(eligible.length * share));
  const step = eligible.length / count;
  return Array.from({ length: count }, (_, index) => eligible[Math.floor((index + 0.5) * step)]).filter(
    (prompt): prompt is PlannedPrompt => prompt !== undefined,
  );
}
