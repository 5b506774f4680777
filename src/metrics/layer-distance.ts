import type { CentredActivations, LayerShape } from "./centred-activations.ts";
import { decodeFloat16 } from "./float16.ts";
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
  const values = decodeFloat16(stored.values, into?.values);
  const squares = into?.squares ?? new Float64Array(layers);
  for (let layer = 0; layer < layers; layer += 1) {
    let sum = 0;
    for (let at = layer * hiddenSize; at < (layer + 1) * hiddenSize; at += 1) sum += (values[at] ?? 0) ** 2;
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
