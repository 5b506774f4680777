import { measured, notEstimable, type Measured } from "./measured.ts";
import { styleSimilarity } from "./style-features.ts";

/** Style similarity of every response (row) to every prompt (column), k × k, row-major. */
export interface PairingMatrix {
  readonly size: number;
  readonly similarity: Float64Array;
}

/**
 * @param responses - for each wording, the style vectors of its responses (one when greedy, R when sampled);
 *   similarities are averaged over them
 * @param prompts - for each wording, the style vector of its prompt
 */
export function pairingMatrix(
  responses: readonly (readonly Float64Array[])[],
  prompts: readonly Float64Array[],
): PairingMatrix {
  const size = prompts.length;
  const similarity = new Float64Array(size * size);
  for (const [row, repeats] of responses.entries()) {
    for (const [column, prompt] of prompts.entries()) {
      let sum = 0;
      for (const response of repeats) sum += styleSimilarity(response, prompt);
      similarity[row * size + column] = sum / repeats.length;
    }
  }
  return { size, similarity };
}

/** Mean similarity of responses to their own prompts, to the other prompts, and the difference M. */
export interface MatchedStyle {
  readonly matched: number;
  readonly mismatched: number;
  /** M = matched − mismatched, [−1, 1]; its expectation over random pairings is 0. */
  readonly difference: number;
}

/**
 * How much more a response resembles the prompt that it answers than the other wordings of the same request.
 * The topic is the same for all wordings, so it cancels.
 *
 * @returns null for fewer than two wordings
 * @example
 * matchedMinusMismatched({ size: 3, similarity: Float64Array.of(.6, .2, .3, .1, .5, .2, .4, .3, .7) })
 * // difference 0.35
 */
export function matchedMinusMismatched({ size, similarity }: PairingMatrix): MatchedStyle | null {
  if (size < 2) return null;
  let diagonal = 0;
  let all = 0;
  for (let row = 0; row < size; row += 1) diagonal += similarity[row * size + row] ?? 0;
  for (const value of similarity) all += value;
  const matched = diagonal / size;
  const mismatched = (all - diagonal) / (size * (size - 1));
  return { matched, mismatched, difference: matched - mismatched };
}

/**
 * Mirroring on the scale of the composite: max(0, (|M| − E|M|) / (1 − E|M|)), where E|M| is the mean of |M| over
 * random pairings, which is above 0 even without any mirroring.
 *
 * Range [0, 1].
 */
export function mirroringInstability(difference: number, expectedByChance: number): number {
  return expectedByChance >= 1
    ? 0
    : Math.max(0, (Math.abs(difference) - expectedByChance) / (1 - expectedByChance));
}

/**
 * Leakage slope β = Cov(x, y) / Var(x) over wordings: the share of a prompt feature's change that shows up in
 * the answer. 0 none, 1 full mirroring; not bounded.
 *
 * @param prompts - x, the feature in each prompt
 * @param responses - y, the same feature in each answer
 * @returns null where the prompts do not differ (variance below 1e-9) or there are fewer than two
 * @throws {RangeError} if the lengths differ
 * @example leakageSlope([0, .25, .5, 1], [.02, .02, .1, .3]) // 0.297143…
 */
export function leakageSlope(prompts: readonly number[], responses: readonly number[]): Measured {
  const n = prompts.length;
  if (n !== responses.length) throw new RangeError(`${n} prompts, but ${responses.length} responses.`);
  if (n < 2) return notEstimable("there are fewer than two wordings");
  const meanX = prompts.reduce((sum, x) => sum + x, 0) / n;
  const meanY = responses.reduce((sum, y) => sum + y, 0) / n;
  let covariance = 0;
  let variance = 0;
  for (const [at, x] of prompts.entries()) {
    covariance += (x - meanX) * ((responses[at] ?? 0) - meanY);
    variance += (x - meanX) ** 2;
  }
  return variance / n < 1e-9
    ? notEstimable("the prompts do not differ in this feature")
    : measured(covariance / variance);
}
