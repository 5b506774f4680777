import { countNgrams, sharedCount, totalCount } from "./ngrams.ts";

const ORDER = 6;
/** Recall weighs β² = 4 times as much as precision. */
const BETA_SQUARED = 4;

/**
 * chrF2: F-score of character sequences of length 1 to 6, white space removed, precision and recall averaged over
 * the lengths that both texts have.
 *
 * Range [0, 100]; not symmetric. 0 where a text is empty.
 * @see Popović 2015; sacreBLEU's defaults, whose values it reproduces
 * @example chrf2("the cat sat on the mat", "the cat is on the mat") // 64.577942…
 */
export function chrf2(hypothesis: string, reference: string): number {
  const guess = [...hypothesis.replace(/\s+/gu, "")];
  const truth = [...reference.replace(/\s+/gu, "")];
  let precision = 0;
  let recall = 0;
  let orders = 0;
  for (let order = 1; order <= Math.min(ORDER, guess.length, truth.length); order += 1) {
    const guessed = countNgrams(guess, order);
    const expected = countNgrams(truth, order);
    const shared = sharedCount(guessed, expected);
    precision += shared / totalCount(guessed);
    recall += shared / totalCount(expected);
    orders += 1;
  }
  if (precision + recall === 0) return 0;
  precision /= orders;
  recall /= orders;
  return (100 * (1 + BETA_SQUARED) * precision * recall) / (BETA_SQUARED * precision + recall);
}

/**
 * Distance 1 − mean of chrF2 in both directions / 100.
 *
 * Range [0, 1]; symmetric. Two empty texts are equal (0), an empty and a filled one are 1 apart.
 */
export function chrfDistance(a: string, b: string): number {
  if (a.trim() === "" && b.trim() === "") return 0;
  return 1 - (chrf2(a, b) + chrf2(b, a)) / 200;
}
