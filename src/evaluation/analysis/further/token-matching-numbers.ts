import { rescaled } from "../../../metrics/index.ts";
import type { ExampleRecords, PromptRecords, RunIndex } from "../run-index.ts";
import { meanOverPairs, type Draft } from "./example-means.ts";

export const TOKENS_NOT_STORED = "token matching is not stored in this run";

/**
 * F1 of the token matching of two first answers, −1 … 1, not rescaled. Two empty answers match (1), an empty one and a
 * written one do not (0, as in BERTScore's own program).
 *
 * @param a - the one that comes first in the plan
 * @returns null where the run did not store it
 */
export function tokenF1(a: PromptRecords, b: PromptRecords): number | null {
  if (b.tokenMatches === null) return null;
  const [emptyA, emptyB] = [a, b].map(({ embeddings }) => (embeddings[0] ?? null) === null);
  if (emptyA || emptyB) return emptyA && emptyB ? 1 : 0;
  const at = b.tokenMatches.others.findIndex(
    ({ exampleId, promptId }) => exampleId === a.prompt.exampleId && promptId === a.prompt.promptId,
  );
  return at < 0 ? null : harmonic(b.tokenMatches.precision[at], b.tokenMatches.recall[at]);
}

/** Mean F1 between answers to unrelated questions of the run, b; null without such pairs. */
export function unrelatedTokenF1(examples: readonly ExampleRecords[]): number | null {
  const ids = new Set(examples.map(({ id }) => id));
  const values = examples.flatMap(({ id, original: { tokenMatches } }) =>
    (tokenMatches?.others ?? []).flatMap(({ exampleId }, at) =>
      exampleId === id || !ids.has(exampleId)
        ? []
        : (harmonic(tokenMatches?.precision[at], tokenMatches?.recall[at]) ?? []),
    ),
  );
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** 1 − (F − b) / (1 − b), mean over the pairs of a question's wordings; 0 for equal answers, about 1 for unrelated ones. */
export function tokenMatchingDraft({ examples, spec }: RunIndex): Draft {
  const isStored = examples.some(({ original }) => original.tokenMatches !== null);
  const unrelated = unrelatedTokenF1(examples);
  const draft = {
    id: "token-matching",
    name: `Token matching distance (as BERTScore, with ${spec.encoder.id})`,
    meaning:
      "How little the tokens of two answers find each other: 0 equal, about 1 as between unrelated answers.",
  };
  if (!isStored || unrelated === null) {
    const missing = isStored
      ? "there are no answers to unrelated questions to measure from"
      : TOKENS_NOT_STORED;
    return { ...draft, missing };
  }
  const distance = (a: PromptRecords, b: PromptRecords): number | null => {
    const empty = [a, b].filter(({ embeddings }) => (embeddings[0] ?? null) === null).length;
    // As for the primary distance: two empty answers are 0 apart, an empty and a written one 1.
    if (empty > 0) return b.tokenMatches === null ? null : empty === 2 ? 0 : 1;
    const f1 = tokenF1(a, b);
    const value = f1 === null ? null : rescaled(f1, unrelated).value;
    return value === null ? null : 1 - value;
  };
  return {
    ...draft,
    values: examples.map(({ wordings }) => meanOverPairs(wordings, distance)),
    missing:
      unrelated < 1 - 1e-9 ? "there is only one wording" : "unrelated answers match as well as equal ones",
  };
}

function harmonic(precision: number | undefined, recall: number | undefined): number | null {
  if (precision === undefined || recall === undefined) return null;
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}
