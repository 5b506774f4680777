import type { CentredActivations, LayerShape } from "./centred-activations.ts";
import { float16Table } from "./float16.ts";
import { measured, notEstimable, type Measured } from "./measured.ts";

/** A centred vector shorter than this has no direction. */
export const ZERO_NORM = 1e-8;

/**
 * Cosine distance 1 − cos(a, b) of two vectors, already centred where that matters.
 *
 * Range [0, 2]; 0 for equal directions, rounding below 0 clipped. Anisotropy puts the cosine of uncentred
 * activations near 1 (Ethayarajh 2019, arXiv:1909.00512), hence centre before.
 * @returns null where a vector's norm is below 1e-8
 * @throws {RangeError} if the lengths differ
 * @example cosineDistance([10, 1, 0], [10, 0, 1]) // 0.009901…
 */
export function cosineDistance(a: ArrayLike<number>, b: ArrayLike<number>): Measured {
  if (a.length !== b.length) throw new RangeError(`Vectors of ${a.length} and ${b.length} dimensions.`);
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  if (Math.sqrt(squareA) < ZERO_NORM || Math.sqrt(squareB) < ZERO_NORM) {
    return notEstimable("an activation vector is zero");
  }
  return measured(Math.max(0, 1 - dot / Math.sqrt(squareA * squareB)));
}

/** Vectors decoded once for many comparisons. Scales cancel in a cosine, so they are left out. */
export interface LayerVectors {
  /** [L × d], float16 values without their scale. */
  readonly values: Float32Array;
  /** [L]; sum of squares of the decoded values, NaN where the vector has no direction. */
  readonly squares: Float64Array;
}

/** @param into - vectors of the same shape that are no longer needed; their arrays are overwritten and returned */
export function layerVectors(
  stored: CentredActivations,
  { layers, hiddenSize }: LayerShape,
  into?: LayerVectors,
): LayerVectors {
  const bits = stored.values;
  const table = float16Table();
  const values = into?.values ?? new Float32Array(bits.length);
  if (values.length !== bits.length)
    throw new RangeError(`${bits.length} halves into ${values.length} floats.`);
  const squares = into?.squares ?? new Float64Array(layers);
  for (let layer = 0; layer < layers; layer += 1) {
    let sum = 0;
    for (let at = layer * hiddenSize; at < (layer + 1) * hiddenSize; at += 1) {
      const value = table[bits[at] ?? 0] ?? 0;
      values[at] = value;
      sum += value * value;
    }
    squares[layer] = Math.sqrt(sum) * (stored.scales[layer] ?? 0) < ZERO_NORM ? NaN : sum;
  }
  return { values, squares };
}

/**
 * Centred cosine distance at every layer 1…L.
 *
 * @param out - [L], overwritten; NaN marks a layer where one of the vectors has no direction, for the caller to
 *   leave out and report (this runs millions of times, so no object is made)
 */
export function layerDistances(
  a: LayerVectors,
  b: LayerVectors,
  { layers, hiddenSize }: LayerShape,
  out: Float64Array,
): void {
  const x = a.values;
  const y = b.values;
  for (let layer = 0; layer < layers; layer += 1) {
    let dot = 0;
    const end = (layer + 1) * hiddenSize;
    for (let at = end - hiddenSize; at < end; at += 1) dot += (x[at] ?? 0) * (y[at] ?? 0);
    const distance = 1 - dot / Math.sqrt((a.squares[layer] ?? NaN) * (b.squares[layer] ?? NaN));
    out[layer] = distance < 0 ? 0 : distance;
  }
}

/**
 * Mean distance over all pairs of several vectors, layer by layer, without looking at the pairs: with unit vectors u,
 * Σ_{a<b} u_a·u_b = (|Σu|² − k) / 2, so the cost grows with k and not with k².
 */
export class PairwiseLayerMean {
  readonly #shape: LayerShape;
  readonly #sums: Float64Array;
  readonly #counts: Int32Array;

  constructor(shape: LayerShape) {
    this.#shape = shape;
    this.#sums = new Float64Array(shape.layers * shape.hiddenSize);
    this.#counts = new Int32Array(shape.layers);
  }

  /** Forgets all vectors, for the next example: making these arrays anew for each would stall the collector. */
  reset(): void {
    this.#sums.fill(0);
    this.#counts.fill(0);
  }

  /** A layer without direction is left out of that layer only. */
  add({ values, squares }: LayerVectors): void {
    const { layers, hiddenSize } = this.#shape;
    const sums = this.#sums;
    for (let layer = 0; layer < layers; layer += 1) {
      const scale = 1 / Math.sqrt(squares[layer] ?? NaN);
      if (!(scale < Infinity)) continue;
      this.#counts[layer] = (this.#counts[layer] ?? 0) + 1;
      const end = (layer + 1) * hiddenSize;
      for (let at = end - hiddenSize; at < end; at += 1) {
        sums[at] = (sums[at] ?? 0) + scale * (values[at] ?? 0);
      }
    }
  }

  /** Writes row `row` of an [n × layers] table: each in [0, 2], NaN where fewer than two vectors have a direction. */
  write(table: Float64Array, row: number): void {
    const { layers, hiddenSize } = this.#shape;
    for (let layer = 0; layer < layers; layer += 1) {
      const k = this.#counts[layer] ?? 0;
      let square = 0;
      const end = (layer + 1) * hiddenSize;
      for (let at = end - hiddenSize; at < end; at += 1) square += (this.#sums[at] ?? 0) ** 2;
      const distance = k < 2 ? NaN : 1 - (square - k) / (k * (k - 1));
      // Below this it is the rounding of equal vectors.
      table[row * layers + layer] = distance < 1e-12 ? 0 : distance;
    }
  }
}

/**
 * Mean over layers 1…L of the centred cosine distance of two residual streams that were not stored.
 *
 * @param a - [(L + 1) × d], layer 0 first: it is dropped, for the embedding of the template's last token never
 *   differs
 * @param b - as `a`
 * @param mean - [L × d], subtracted from both
 * @returns null where no layer has two vectors with a direction
 * @throws {RangeError} if a length does not fit
 */
export function centredCosineDistance(
  a: Float32Array,
  b: Float32Array,
  mean: Float32Array,
  hiddenSize: number,
): number | null {
  if (a.length !== b.length || a.length !== mean.length + hiddenSize) {
    throw new RangeError(`Residual streams of ${a.length} and ${b.length} values, means of ${mean.length}.`);
  }
  let sum = 0;
  let layers = 0;
  for (let start = 0; start < mean.length; start += hiddenSize) {
    const centred = (stream: Float32Array) =>
      Float64Array.from({ length: hiddenSize }, (_, at) => {
        return (stream[start + hiddenSize + at] ?? 0) - (mean[start + at] ?? 0);
      });
    const { value } = cosineDistance(centred(a), centred(b));
    if (value === null) continue;
    sum += value;
    layers += 1;
  }
  return layers === 0 ? null : sum / layers;
}
