import { requireWhole } from "./checks.ts";
import { largestMagnitude } from "./moments.ts";

/** Random relabellings of a Monte Carlo test, unless told otherwise: standard error .0022 at p = .05. */
export const DEFAULT_PERMUTATIONS = 9_999;
/** Up to so many relabellings all are enumerated, which makes the p-value exact. */
export const DEFAULT_EXACT_LIMIT = 100_000;

export interface PermutationOptions {
  /** Monte Carlo relabellings. */
  readonly permutations?: number;
  /** Largest number of relabellings to enumerate; 0 forces Monte Carlo. */
  readonly exactLimit?: number;
}

export interface PermutationTest {
  /** The observed statistic: a mean over examples, in the units of the data. */
  readonly statistic: number;
  /** One-sided, for a large statistic. In (0, 1]. */
  readonly pValue: number;
  readonly method: "exact" | "monte-carlo";
  /** Relabellings behind the p-value: all of them (the observed one among them), or those drawn. */
  readonly permutations: number;
  /** The smallest p-value that this data could give with this method. */
  readonly smallestP: number;
  /** Examples that entered. */
  readonly examples: number;
  /** Examples left out since a group was missing in them. */
  readonly skipped: number;
}

/**
 * p-value of a Monte Carlo test, (1 + hits) / (1 + draws) (Davison & Hinkley 1997, eq. 4.11; Phipson & Smyth
 * 2010): counting the observed labelling keeps it valid, and never 0.
 */
export function monteCarloP(hits: number, draws: number): number {
  return (1 + hits) / (1 + draws);
}

/** Binomial coefficient, exact while below 2⁵³. */
export function binomial(n: number, k: number): number {
  requireWhole(n, "n", 0);
  requireWhole(k, "k", 0);
  if (k > n) return 0;
  let result = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) result = Math.round((result * (n - i + 1)) / i);
  return result;
}

/** n!, exact while below 2⁵³. */
export function factorial(n: number): number {
  requireWhole(n, "n", 0);
  let result = 1;
  for (let i = 2; i <= n; i++) result *= i;
  return result;
}

/** Labellings that give the same statistic in exact arithmetic may differ by rounding; these count as ties. */
export function tieTolerance(values: ArrayLike<number>): number {
  return 1e-12 * largestMagnitude(values);
}

/**
 * How many of all combinations, one value from each list, have a sum of at least `threshold`.
 *
 * Depth first; a branch that must lie above or below the threshold is counted without being walked.
 * @param lists - equally likely values of each example; none empty
 */
export function countSumsAtLeast(lists: readonly Float64Array[], threshold: number): number {
  // Extremes and sizes of everything from a depth onwards.
  const low = new Float64Array(lists.length + 1);
  const high = new Float64Array(lists.length + 1);
  const size = new Float64Array(lists.length + 1).fill(1);
  for (let depth = lists.length - 1; depth >= 0; depth--) {
    const list = lists[depth] ?? new Float64Array(0);
    let smallest = Infinity;
    let largest = -Infinity;
    for (const value of list) {
      smallest = Math.min(smallest, value);
      largest = Math.max(largest, value);
    }
    low[depth] = (low[depth + 1] ?? NaN) + smallest;
    high[depth] = (high[depth + 1] ?? NaN) + largest;
    size[depth] = (size[depth + 1] ?? NaN) * list.length;
  }
  const walk = (depth: number, sum: number): number => {
    if (sum + (low[depth] ?? NaN) >= threshold) return size[depth] ?? NaN;
    if (sum + (high[depth] ?? NaN) < threshold) return 0;
    let count = 0;
    for (const value of lists[depth] ?? []) count += walk(depth + 1, sum + value);
    return count;
  };
  return walk(0, 0);
}

/**
 * Monte Carlo version: in how many of `draws` random combinations the sum is at least `threshold`.
 *
 * Example by example, not draw by draw, so that each example's numbers stay in the processor's cache.
 * @param draw - one random value of an example
 */
export function countRandomSumsAtLeast<Example>(
  examples: readonly Example[],
  draw: (example: Example) => number,
  threshold: number,
  draws: number,
): number {
  const sums = new Float64Array(draws);
  for (const example of examples) {
    for (let i = 0; i < draws; i++) sums[i] = (sums[i] ?? NaN) + draw(example);
  }
  let hits = 0;
  for (const sum of sums) if (sum >= threshold) hits++;
  return hits;
}
