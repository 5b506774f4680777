import type { GenerateResult } from "../inference/index.ts";

/**
 * Mean residual stream over the background prompts, layers 1…L, summed in float64.
 *
 * @param results - one per prompt; each pooling is [(L + 1) × d] with the embedding layer first
 * @returns means as [L × d] float32; a prompt without a content mean counts in the other pooling only
 * @throws {RangeError} if no prompt has activations or an array has another length than (L + 1) · d
 */
export function backgroundMeans(
  results: readonly (Pick<GenerateResult, "lastPromptToken" | "promptMean"> | null)[],
  layers: number,
  hiddenSize: number,
): { prompts: number; lastPromptTokenMean: Float32Array; promptMeanMean: Float32Array } {
  const last = results.flatMap((result) => (result?.lastPromptToken ? [result.lastPromptToken] : []));
  const mean = results.flatMap((result) => (result?.promptMean ? [result.promptMean] : []));
  if (last.length === 0) throw new RangeError("No background prompt gave activations.");
  return {
    prompts: last.length,
    lastPromptTokenMean: meanWithoutEmbedding(last, layers, hiddenSize),
    promptMeanMean: meanWithoutEmbedding(mean, layers, hiddenSize),
  };
}

function meanWithoutEmbedding(
  arrays: readonly Float32Array[],
  layers: number,
  hiddenSize: number,
): Float32Array {
  const sum = new Float64Array(layers * hiddenSize);
  for (const array of arrays) {
    if (array.length !== (layers + 1) * hiddenSize) {
      throw new RangeError(`Expected ${(layers + 1) * hiddenSize} activations, got ${array.length}.`);
    }
    const stream = array.subarray(hiddenSize);
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (stream[i] ?? 0);
  }
  const count = Math.max(1, arrays.length);
  return Float32Array.from(sum, (value) => value / count);
}
