/** Next-token distributions as the probe reports them. Logarithms are natural. */
import { ProbeOutput } from "../../onnx/index.ts";
import { EngineError } from "../engine-error.ts";
import type { HostTensor } from "../runtime/tensor.ts";

export interface NextTokens {
  /** Number of distributions, R. */
  readonly rows: number;
  readonly k: number;
  /** [R], nats. */
  readonly entropyNats: Float32Array;
  /** [R × k], falling. */
  readonly topLogProbNats: Float32Array;
  /** [R × k]; of equal probabilities the lowest id first. */
  readonly topIds: Int32Array;
  /** [R × K] log-probabilities of the ids that were asked for. */
  readonly givenLogProbNats: Float32Array;
}

/**
 * Reads the probe's outputs.
 * @throws {EngineError} `numbers-invalid` if the model computed NaN or infinity
 */
export function readNextTokens(outputs: ReadonlyMap<string, HostTensor>): NextTokens {
  const entropyNats = floats(outputs, ProbeOutput.entropy);
  const lse = floats(outputs, ProbeOutput.lse);
  const topLogProbNats = floats(outputs, ProbeOutput.topLogProbs);
  const ids = outputs.get(ProbeOutput.topIds);
  const rows = entropyNats.length;
  if (!lse.every(Number.isFinite) || !entropyNats.every(Number.isFinite)) {
    throw new EngineError(
      "numbers-invalid",
      "The model computed numbers that are not finite. Its number format may not work on this device: choose another format or device.",
    );
  }
  const topIds = ids?.type === "int64" ? Int32Array.from(ids.data, Number) : new Int32Array(0);
  const k = rows === 0 ? 0 : topIds.length / rows;
  for (let row = 0; row < rows; row += 1) orderTies(topLogProbNats, topIds, row * k, (row + 1) * k);
  return {
    rows,
    k,
    entropyNats,
    topLogProbNats,
    topIds,
    givenLogProbNats: floats(outputs, ProbeOutput.givenLogProbs),
  };
}

/** The outputs that `readNextTokens` needs. */
export const NEXT_TOKEN_OUTPUTS: readonly string[] = [
  ProbeOutput.lse,
  ProbeOutput.entropy,
  ProbeOutput.topLogProbs,
  ProbeOutput.topIds,
  ProbeOutput.givenLogProbs,
];

/** Devices may list equally likely tokens in any order. */
function orderTies(logProbs: Float32Array, ids: Int32Array, from: number, to: number): void {
  for (let start = from; start < to;) {
    let end = start + 1;
    while (end < to && logProbs[end] === logProbs[start]) end += 1;
    if (end - start > 1) ids.subarray(start, end).sort();
    start = end;
  }
}

function floats(outputs: ReadonlyMap<string, HostTensor>, name: string): Float32Array {
  const tensor = outputs.get(name);
  if (tensor?.type !== "float32")
    throw new EngineError("runtime-failed", `The probe's output ${name} is missing.`);
  return tensor.data;
}
