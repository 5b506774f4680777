import type { SeededChoice } from "../seeded-order.ts";

/** How strongly a family can change a text. Every member of the scale but `neutral` is a change. */
export interface StrengthScale {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The strength at which the text would stay as it is; it makes no variant. */
  readonly neutral: number;
  /** What one unit means, completing "strength in …". */
  readonly unit: string;
  /** A few strengths to begin with. */
  readonly suggested: readonly number[];
}

export interface MakeContext {
  /** A stream of its own for each name; it knows the seed, the family and the text. */
  readonly choice: (name: string) => SeededChoice;
  /** The allowed answers of a classification: words that carry the meaning. */
  readonly labels: readonly string[];
}

/** What a family makes of a text: another text, or the reason why it cannot. `form` tells forms apart in ids. */
export type Draft =
  | { readonly form: string; readonly label: string; readonly text: string }
  | { readonly form: string; readonly label: string; readonly reason: string };

/** Ways to change one aspect of a text and nothing else. */
export interface Family<Id extends string = string> {
  readonly id: Id;
  readonly name: string;
  /** One sentence for the reader. */
  readonly what: string;
  /** null: the family has forms, not degrees. */
  readonly scale: StrengthScale | null;
  /** @param strength - one of the scale; null for a family without one */
  make(text: string, strength: number | null, context: MakeContext): readonly Draft[];
}

export const NOT_ENGLISH = "The text does not look English, and these rules know English only.";
