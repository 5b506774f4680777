/** Teacher forcing: how likely a model finds a given response under a given prompt. */
import { EngineError } from "../engine-error.ts";
import type { ScoreRequest, ScoreResult } from "../types.ts";
import { disposeBlock } from "./cache-block.ts";
import type { Checkpoint, Decoder } from "./decoder.ts";
import type { SharedPrefixes } from "./shared-prefix.ts";

/**
 * Scores one response in one pass over prompt and response, alone and unpadded.
 * @throws {EngineError} `prompt-too-long` if both together exceed the context
 */
export async function score(
  decoder: Decoder,
  request: ScoreRequest,
  contextLength: number,
  prefixes: SharedPrefixes,
  checkpoint: Checkpoint,
): Promise<ScoreResult> {
  const { promptTokenIds: prompt, responseTokenIds: response, partition } = request;
  const steps = response.length;
  const size = Math.min(partition.size, decoder.shape.vocabularySize);
  if (steps === 0) return emptyScore(request.key, size);
  if (prompt.length === 0) {
    throw new EngineError("prompt-empty", `Prompt ${request.key} has no tokens.`, { key: request.key });
  }
  if (partition.mode === "define" && size > decoder.mostLikeliest) {
    throw new RangeError(
      `A partition of ${size} tokens cannot be defined; at most ${decoder.mostLikeliest} can be found at once.`,
    );
  }
  if (prompt.length + steps > contextLength) {
    throw new EngineError(
      "prompt-too-long",
      `Prompt and response of ${request.key} have ${prompt.length + steps} tokens; the model takes ${contextLength}.`,
      { key: request.key, tokens: prompt.length + steps, contextLength },
    );
  }
  if (partition.mode === "use" && partition.ids.length !== steps * size) {
    throw new RangeError(`The partition has ${partition.ids.length} ids; ${steps} × ${size} are needed.`);
  }
  // The last response token is predicted, never read. Each position's given ids: the partition, then the token itself.
  const tokenIds = new Int32Array(prompt.length + steps - 1);
  tokenIds.set(prompt);
  tokenIds.set(response.subarray(0, steps - 1), prompt.length);
  const given = partition.mode === "use" ? size : 0;
  const givenIds = new Int32Array(steps * (given + 1));
  for (let step = 0; step < steps; step += 1) {
    if (partition.mode === "use") {
      givenIds.set(partition.ids.subarray(step * size, (step + 1) * size), step * (given + 1));
    }
    givenIds[step * (given + 1) + given] = response[step] ?? 0;
  }
  const { next, cache } = await decoder.sequence(
    {
      tokenIds,
      prefix: await prefixes.cacheFor(tokenIds, prompt.length - 1, checkpoint),
      distributionsFrom: prompt.length - 1,
      topK: partition.mode === "define" ? size : 1,
      givenIds,
      pool: null,
      lastLogits: false,
    },
    checkpoint,
  );
  disposeBlock(cache);
  const logProbNats = new Float32Array(steps);
  const partitionLogProbs = new Float32Array(steps * size);
  for (let step = 0; step < steps; step += 1) {
    const row = next.givenLogProbNats.subarray(step * (given + 1), (step + 1) * (given + 1));
    logProbNats[step] = row[given] ?? NaN;
    if (partition.mode === "use") partitionLogProbs.set(row.subarray(0, size), step * size);
  }
  return {
    key: request.key,
    logProbNats,
    entropyNats: next.entropyNats,
    partitionSize: size,
    partitionIds: partition.mode === "use" ? partition.ids : next.topIds,
    partitionLogProbs: partition.mode === "use" ? partitionLogProbs : next.topLogProbNats,
  };
}

function emptyScore(key: string, partitionSize: number): ScoreResult {
  return {
    key,
    logProbNats: new Float32Array(0),
    entropyNats: new Float32Array(0),
    partitionSize,
    partitionIds: new Int32Array(0),
    partitionLogProbs: new Float32Array(0),
  };
}
