import { requireFinite, requireWhole } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { largestMagnitude, sumOf } from "./moments.ts";
import {
  countRandomSumsAtLeast,
  countSumsAtLeast,
  DEFAULT_EXACT_LIMIT,
  DEFAULT_PERMUTATIONS,
  factorial,
  monteCarloP,
  type PermutationOptions,
  type PermutationTest,
} from "./permutation-count.ts";
import type { RandomSource } from "./random-source.ts";

/** 8! = 40,320 pairings are enumerated; above that they are drawn. */
const LARGEST_EXACT_K = 8;

export interface PairingTest {
  /** M: mean similarity of matched minus mean of mismatched pairs; signed. */
  readonly matchedMinusMismatched: number;
  readonly matched: number;
  readonly mismatched: number;
  /** P(M* ≥ M) over pairings. */
  readonly pValue: number;
  /** Mean of |M*| over pairings: what |M| is expected to be without mirroring. */
  readonly expectedMagnitude: number;
  readonly method: "exact" | "monte-carlo";
  /** Pairings behind the p-value: k!, or those drawn. */
  readonly pairings: number;
}

/**
 * Does a response resemble the prompt that it answers more than the other wordings of the same request?
 *
 * M = mean_v s(v, v) − mean_{v≠w} s(v, w). What responses share with every wording (the topic) cancels. Null
 * hypothesis: each pairing of responses with prompts is equally likely; all k! of them up to k = 8, above that
 * Monte Carlo with (1 + hits)/(1 + draws). Pairings with equal M count as at least as large, so a constant
 * matrix has p = 1.
 *
 * @param similarity - k × k, similarity[v][w] of response v with prompt w
 * @returns reason `"empty"` for k = 0, `"too-few"` for k = 1
 * @throws {RangeError} if the matrix is not square or not finite
 * @example pairingPermutation([[.6, .2, .3], [.1, .5, .2], [.4, .3, .7]], random) // M .35, p .166667
 */
export function pairingPermutation(
  similarity: readonly ArrayLike<number>[],
  random: RandomSource,
  options: { readonly permutations?: number } = {},
): Estimable<PairingTest> {
  const { permutations = DEFAULT_PERMUTATIONS } = options;
  requireWhole(permutations, "permutations", 1);
  const k = similarity.length;
  const pairing = pairingOf(similarity);
  if (k === 0) return notEstimable("empty");
  if (k === 1) return notEstimable("too-few");
  const observed = pairing.offset + pairing.slope * pairing.trace;
  const exact = k <= LARGEST_EXACT_K;
  const values = exact ? allPairings(pairing) : new Float64Array(permutations);
  if (!exact) for (let draw = 0; draw < permutations; draw++) values[draw] = randomPairing(pairing, random);
  let hits = 0;
  let magnitude = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? NaN;
    if (value >= observed - pairing.tolerance) hits++;
    magnitude += Math.abs(value);
  }
  return estimable({
    matchedMinusMismatched: observed,
    matched: pairing.trace / k,
    mismatched: pairing.trace / k - observed,
    pValue: exact ? hits / values.length : monteCarloP(hits, permutations),
    expectedMagnitude: magnitude / values.length,
    method: exact ? "exact" : "monte-carlo",
    pairings: values.length,
  });
}

/**
 * The same question for a data set: the statistic is the signed mean of M over examples, and pairings are
 * permuted within each example.
 *
 * @param examples - similarity matrices as for `pairingPermutation`; one with k < 2 is left out and counted
 * @returns reason `"empty"` if no example remains
 * @throws {RangeError} if a matrix is not square or not finite
 */
