import { requireFinite, requireWhole } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { largestMagnitude, meanOf, sumOf } from "./moments.ts";
import {
  binomial,
  countRandomSumsAtLeast,
  countSumsAtLeast,
  DEFAULT_EXACT_LIMIT,
  DEFAULT_PERMUTATIONS,
  monteCarloP,
  type PermutationOptions,
  type PermutationTest,
} from "./permutation-count.ts";
import type { RandomSource } from "./random-source.ts";

/** Distances of one example's prompts to its original, by kind. */
export interface TwoGroups {
  readonly variants: ArrayLike<number>;
  readonly nullEdits: ArrayLike<number>;
}

/**
 * Do variants lie further from the original than edits that nobody would call a rewording?
 *
 * Statistic: T = mean over examples of (mean distance of the variants − mean distance of the null edits). The
 * labels "variant" and "null edit" are permuted within each example, which is exact if under the null
 * hypothesis the two kinds are exchangeable within an example; examples may differ in every other way.
 * p = P(T* ≥ T): all relabellings where they are few, else Monte Carlo with (1 + hits)/(1 + draws).
 *
 * Ties: labellings with equal T count as at least as large, so that p = 1 where all distances are the same.
 *
 * @param examples - distances in any unit; an example that lacks one of the groups is left out and counted
 * @returns reason `"empty"` if no example has both groups
 * @throws {RangeError} if a distance is not finite
 * @see Good 2005, ch. 3 (stratified permutation)
 */
export function withinExamplePermutation(
  examples: readonly TwoGroups[],
  random: RandomSource,
  options: PermutationOptions = {},
): Estimable<PermutationTest> {
  const { permutations = DEFAULT_PERMUTATIONS, exactLimit = DEFAULT_EXACT_LIMIT } = options;
  requireWhole(permutations, "permutations", 1);
  const pools: Pool[] = [];
  let observed = 0;
  for (const { variants, nullEdits } of examples) {
    requireFinite(variants, "variants");
    requireFinite(nullEdits, "nullEdits");
    if (variants.length === 0 || nullEdits.length === 0) continue;
    pools.push(poolOf(variants, nullEdits));
    observed += meanOf(variants) - meanOf(nullEdits);
  }
  const count = pools.length;
  if (count === 0) return notEstimable("empty");
  // Examples all of whose distances agree have the same difference, 0, under every labelling.
  const moving = pools.filter((pool) => pool.values.some((value) => value !== pool.values[0]));
  const scale = pools.reduce((largest, pool) => Math.max(largest, largestMagnitude(pool.values)), 0);
  const threshold = observed - 1e-12 * scale * count;
  const labellings = pools.reduce((product, pool) => product * binomial(pool.values.length, pool.drawn), 1);
  const common = { statistic: observed / count, examples: count, skipped: examples.length - count };
  if (labellings <= exactLimit) {
    const lists = pools.map(allDifferences);
    return estimable({
      ...common,
      pValue: countSumsAtLeast(lists, threshold) / labellings,
      method: "exact",
      permutations: labellings,
      smallestP: 1 / labellings,
    });
  }
  const hits = countRandomSumsAtLeast(
    moving,
    (pool) => randomDifference(pool, random),
    threshold,
    permutations,
  );
  return estimable({
    ...common,
    pValue: monteCarloP(hits, permutations),
    method: "monte-carlo",
    permutations,
    smallestP: 1 / (1 + permutations),
  });
}

/** difference = offset + slope · (sum of the `drawn` values that take the smaller group's label). */
interface Pool {
  readonly values: Float64Array;
  readonly drawn: number;
  readonly offset: number;
  readonly slope: number;
}

function poolOf(variants: ArrayLike<number>, nullEdits: ArrayLike<number>): Pool {
  const values = Float64Array.from([...Array.from(variants), ...Array.from(nullEdits)]);
  const total = sumOf(values);
  const slope = 1 / variants.length + 1 / nullEdits.length;
  return variants.length <= nullEdits.length
    ? { values, drawn: variants.length, offset: -total / nullEdits.length, slope }
    : { values, drawn: nullEdits.length, offset: total / variants.length, slope: -slope };
}

/** The differences of all labellings of one example. */
function allDifferences({ values, drawn, offset, slope }: Pool): Float64Array {
  const result = new Float64Array(binomial(values.length, drawn));
  let filled = 0;
  const choose = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      result[filled++] = offset + slope * sum;
      return;
    }
    for (let i = from; i <= values.length - left; i++) choose(i + 1, left - 1, sum + (values[i] ?? NaN));
  };
  choose(0, drawn, 0);
  return result;
}

/** Partial Fisher–Yates in place: whatever order the last draw left, each subset is equally likely. */
function randomDifference({ values, drawn, offset, slope }: Pool, random: RandomSource): number {
  let sum = 0;
  for (let i = 0; i < drawn; i++) {
    const j = i + random.integer(values.length - i);
    const value = values[j] ?? NaN;
    values[j] = values[i] ?? NaN;
    values[i] = value;
    sum += value;
  }
  return offset + slope * sum;
}
