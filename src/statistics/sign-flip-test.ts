import { pValueFromTails, type Alternative } from "./alternative.ts";
import { requireFinite, requireWhole } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { meanOf, sumOf } from "./moments.ts";
import { DEFAULT_PERMUTATIONS, monteCarloP, tieTolerance } from "./permutation-count.ts";
import type { RandomSource } from "./random-source.ts";

/** 2²⁰, about a million, sign patterns are enumerated; above that they are drawn. */
const LARGEST_EXACT_N = 20;

export interface SignFlipTest {
  /** Mean of the differences. */
  readonly mean: number;
  readonly pValue: number;
  readonly method: "exact" | "monte-carlo";
  /** Sign patterns behind the p-value: 2ⁿ, or those drawn. */
  readonly patterns: number;
}

/**
 * Sign-flip (one-sample permutation) test that differences are symmetric around 0.
 *
 * Statistic: their mean. All 2ⁿ sign patterns up to n = 20, else Monte Carlo with (1 + hits)/(1 + draws).
 * Equal sums count as at least as extreme, so all zeros give p = 1. Two-sided: twice the smaller tail, at most 1.
 *
 * @param differences - one for each example, any unit
 * @returns reason `"empty"` for n = 0
 * @throws {RangeError} if a difference is not finite
 * @see Fisher 1935, §21
 * @example signFlipTest([.12, .05, .3, -.02, .18, .09, .22, -.01], random) // p .015625
 */
export function signFlipTest(
  differences: ArrayLike<number>,
  random: RandomSource,
  options: { readonly alternative?: Alternative; readonly permutations?: number } = {},
): Estimable<SignFlipTest> {
  const { alternative = "greater", permutations = DEFAULT_PERMUTATIONS } = options;
  requireFinite(differences, "differences");
  requireWhole(permutations, "permutations", 1);
  const n = differences.length;
  if (n === 0) return notEstimable("empty");
  const observed = sumOf(differences);
  const tolerance = tieTolerance(differences) * n;
  const exact = n <= LARGEST_EXACT_N;
  const { above, below } = exact
    ? countAllPatterns(Float64Array.from(differences), observed, tolerance)
    : countRandomPatterns(Float64Array.from(differences), observed, tolerance, permutations, random);
  const patterns = exact ? 2 ** n : permutations;
  const share = (hits: number): number => (exact ? hits / patterns : monteCarloP(hits, patterns));
  return estimable({
    mean: meanOf(differences),
    pValue: pValueFromTails(share(above), share(below), alternative),
    method: exact ? "exact" : "monte-carlo",
    patterns,
  });
}

interface Tails {
  above: number;
  below: number;
}

function countAllPatterns(differences: Float64Array, observed: number, tolerance: number): Tails {
  const tails = { above: 0, below: 0 };
  const flip = (i: number, sum: number): void => {
    const difference = differences[i];
    if (difference === undefined) {
      if (sum >= observed - tolerance) tails.above++;
      if (sum <= observed + tolerance) tails.below++;
      return;
    }
    flip(i + 1, sum + difference);
    flip(i + 1, sum - difference);
  };
  flip(0, 0);
  return tails;
}

function countRandomPatterns(
  differences: Float64Array,
  observed: number,
  tolerance: number,
  permutations: number,
  random: RandomSource,
): Tails {
  const tails = { above: 0, below: 0 };
  const nonzero = differences.filter((difference) => difference !== 0);
  for (let draw = 0; draw < permutations; draw++) {
    let sum = 0;
    for (const difference of nonzero) sum += random.integer(2) === 0 ? difference : -difference;
    if (sum >= observed - tolerance) tails.above++;
    if (sum <= observed + tolerance) tails.below++;
  }
  return tails;
}
