import { requireWhole } from "./checks.ts";
import type { RandomSource } from "./random-source.ts";

/** Resamples of an interval, unless told otherwise. */
export const DEFAULT_REPLICATIONS = 2_000;

/** A data set in which each example occurs some number of times. */
export interface Resample {
  /** How often each example occurs; length n, whole numbers ≥ 0. */
  readonly counts: Int32Array;
  /** The examples, each as often as it occurs; the order means nothing. Reused: copy it to keep it. */
  readonly indices: Int32Array;
}

/** Statistics of a resample, always in the same order; null where one does not exist in that resample. */
export type Statistics = (resample: Resample) => readonly (number | null)[];

export interface ClusterBootstrap {
  readonly examples: number;
  /** The statistics of the data itself. */
  readonly estimates: readonly (number | null)[];
  /** For each statistic its B resampled values; NaN where it did not exist. */
  readonly replicates: readonly Float64Array[];
  /** For each statistic its n values with one example left out; NaN where it did not exist. */
  readonly jackknife: readonly Float64Array[];
}

/**
 * Cluster bootstrap: whole examples are drawn with replacement, n of n, and every statistic is computed from
 * the same draws, so that what they share (pooled baselines, a composite of several axes) varies jointly.
 *
 * Feed the result to `bcaInterval` or `percentileInterval`; differences and functions of statistics should be
 * statistics of their own. The jackknife calls `statistics` with each example left out once.
 *
 * @param examples - n ≥ 0
 * @param statistics - must depend on the resample alone; called 1 + n + B times
 * @throws {RangeError} if the number of statistics changes between calls, or one is not finite
 * @see Davison & Hinkley 1997, §2.4 and §3.8; Field & Welsh 2007
 */
export function clusterBootstrap(
  examples: number,
  statistics: Statistics,
  random: RandomSource,
  replications = DEFAULT_REPLICATIONS,
): ClusterBootstrap {
  requireWhole(examples, "examples", 0);
  requireWhole(replications, "replications", 1);
  const counts = new Int32Array(examples).fill(1);
  const indices = Int32Array.from({ length: examples }, (_, i) => i);
  const estimates = [...statistics({ counts, indices })];
  const columns = (length: number): Float64Array[] => estimates.map(() => new Float64Array(length));
  const jackknife = columns(examples);
  const replicates = columns(examples === 0 ? 0 : replications);

  const others = new Int32Array(Math.max(0, examples - 1));
  for (let left = 0; left < examples; left++) {
    counts.fill(1);
    counts[left] = 0;
    for (let i = 0; i < others.length; i++) others[i] = i < left ? i : i + 1;
    record(statistics({ counts, indices: others }), jackknife, left);
  }
  for (let replicate = 0; replicate < (replicates[0]?.length ?? 0); replicate++) {
    counts.fill(0);
    for (let i = 0; i < examples; i++) {
      const drawn = random.integer(examples);
      indices[i] = drawn;
      counts[drawn] = (counts[drawn] ?? NaN) + 1;
    }
    record(statistics({ counts, indices }), replicates, replicate);
  }
  return { examples, estimates, replicates, jackknife };
}

function record(values: readonly (number | null)[], into: readonly Float64Array[], at: number): void {
  if (values.length !== into.length) {
    throw new RangeError(`${values.length} statistics were returned instead of ${into.length}`);
  }
  into.forEach((column, which) => {
    const value = values[which] ?? NaN;
    if (value !== values[which] && values[which] !== null)
      throw new RangeError(`statistic ${which} is not a number`);
    column[at] = value;
  });
}

/**
 * Mean over the examples of a resample, each as often as it was drawn.
 * @param values - one for each example; null where it has none (it then does not count)
 * @returns null if no drawn example has a value
 */
export function resampledMean(
  values: readonly (number | null)[] | Float64Array,
  resample: Resample,
): number | null {
  let sum = 0;
  let weight = 0;
  const { counts } = resample;
  for (let i = 0; i < counts.length; i++) {
    const value = values[i];
    const count = counts[i] ?? NaN;
    if (count === 0 || value === null || value === undefined) continue;
    sum += count * value;
    weight += count;
  }
  return weight === 0 ? null : sum / weight;
}

/** Distances between pairs of different examples: pair p joins first[p] and second[p]. */
export interface ExamplePairs {
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly distances: Float64Array;
}

/**
 * Mean distance over pairs of examples in a resample: a pair counts as often as it can be formed,
 * count(first) · count(second). Pairs of an example with a copy of itself are not formed: their distance of 0
 * would lower the mean, though the two are not unrelated.
 *
 * @returns null if no pair can be formed
 * @throws {RangeError} if a pair joins an example with itself
 */
export function resampledPairMean(pairs: ExamplePairs, resample: Resample): number | null {
  const { first, second, distances } = pairs;
  const { counts } = resample;
  let sum = 0;
  let weight = 0;
  for (let p = 0; p < distances.length; p++) {
    const a = first[p] ?? -1;
    const b = second[p] ?? -1;
    if (a === b) throw new RangeError(`pair ${p} joins example ${a} with itself`);
    const count = (counts[a] ?? NaN) * (counts[b] ?? NaN);
    sum += count * (distances[p] ?? NaN);
    weight += count;
  }
  return weight === 0 ? null : sum / weight;
}
