import { measured, notEstimable, type Measured } from "./measured.ts";
import { extraSpaces } from "./style-features.ts";

/**
 * The definitions of SAGO (Omar et al. 2026, arXiv:2610.01428) as far as its authors' public code shows them, for
 * comparison with their numbers. They are not comparable across axes: the ranges R differ in meaning.
 */
export const PAPER_RANGES = {
  /** Cosine of the last prompt token. */
  activation: 2,
  bleu: 100,
  bertScore: 1,
  /** Summed log-probability of the baseline response, nats. */
  logProb: 250,
  /** Mean token entropy, nats. */
  entropy: 10,
  mirroring: 1,
} as const;

/**
 * s of one prompt: root mean square over variants of (X − X_baseline) / R.
 *
 * ≥ 0; lower is more stable. The mean of s over prompts is the SGS of an axis.
 * @param differences - X − X_baseline of every variant, the baseline left out
 * @returns null without variants
 * @example paperSensitivity([-20, -60, -100, 0], PAPER_RANGES.bleu) // 0.591608…
 */
export function paperSensitivity(differences: readonly number[], range: number): Measured {
  if (differences.length === 0) return notEstimable("there are no variants");
  const sum = differences.reduce((total, difference) => total + (difference / range) ** 2, 0);
  return measured(Math.sqrt(sum / differences.length));
}

/** Mean of s over prompts; null without prompts. */
export function paperScore(sensitivities: readonly number[]): Measured {
  return sensitivities.length === 0
    ? notEstimable("there are no prompts")
    : measured(sensitivities.reduce((sum, s) => sum + s, 0) / sensitivities.length);
}

/** Extra spaces per 100 characters. */
export function extraSpaceRate(text: string): number {
  return per100(extraSpaces(text), text);
}

/** Marks that repeat the mark before them, per 100 characters. */
export function repeatedMarkRate(text: string): number {
  return per100(
    (text.match(/([!?.,;:…~*_-])\1+/gu) ?? []).reduce((sum, run) => sum + run.length - 1, 0),
    text,
  );
}

/**
 * Percentage of letters that stand in capitals where ordinary writing has none: the capitals of words with a
 * capital beyond their first letter.
 * @example abnormalCasePercentage("the CAPITAL of FRANCE is Paris") // 52
 */
export function abnormalCasePercentage(text: string): number {
  let letters = 0;
  let abnormal = 0;
  for (const word of text.match(/[\p{L}\p{M}]+/gu) ?? []) {
    const ofWord = word.match(/\p{L}/gu) ?? [];
    letters += ofWord.length;
    const capitals = ofWord.filter((letter) => /\p{Lu}/u.test(letter)).length;
    if (ofWord.slice(1).some((letter) => /\p{Lu}/u.test(letter))) abnormal += capitals;
  }
  return letters === 0 ? 0 : (100 * abnormal) / letters;
}

/** The kinds of mirroring that a rule can see, each with the strength of the prompt's change. */
export type PaperPerturbation =
  | { readonly kind: "spacing" | "punctuation" | "case"; readonly strength: number }
  | { readonly kind: "length"; readonly multiplier: number };

/** Rise over the baseline's response and level in the variant's, by strength: up to the first limit, the second, above. */
const RULES = {
  spacing: { limits: [20, 50], rise: [3, 5, 10], level: [5, 8, 12], rate: extraSpaceRate },
  punctuation: { limits: [5, 10], rise: [2, 4, 6], level: [3, 5, 8], rate: repeatedMarkRate },
  case: { limits: [25, 50], rise: [5, 5, 5], level: [8, 15, 25], rate: abnormalCasePercentage },
} as const;

/** Lengths within this share of the multiplier count as mirrored. */
const LENGTH_TOLERANCE = 0.25;

/**
 * Does the variant's response take over the change of its prompt? The binary detector of Paper mode.
 *
 * @param response - the answer to the variant
 * @param baseline - the answer to the original
 * @returns null where the baseline's response is empty and lengths are compared
 */
export function mirrorsPerturbation(
  response: string,
  baseline: string,
  perturbation: PaperPerturbation,
): boolean | null {
  if (perturbation.kind === "length") {
    const words = (text: string) => text.match(/\S+/gu)?.length ?? 0;
    if (words(baseline) === 0) return null;
    const ratio = words(response) / words(baseline);
    return Math.abs(ratio - perturbation.multiplier) <= LENGTH_TOLERANCE * perturbation.multiplier;
  }
  const { limits, rise, level, rate } = RULES[perturbation.kind];
  const step = perturbation.strength <= limits[0] ? 0 : perturbation.strength <= limits[1] ? 1 : 2;
  const reached = rate(response);
  return reached - rate(baseline) >= rise[step] && reached >= level[step];
}

function per100(count: number, text: string): number {
  const length = [...text].length;
  return length === 0 ? 0 : (100 * count) / length;
}
