import { detectableEffect } from "../statistics/index.ts";
import { COST, NULL_EDITS_PER_EXAMPLE, RERUN_SHARE, UNRELATED_PAIRS } from "../evaluation/index.ts";

/** What a run will need, before it starts. */
export interface RunEstimate {
  /** Null before anything was measured on this device. */
  readonly seconds: number | null;
  readonly bytes: number;
  readonly answers: number;
  /** Smallest mean difference from the floor that is found in 4 of 5 such runs, in SDs over questions; one-sided. */
  readonly detectableEffect: number;
}

export interface EstimateInput {
  readonly examples: number;
  readonly wordingsPerExample: number;
  readonly repeats: number;
  readonly maxNewTokens: number;
  readonly backgroundPrompts: number;
  readonly layers: number;
  readonly hiddenSize: number;
  /** Units of work a second, measured by an earlier run on this device; null before the first. */
  readonly unitsPerSecond: number | null;
}

/** Bytes of one stored answer besides its activations and scores: token ids, log-probabilities, top-8. */
const BYTES_PER_TOKEN = 4 + 4 + 4 + 8 * 8 + 8;
const PARTITION = 128;

/** Work, storage and answers of a run. The null edits and the ceiling's unrelated pairs are counted. */
export function estimateRun(input: EstimateInput): RunEstimate {
  const prompts = input.examples * (1 + input.wordingsPerExample + NULL_EDITS_PER_EXAMPLE);
  const reruns = Math.ceil(input.examples * (1 + input.wordingsPerExample) * RERUN_SHARE);
  const answers = prompts * input.repeats + (input.repeats > 1 ? 0 : reruns);
  const possiblePairs = input.examples * (input.examples - 1) * (1 + input.wordingsPerExample);
  const scores = prompts + reruns + Math.min(UNRELATED_PAIRS, possiblePairs);
  const units = input.backgroundPrompts * COST.background + answers * COST.generation + scores * COST.score;
  // Half of the longest answer is the usual length of an answer that ends by itself.
  const tokens = input.maxNewTokens / 2;
  const bytes =
    answers * tokens * BYTES_PER_TOKEN +
    prompts * 2 * input.layers * (input.hiddenSize * 2 + 4) +
    scores * tokens * (PARTITION * 2 + 8);
  return {
    seconds: input.unitsPerSecond === null ? null : units / input.unitsPerSecond,
    bytes: Math.round(bytes),
    answers,
    detectableEffect: detectableEffect(input.examples),
  };
}
