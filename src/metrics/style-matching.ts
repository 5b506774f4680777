import {
  ADVERBS,
  ARTICLES,
  AUXILIARIES,
  CONJUNCTIONS,
  IMPERSONAL_PRONOUNS,
  NEGATIONS,
  PERSONAL_PRONOUNS,
  PREPOSITIONS,
  QUANTIFIERS,
} from "./style-lexicons.ts";
import { measured, notEstimable, type Measured } from "./measured.ts";
import { countNgrams, sharedCount, totalCount } from "./ngrams.ts";
import { styleWords } from "./style-features.ts";

const CATEGORIES: readonly ReadonlySet<string>[] = [
  PERSONAL_PRONOUNS,
  IMPERSONAL_PRONOUNS,
  ARTICLES,
  AUXILIARIES,
  ADVERBS,
  PREPOSITIONS,
  CONJUNCTIONS,
  NEGATIONS,
  QUANTIFIERS,
];

/** Percentage of a text's words in each of the nine categories of function words. */
export function functionWordPercentages(text: string): number[] {
  const words = styleWords(text);
  return CATEGORIES.map((category) =>
    words.length === 0 ? 0 : (100 * words.filter((word) => category.has(word)).length) / words.length,
  );
}

/**
 * Language style matching: mean over categories of 1 − |p − q| / (p + q + .0001).
 *
 * Range [0, 1]. Categories that neither text uses are left out. Noisy below about 50 words.
 * @param p - percentages of one text by category
 * @param q - of the other
 * @returns null where no category is used
 * @see Gonzales, Hancock & Pennebaker 2010
 * @example languageStyleMatching([8, 5, 2], [6, 5, 0]) // 0.619065…
 */
export function languageStyleMatching(p: readonly number[], q: readonly number[]): Measured {
  if (p.length !== q.length) throw new RangeError(`${p.length} and ${q.length} categories.`);
  const used = p.flatMap((share, at) => {
    const other = q[at] ?? 0;
    return share === 0 && other === 0 ? [] : [1 - Math.abs(share - other) / (share + other + 1e-4)];
  });
  return used.length === 0
    ? notEstimable("neither text has function words")
    : measured(used.reduce((sum, value) => sum + value, 0) / used.length);
}

/**
 * Share of a response's word sequences of a given length that stand in the prompt, each as often as it does there.
 *
 * Range [0, 1]. Compare with the same against another wording's prompt: what they share (the topic) cancels.
 * @returns null where the response is shorter than the sequence
 */
export function copyRate(response: string, prompt: string, order: 1 | 2 | 3): Measured {
  const copied = countNgrams(styleWords(response), order);
  const total = totalCount(copied);
  return total === 0
    ? notEstimable(`the response has fewer than ${order} words`)
    : measured(sharedCount(copied, countNgrams(styleWords(prompt), order)) / total);
}
