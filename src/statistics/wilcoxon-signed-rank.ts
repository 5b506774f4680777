import { pValueFromTails, type Alternative } from "./alternative.ts";
import { requireFinite } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { sumOf } from "./moments.ts";
import { normalCdf } from "./normal-distribution.ts";
import { midranks } from "./ranks.ts";

/** Up to this many differences the distribution of W⁺ is counted; above it is practically normal. */
const LARGEST_EXACT_N = 50;

export interface WilcoxonTest {
  /** W⁺: sum of the ranks of the positive differences. */
  readonly positiveRankSum: number;
  readonly pValue: number;
  readonly method: "exact" | "normal";
  /** Differences ranked and signed, zeros not among them. */
  readonly n: number;
  readonly zeros: number;
}

/**
 * Wilcoxon signed-rank test that differences are symmetric around 0.
 *
 * Ties get midranks. Up to 50 nonzero differences the p-value is exact given the ranks, ties included: the
 * number of sign patterns with each W⁺ is counted by dynamic programming over the ranks. Above, normal
 * approximation with the variance Σr²/4 of the ranks (which is the tie correction) and no continuity correction.
 *
 * Zeros: `"wilcox"` drops them before ranking (Wilcoxon 1945), `"pratt"` ranks them and then drops their ranks
 * (Pratt 1959). With many exact zeros (an axis that often doesn't change) `"pratt"` keeps the size of the
 * others' ranks honest. Two-sided: twice the smaller tail, at most 1.
 *
 * @returns reason `"empty"` for n = 0, `"no-nonzero-difference"` if all are zero
 * @throws {RangeError} if a difference is not finite
 * @example wilcoxonSignedRank([.12, .05, .3, -.02, .18, .09, .22, -.01]) // W⁺ 33, p .019531
 */
export function wilcoxonSignedRank(
  differences: ArrayLike<number>,
  options: { readonly alternative?: Alternative; readonly zeros?: "wilcox" | "pratt" } = {},
): Estimable<WilcoxonTest> {
  const { alternative = "greater", zeros = "wilcox" } = options;
  requireFinite(differences, "differences");
  if (differences.length === 0) return notEstimable("empty");
  const all = Array.from(differences);
  const nonzero = all.filter((difference) => difference !== 0);
  if (nonzero.length === 0) return notEstimable("no-nonzero-difference");
  const ranked = zeros === "wilcox" ? nonzero : all;
  const ranks = midranks(ranked.map(Math.abs)).filter((_, i) => ranked[i] !== 0);
  const positive = sumOf(ranks.filter((_, i) => (nonzero[i] ?? NaN) > 0));
  const exact = nonzero.length <= LARGEST_EXACT_N;
  const [upper, lower] = exact ? exactTails(ranks, positive) : normalTails(ranks, positive);
  return estimable({
    positiveRankSum: positive,
    pValue: pValueFromTails(upper, lower, alternative),
    method: exact ? "exact" : "normal",
    n: nonzero.length,
    zeros: all.length - nonzero.length,
  });
}

/** P(W⁺ ≥ w) and P(W⁺ ≤ w) over all sign patterns. Midranks are halves, so doubled ranks are whole. */
function exactTails(ranks: Float64Array, positive: number): [number, number] {
  const patterns = new Float64Array(2 * sumOf(ranks) + 1);
  patterns[0] = 1;
  let reach = 0;
  for (const rank of ranks) {
    const step = 2 * rank;
    reach += step;
    for (let sum = reach; sum >= step; sum--)
      patterns[sum] = (patterns[sum] ?? NaN) + (patterns[sum - step] ?? NaN);
  }
  const all = 2 ** ranks.length;
  return [sumOf(patterns.subarray(2 * positive)) / all, sumOf(patterns.subarray(0, 2 * positive + 1)) / all];
}

function normalTails(ranks: Float64Array, positive: number): [number, number] {
  const centre = sumOf(ranks) / 2;
  const spread = Math.sqrt(ranks.reduce((sum, rank) => sum + rank * rank, 0) / 4);
  const z = (positive - centre) / spread;
  return [normalCdf(-z), normalCdf(z)];
}
