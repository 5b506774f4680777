/** Raw distances of one example's prompts to its original, averaged over layers where there are layers. */
export interface DistancesToOriginal {
  /** In the order of the example's variants; null where it does not exist. */
  readonly variants: readonly (number | null)[];
  /** In the order of its null edits. */
  readonly nullEdits: readonly (number | null)[];
}

/** Distances between unrelated examples. Pair p joins the examples first[p] and second[p], never one with itself. */
export interface UnrelatedDistances {
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** [pairs × layers]; NaN where a pair has no distance at a layer. */
  readonly distances: Float64Array;
  /** Comparisons behind the pairs: several wordings each. */
  readonly comparisons: number;
}

/**
 * All distances of one axis, computed once: every later figure, and every resample, is a weighted mean of these.
 * n examples; `layers` is 1 for an axis without layers.
 */
export interface AxisDistances {
  readonly layers: number;
  /** [n × layers], B: mean over pairs of wordings; NaN where an example has none. */
  readonly between: Float64Array;
  /** [n × layers], N: mean over null edits of the distance to the original; NaN where there are none. */
  readonly nullEdits: Float64Array;
  /** [n], W: mean over pairs of repeats of one wording; 0 where nothing samples. */
  readonly rerun: Float64Array;
  readonly unrelated: UnrelatedDistances;
  readonly toOriginal: readonly DistancesToOriginal[];
  /** [n]: why an example has no B on this axis; null where it has one. */
  readonly reasons: readonly (string | null)[];
  /** How many comparisons are behind B, W and N. */
  readonly counts: { readonly between: number; readonly rerun: number; readonly nullEdits: number };
}

/** Mean of the numbers that exist; null if none does. */
export function meanOfExisting(values: readonly (number | null)[]): number | null {
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? null : sum / count;
}

/** Mean over the layers of one row of an [n × layers] table, NaN layers left out; null if all are. */
export function meanOverLayers(table: Float64Array, row: number, layers: number): number | null {
  let sum = 0;
  let count = 0;
  for (let at = row * layers; at < (row + 1) * layers; at += 1) {
    const value = table[at] ?? NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? null : sum / count;
}
