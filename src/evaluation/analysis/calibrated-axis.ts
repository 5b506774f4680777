import { calibrated, MINIMAL_SPAN } from "../../metrics/index.ts";
import type { AxisDistances } from "./axis-distances.ts";

/** Raw means of one axis over a (re)sample; [layers] each, NaN where a mean does not exist. */
interface RawMeans {
  readonly between: Float64Array;
  readonly nullEdits: Float64Array;
  readonly unrelated: Float64Array;
  readonly rerun: number;
}

/**
 * One axis on the calibrated scale, for the data and for resamples of it: I = (B − W) / (C − W) at every layer,
 * averaged over the layers that have a scale. B, W and C are pooled over the same resample, so what they share
 * varies jointly.
 */
export class CalibratedAxis {
  readonly distances: AxisDistances;
  readonly #examples: number;
  readonly #between: DistanceTable;
  readonly #nullEdits: DistanceTable;
  readonly #unrelated: DistanceTable;
  /** Weight of each unrelated pair in the resample at hand. */
  readonly #pairWeights: Int32Array;
  /** Layers whose scale is wide enough in the data; fixed for all resamples. */
  readonly layers: readonly number[];
  readonly means: RawMeans;
  /** Why the axis is null; null where it is not. */
  readonly reason: string | null;

  constructor(distances: AxisDistances, examples: number) {
    this.distances = distances;
    this.#examples = examples;
    const { layers } = distances;
    this.#between = new DistanceTable(distances.between, layers);
    this.#nullEdits = new DistanceTable(distances.nullEdits, layers);
    this.#unrelated = new DistanceTable(distances.unrelated.distances, layers);
    this.#pairWeights = new Int32Array(distances.unrelated.first.length);
    const everyone = new Int32Array(examples).fill(1);
    this.means = this.#meansOf(everyone, everyone);
    const { unrelated, rerun, between } = this.means;
    const spans = Array.from(unrelated, (ceiling) => calibrated(0, rerun, ceiling));
    this.layers = spans.flatMap(({ value }, layer) =>
      value === null || Number.isNaN(between[layer]) ? [] : [layer],
    );
    this.reason = this.#reason(spans.find(({ reason }) => reason !== null)?.reason ?? null);
  }

  #reason(spanReason: string | null): string | null {
    const { reasons, unrelated } = this.distances;
    if (this.#examples === 0) return "no example is complete yet";
    if (reasons.every((reason) => reason !== null)) return reasons[0] ?? null;
    if (unrelated.comparisons === 0) {
      return this.#examples < 2
        ? "one example alone has no unrelated example to compare with"
        : "no unrelated pairs were compared";
    }
    return this.layers.length === 0 ? spanReason : null;
  }

  /**
   * The axis and its floor in a resample.
   *
   * @param counts - [n], how often each example occurs
   * @param numerator - [n], how often each counts in B: `counts`, or 0 for examples that are to be left out there
   * @returns null where it does not exist in the resample
   */
  evaluate(counts: Int32Array, numerator: Int32Array): { instability: number | null; floor: number | null } {
    const means = this.#meansOf(counts, numerator);
    return {
      instability: this.#onScale(means.between, means),
      floor: this.#onScale(means.nullEdits, means),
    };
  }

  /** B of one example on the scale of all; null where it has none. */
  ofExample(at: number): number | null {
    return this.#rowOnScale(this.distances.between, at);
  }

  /** B (or N) at one layer on the scale of all. */
  ofLayer(layer: number, which: "between" | "nullEdits"): number | null {
    const value = this.means[which][layer] ?? NaN;
    const { rerun, unrelated } = this.means;
    return Number.isNaN(value) ? null : calibrated(value, rerun, unrelated[layer] ?? NaN).value;
  }

  #rowOnScale(table: Float64Array, row: number): number | null {
    const { layers } = this.distances;
    return this.#onScale(table.subarray(row * layers, (row + 1) * layers), this.means);
  }

  #onScale(values: Float64Array, { rerun, unrelated }: RawMeans): number | null {
    if (this.reason !== null) return null;
    let sum = 0;
    let count = 0;
    for (const layer of this.layers) {
      const value = values[layer] ?? NaN;
      if (Number.isNaN(value)) continue;
      const span = (unrelated[layer] ?? NaN) - rerun;
      // In the data the span is at least the minimum; a resample in which it vanishes has no scale.
      if (!(span > MINIMAL_SPAN / 10)) return null;
      sum += (value - rerun) / span;
      count += 1;
    }
    return count === 0 ? null : sum / count;
  }

  #meansOf(counts: Int32Array, numerator: Int32Array): RawMeans {
    const { rerun: reruns, unrelated } = this.distances;
    let rerun = 0;
    let total = 0;
    for (let at = 0; at < counts.length; at += 1) {
      rerun += (counts[at] ?? 0) * (reruns[at] ?? 0);
      total += counts[at] ?? 0;
    }
    // A pair counts as often as it can be formed; one of an example with its own copy is never formed.
    for (let pair = 0; pair < this.#pairWeights.length; pair += 1) {
      this.#pairWeights[pair] =
        (counts[unrelated.first[pair] ?? -1] ?? 0) * (counts[unrelated.second[pair] ?? -1] ?? 0);
    }
    return {
      between: this.#between.mean(numerator),
      nullEdits: this.#nullEdits.mean(counts),
      unrelated: this.#unrelated.mean(this.#pairWeights),
      rerun: total === 0 ? 0 : rerun / total,
    };
  }
}

/** A [rows × layers] table of distances, NaN where one does not exist. */
class DistanceTable {
  readonly #values: Float64Array;
  readonly #layers: number;
  readonly #complete: boolean;

  constructor(values: Float64Array, layers: number) {
    this.#values = values;
    this.#layers = layers;
    this.#complete = !values.some(Number.isNaN);
  }

  /** Weighted mean over the rows, [layers]; NaN entries are left out of their own layer. */
  mean(weights: Int32Array): Float64Array {
    return this.#complete ? this.#meanOfComplete(weights) : this.#meanOfKnown(weights);
  }

  /** Thousands of resamples call this: nothing but additions. */
  #meanOfComplete(weights: Int32Array): Float64Array {
    const layers = this.#layers;
    const values = this.#values;
    const sums = new Float64Array(layers);
    let total = 0;
    for (let row = 0; row < weights.length; row += 1) {
      const weight = weights[row] ?? 0;
      if (weight === 0) continue;
      total += weight;
      const start = row * layers;
      for (let layer = 0; layer < layers; layer += 1) {
        sums[layer] = (sums[layer] ?? 0) + weight * (values[start + layer] ?? 0);
      }
    }
    for (let layer = 0; layer < layers; layer += 1) sums[layer] = (sums[layer] ?? 0) / total;
    return sums;
  }

  #meanOfKnown(weights: Int32Array): Float64Array {
    const layers = this.#layers;
    const sums = new Float64Array(layers);
    const totals = new Float64Array(layers);
    for (let row = 0; row < weights.length; row += 1) {
      const weight = weights[row] ?? 0;
      if (weight === 0) continue;
      const start = row * layers;
      for (let layer = 0; layer < layers; layer += 1) {
        const value = this.#values[start + layer] ?? NaN;
        // The only number that differs from itself; the call to Number.isNaN would dominate this loop.
        if (value !== value) continue;
        sums[layer] = (sums[layer] ?? 0) + weight * value;
        totals[layer] = (totals[layer] ?? 0) + weight;
      }
    }
    for (let layer = 0; layer < layers; layer += 1) sums[layer] = (sums[layer] ?? 0) / (totals[layer] ?? 0);
    return sums;
  }
}