export function pooledPairingPermutation(
  examples: readonly (readonly ArrayLike<number>[])[],
  random: RandomSource,
  options: PermutationOptions = {},
): Estimable<PermutationTest> {
  const { permutations = DEFAULT_PERMUTATIONS, exactLimit = DEFAULT_EXACT_LIMIT } = options;
  requireWhole(permutations, "permutations", 1);
  const pairings = examples.map(pairingOf).filter(({ k }) => k >= 2);
  const count = pairings.length;
  if (count === 0) return notEstimable("empty");
  const observed = pairings.reduce((sum, { offset, slope, trace }) => sum + offset + slope * trace, 0);
  const threshold = observed - pairings.reduce((sum, { tolerance }) => sum + tolerance, 0);
  const total = pairings.reduce((product, { k }) => product * factorial(k), 1);
  const common = { statistic: observed / count, examples: count, skipped: examples.length - count };
  if (total <= exactLimit) {
    return estimable({
      ...common,
      pValue: countSumsAtLeast(pairings.map(allPairings), threshold) / total,
      method: "exact",
      permutations: total,
      smallestP: 1 / total,
    });
  }
  const hits = countRandomSumsAtLeast(
    pairings,
    (pairing) => randomPairing(pairing, random),
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

/** M of a pairing = offset + slope · (sum of its k matched similarities). */
interface Pairing {
  readonly k: number;
  readonly matrix: Float64Array;
  readonly order: Int32Array;
  readonly trace: number;
  readonly offset: number;
  readonly slope: number;
  readonly tolerance: number;
}

function pairingOf(similarity: readonly ArrayLike<number>[]): Pairing {
  const k = similarity.length;
  const matrix = new Float64Array(k * k);
  let trace = 0;
  similarity.forEach((row, v) => {
    if (row.length !== k) throw new RangeError(`row ${v} has ${row.length} entries, the matrix ${k} rows`);
    requireFinite(row, `similarity[${v}]`);
    for (let w = 0; w < k; w++) matrix[v * k + w] = row[w] ?? NaN;
    trace += row[v] ?? NaN;
  });
  const pairs = k * (k - 1);
  return {
    k,
    matrix,
    order: Int32Array.from({ length: k }, (_, v) => v),
    trace,
    offset: -sumOf(matrix) / pairs,
    slope: 1 / k + 1 / pairs,
    tolerance: 1e-12 * largestMagnitude(matrix),
  };
}

/**
 * M of all k! pairings. Each splits into the prompts that the first half of the responses takes, and the orders
 * of both halves; the sums of the halves are found once and combined, which leaves one addition a pairing.
 */
function allPairings({ k, matrix, offset, slope }: Pairing): Float64Array {
  const result = new Float64Array(factorial(k));
  const half = k >> 1;
  const all = (1 << k) - 1;
  let filled = 0;
  for (let chosen = 0; chosen <= all; chosen++) {
    if (bitCount(chosen) !== half) continue;
    const upper = sumsOfPairings(matrix, k, 0, chosen);
    const lower = sumsOfPairings(matrix, k, half, all ^ chosen);
    for (const a of upper) {
      const start = offset + slope * a;
      for (let i = 0; i < lower.length; i++) result[filled++] = start + slope * (lower[i] ?? NaN);
    }
  }
  return result;
}

/** Similarity sums of all pairings of responses from `first` on with the prompts whose bits are set. */
function sumsOfPairings(matrix: Float64Array, k: number, first: number, prompts: number): Float64Array {
  const sums = new Float64Array(factorial(bitCount(prompts)));
  let filled = 0;
  const pair = (v: number, left: number, sum: number): void => {
    if (left === 0) {
      sums[filled++] = sum;
      return;
    }
    for (let w = 0; w < k; w++) {
      if ((left & (1 << w)) !== 0) pair(v + 1, left ^ (1 << w), sum + (matrix[v * k + w] ?? NaN));
    }
  };
  pair(first, prompts, 0);
  return sums;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function randomPairing({ k, matrix, order, offset, slope }: Pairing, random: RandomSource): number {
  random.shuffle(order);
  let sum = 0;
  for (let v = 0; v < k; v++) sum += matrix[v * k + (order[v] ?? -1)] ?? NaN;
  return offset + slope * sum;
}
