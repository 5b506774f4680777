import { measured, notEstimable, type Measured } from "./measured.ts";

/** The class of all refusals; no normalised answer can equal it. */
export const REFUSAL = "\u0000refusal";

const REFUSALS =
  /^(?:(?:i am|im) (?:sorry|afraid|unable|not able)|sorry\b|(?:i )?(?:cannot|cant|can not|wont|will not) (?:help|assist|answer|provide|do|say|tell|determine|comply)|i (?:dont|do not) know|as an? (?:ai|language model)|unable to (?:answer|determine))/;
const ONES =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/**
 * The class of a short answer: NFKC, lower case, without articles, marks and thousands separators, English numbers
 * up to ninety-nine as digits; all refusals are one class.
 *
 * @example answerClass("The Twenty-one, please!") // "21 please"
 */
export function answerClass(text: string): string {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, "")
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, "")
    .replace(/\u2212(?=\d)/g, "-");
  const words = plain.match(/(?<![\p{L}\p{N}])-?\d+(?:\.\d+)?|[\p{L}\p{N}\p{M}]+/gu) ?? [];
  if (REFUSALS.test(words.join(" "))) return REFUSAL;
  const kept = words.filter((word) => !/^(?:a|an|the)$/.test(word));
  return withDigits(kept.length > 0 ? kept : words).join(" ");
}

function withDigits(words: readonly string[]): string[] {
  const result: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const tens = TENS.indexOf(word);
    const one = ONES.indexOf(words[at + 1] ?? "");
    if (tens >= 0 && one >= 1 && one <= 9) {
      result.push(String(10 * (tens + 2) + one));
      at += 1;
    } else if (tens >= 0) {
      result.push(String(10 * (tens + 2)));
    } else {
      const small = ONES.indexOf(word);
      result.push(small >= 0 ? String(small) : word);
    }
  }
  return result;
}

/**
 * Share of pairs of answers that are the same: 2/(k(k − 1)) Σ_{a<b} [y_a = y_b].
 *
 * Range [0, 1].
 * @param classes - the class of each answer, for example by {@link answerClass}
 * @returns null for fewer than two answers
 * @see Elazar et al. 2021, arXiv:2102.01017; the same rate is the consistency of SCORE (Nalbandyan et al. 2025)
 * @example pairwiseAgreement(["A", "A", "B", "A", "C"]) // 0.3
 */
export function pairwiseAgreement(classes: readonly string[]): Measured {
  const k = classes.length;
  if (k < 2) return notEstimable("there are fewer than two answers");
  let same = 0;
  for (const count of countClasses(classes).values()) same += (count * (count - 1)) / 2;
  return measured((2 * same) / (k * (k - 1)));
}

export function countClasses(classes: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of classes) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
