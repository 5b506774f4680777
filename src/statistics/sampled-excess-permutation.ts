import { requireFinite, requireWhole } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
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

/** Repeated samples of one example, under several wordings. */
export interface SampledExample {
  /** The wording of each sample, any whole number; length m. */
  readonly labels: ArrayLike<number>;
  /** Distances between samples, m × m row by row; only the part above the diagonal is read. */
  readonly distances: ArrayLike<number>;
}

/** Mean distance between and within wordings of one example. */
export interface BetweenWithin {
  readonly between: number;
  readonly within: number;
}

/**
 * B_i and W_i: mean distance over pairs of samples of different wordings, and of the same wording.
 * @returns reason `"too-few"` unless there are pairs of both kinds
 * @throws {RangeError} if the distances are not m × m or not finite
 */
export function betweenWithin(example: SampledExample): Estimable<BetweenWithin> {
  const strata = stratumOf(example);
  if (strata === null) return notEstimable("too-few");
  const within = withinSum(strata);
  return estimable({
    between: (strata.total - within) / strata.betweenPairs,
    within: within / strata.withinPairs,
  });
}

/**
 * Do answers to different wordings differ more than answers to the same wording sampled again?
 *
 * Statistic: mean over examples of E_i = B_i − W_i (`betweenWithin`). The wording labels of the samples are
 * permuted within each example: exact if under the null hypothesis all samples of an example come from one
 * distribution. p = P(E* ≥ E), ties included; Monte Carlo unless the distinct labellings are few.
 *
 * One example with two wordings of four samples has 70 labellings, which come in mirrored pairs, so its
 * smallest possible p is 2/70 = .029: pool examples.
 *
 * @param examples - one without pairs of both kinds is left out and counted
 * @returns reason `"empty"` if no example remains
 * @throws {RangeError} if the distances are not m × m or not finite
 * @see Rauba et al. 2024, arXiv:2412.00868 (distribution-based perturbation analysis), for the idea
 */
export function sampledExcessPermutation(
  examples: readonly SampledExample[],
  random: RandomSource,
  options: PermutationOptions = {},
): Estimable<PermutationTest> {
  const { permutations = DEFAULT_PERMUTATIONS, exactLimit = DEFAULT_EXACT_LIMIT } = options;
  requireWhole(permutations, "permutations", 1);
  const strata = examples.map(stratumOf).filter((stratum) => stratum !== null);
  const count = strata.length;
  if (count === 0) return notEstimable("empty");
  const observed = strata.reduce((sum, stratum) => sum + excess(stratum), 0);
  const scale = strata.reduce((largest, stratum) => Math.max(largest, stratum.scale), 0);
  const threshold = observed - 1e-12 * scale * count;
  const labellings = strata.reduce((product, stratum) => product * stratum.labellings, 1);
  const smallestP = strata.reduce((product, { mirrors, labellings }) => product * (mirrors / labellings), 1);
  const common = { statistic: observed / count, examples: count, skipped: examples.length - count };
  if (labellings <= exactLimit) {
    return estimable({
      ...common,
      pValue: countSumsAtLeast(strata.map(allExcesses), threshold) / labellings,
      method: "exact",
      permutations: labellings,
      smallestP,
    });
  }
  const randomExcess = (stratum: Stratum): number => {
    random.shuffle(stratum.order);
    return excess(stratum);
  };
  const hits = countRandomSumsAtLeast(strata, randomExcess, threshold, permutations);
  return estimable({
    ...common,
    pValue: monteCarloP(hits, permutations),
    method: "monte-carlo",
    permutations,
    smallestP: Math.max(smallestP, 1 / (1 + permutations)),
  });
}

/** Samples in an order whose consecutive blocks of `sizes` are the wordings. */
interface Stratum {
  readonly order: Int32Array;
  readonly sizes: readonly number[];
  readonly matrix: Float64Array;
  readonly total: number;
  readonly withinPairs: number;
  readonly betweenPairs: number;
  readonly labellings: number;
  /** Labellings that only swap wordings of equal size give the same E. */
  readonly mirrors: number;
  readonly scale: number;
}

function stratumOf({ labels, distances }: SampledExample): Stratum | null {
  const m = labels.length;
  requireFinite(labels, "labels");
  if (distances.length !== m * m) throw new RangeError(`distances must hold ${m} × ${m} numbers`);
  const matrix = new Float64Array(m * m);
  let total = 0;
  let scale = 0;
  for (let i = 0; i < m; i++) {
    for (let j = i + 1; j < m; j++) {
      const distance = distances[i * m + j] ?? NaN;
      if (!Number.isFinite(distance))
        throw new RangeError(`distance ${i}, ${j} must be finite, not ${distance}`);
      matrix[i * m + j] = distance;
      matrix[j * m + i] = distance;
      total += distance;
      scale = Math.max(scale, Math.abs(distance));
    }
  }
  const byLabel = new Map<number, number[]>();
  Array.from(labels).forEach((label, i) => byLabel.set(label, [...(byLabel.get(label) ?? []), i]));
  const sizes = [...byLabel.values()].map((members) => members.length);
  const withinPairs = sizes.reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  const betweenPairs = (m * (m - 1)) / 2 - withinPairs;
  if (withinPairs === 0 || betweenPairs === 0) return null;
  return {
    order: Int32Array.from([...byLabel.values()].flat()),
    sizes,
    matrix,
    total,
    withinPairs,
    betweenPairs,
    labellings: Math.round(factorial(m) / sizes.reduce((product, size) => product * factorial(size), 1)),
    mirrors: [...new Set(sizes)].reduce(
      (product, size) => product * factorial(sizes.filter((other) => other === size).length),
      1,
    ),
    scale,
  };
}

function withinSum({ order, sizes, matrix }: Stratum): number {
  const m = order.length;
  let sum = 0;
  let start = 0;
  for (const size of sizes) {
    for (let i = start; i < start + size; i++) {
      // −1 as the impossible index keeps this in whole-number arithmetic, which is several times faster.
      const row = (order[i] ?? -1) * m;
      for (let j = i + 1; j < start + size; j++) sum += matrix[row + (order[j] ?? -1)] ?? NaN;
    }
    start += size;
  }
  return sum;
}

function excess(stratum: Stratum): number {
  const within = withinSum(stratum);
  return (stratum.total - within) / stratum.betweenPairs - within / stratum.withinPairs;
}

/** E of every distinct labelling of one example. */
function allExcesses(stratum: Stratum): Float64Array {
  const m = stratum.order.length;
  const result = new Float64Array(stratum.labellings);
  let filled = 0;
  const left = [...stratum.sizes];
  const members: number[][] = stratum.sizes.map(() => []);
  const place = (sample: number): void => {
    if (sample === m) {
      result[filled++] = excess({ ...stratum, order: Int32Array.from(members.flat()) });
      return;
    }
    left.forEach((room, wording) => {
      if (room === 0) return;
      left[wording] = room - 1;
      members[wording]?.push(sample);
      place(sample + 1);
      members[wording]?.pop();
      left[wording] = room;
    });
  };
  place(0);
  return result;
}
