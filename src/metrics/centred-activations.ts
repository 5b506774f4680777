import { float16Bits, decodeFloat16 } from "./float16.ts";

/** L layers of d dimensions, row-major. */
export interface LayerShape {
  readonly layers: number;
  readonly hiddenSize: number;
}

/** Centred vectors as they are stored: value = float16 · scale of the layer. */
export interface CentredActivations {
  /** [L × d] binary16 bit patterns in [−1, 1]. */
  readonly values: Uint16Array;
  /** [L]; the layer's largest absolute centred value, 0 where the centred vector is exactly zero. */
  readonly scales: Float32Array;
}

/**
 * Packs a residual stream for storage: minus the mean over background prompts, divided by the layer's largest
 * absolute value, then binary16. Stored uncentred, massive activations (Sun et al. 2024, arXiv:2402.17762)
 * would overflow or drown the differences; so packed, centred cosine distances stay within 1e-3 of float32.
 *
 * @param residual - [(L + 1) × d], layer 0 (the embedding) first: it is dropped
 * @param mean - [L × d], mean of layers 1…L over the background prompts
 * @throws {RangeError} if a length does not fit the shape, or a value is not finite
 */
export function encodeCentred(
  residual: Float32Array,
  mean: Float32Array,
  layers: number,
  hiddenSize: number,
): CentredActivations {
  const size = layers * hiddenSize;
  if (residual.length !== size + hiddenSize || mean.length !== size) {
    throw new RangeError(
      `Expected ${size + hiddenSize} activations and ${size} means, got ${residual.length} and ${mean.length}.`,
    );
  }
  const values = new Uint16Array(size);
  const scales = new Float32Array(layers);
  for (let layer = 0; layer < layers; layer += 1) {
    const start = layer * hiddenSize;
    const centred = (at: number) => (residual[start + hiddenSize + at] ?? 0) - (mean[start + at] ?? 0);
    let largest = 0;
    for (let at = 0; at < hiddenSize; at += 1) {
      const value = Math.abs(centred(at));
      if (!Number.isFinite(value))
        throw new RangeError(`Layer ${layer + 1} has an activation that is not finite.`);
      if (value > largest) largest = value;
    }
    scales[layer] = largest;
    const scale = scales[layer] ?? 0;
    if (scale === 0) continue;
    for (let at = 0; at < hiddenSize; at += 1) values[start + at] = float16Bits(centred(at) / scale);
  }
  return { values, scales };
}

/** The centred vectors again, [L × d]. */
export function decodeCentred(
  { values, scales }: CentredActivations,
  layers: number,
  hiddenSize: number,
): Float32Array {
  const decoded = decodeFloat16(values);
  for (let layer = 0; layer < layers; layer += 1) {
    const scale = scales[layer] ?? 0;
    for (let at = 0; at < hiddenSize; at += 1) {
      const index = layer * hiddenSize + at;
      decoded[index] = (decoded[index] ?? 0) * scale;
    }
  }
  return decoded;
}
