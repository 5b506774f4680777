import { tokenMatching } from "../metrics/index.ts";
import type { EmbeddedText } from "../inference/index.ts";
import type { EmbeddingRecord, PlannedPrompt } from "../storage/index.ts";

export type TokenMatches = NonNullable<EmbeddingRecord["tokenMatches"]>;

/** Originals of so many questions before it are matched with each original: 64 questions give 246 unrelated pairs. */
const UNRELATED_BEFORE = 4;

export const promptName = ({ exampleId, promptId }: Pick<PlannedPrompt, "exampleId" | "promptId">): string =>
  `${exampleId}\u0000${promptId}`;

/**
 * With which answers each wording's answer is matched: with those of the wordings before it in the plan, so that every
 * pair of a question comes once, and originals also with the originals of up to four questions before theirs, which
 * are the unrelated pairs. A function of the plan alone; null edits have none.
 */
export function planTokenMatches(prompts: readonly PlannedPrompt[]): Map<string, readonly PlannedPrompt[]> {
  const partners = new Map<string, readonly PlannedPrompt[]>();
  const wordings = new Map<string, PlannedPrompt[]>();
  const originals: PlannedPrompt[] = [];
  for (const prompt of prompts) {
    if (prompt.role === "null-edit") continue;
    const before = wordings.get(prompt.exampleId) ?? [];
    const unrelated = prompt.role === "original" ? originals.slice(-UNRELATED_BEFORE) : [];
    partners.set(promptName(prompt), [...before, ...unrelated]);
    wordings.set(prompt.exampleId, [...before, prompt]);
    if (prompt.role === "original") originals.push(prompt);
  }
  return partners;
}

/**
 * Token matching of one answer with others, small enough to be kept where token vectors are not. Pairs with an answer
 * that has no tokens are left out.
 *
 * @param partners - each with its answer's text and tokens
 */
export function tokenMatches(
  own: { readonly text: string; readonly embedded: EmbeddedText | null },
  partners: readonly {
    readonly prompt: PlannedPrompt;
    readonly text: string;
    readonly embedded: EmbeddedText | null;
  }[],
): TokenMatches {
  const found = partners.flatMap(({ prompt: { exampleId, promptId }, text, embedded }) => {
    if (own.embedded === null || embedded === null) return [];
    // Rounding would keep the tokens of equal texts a little below 1.
    const match =
      text === own.text ? { precision: 1, recall: 1 } : tokenMatching(own.embedded.tokens, embedded.tokens);
    return match === null ? [] : [{ other: { exampleId, promptId }, ...match }];
  });
  return {
    others: found.map(({ other }) => other),
    precision: Float32Array.from(found, ({ precision }) => precision),
    recall: Float32Array.from(found, ({ recall }) => recall),
  };
}
