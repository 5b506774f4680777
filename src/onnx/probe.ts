import { GraphExtension, type Dimension } from "./graph-extension.ts";
import { OnnxGraphError } from "./onnx-graph-error.ts";
import { ElementType, type OnnxGraph } from "./onnx-graph.ts";
import { addTopK, groupSize } from "./probe-top-k.ts";
import type { ResidualStream } from "./residual-stream.ts";
import { concatBytes } from "./wire-writer.ts";

/**
 * The probe's inputs. B rows of the batch, S time steps of the pass, T′ time steps of the logits (S, or fewer
 * where the graph keeps only the last ones), V the vocabulary, d the width of the residual stream.
 */
export const ProbeInput = {
  /** `[P]` int64: rows b·S + s of the residual stream to hand out. P may be 0. */
  poolRows: "sago_pool_rows",
  /** `[P′, B·S]` float32: weights of each mean over positions, each row summing to 1. P′ may be 0. */
  meanWeights: "sago_mean_weights",
  /** `[R]` int64: rows b·T′ + t of the logits to reduce. R ≥ 1. */
  logitRows: "sago_logit_rows",
  /** `[1]` int64: k, from 1 to V. */
  topK: "sago_top_k",
  /** `[R, K]` int32: token ids to score in each row of the logits. K may be 0. */
  givenIds: "sago_given_ids",
} as const;

/** The probe's outputs. Logarithms are natural; everything is computed in float32. */
export const ProbeOutput = {
  /** `[L + 1, P, d]` float32. */
  poolLast: "sago_pool_last",
  /** `[L + 1, P′, d]` float32. */
  poolMean: "sago_pool_mean",
  /** `[R]` float32: log Σ exp(logit), in nats. NaN or infinite if a logit is NaN or +∞. */
  lse: "sago_lse",
  /** `[R]` float32: entropy of the next-token distribution, in nats, in [0, ln V]. */
  entropy: "sago_entropy",
  /** `[R, k]` float32, falling: log-probabilities of the k likeliest tokens, in nats; about −10³⁰ for −∞. */
  topLogProbs: "sago_top_log_probs",
  /** `[R, k]` int64: their ids. */
  topIds: "sago_top_ids",
  /** `[R, K]` float32: log-probabilities of the given ids, in nats. */
  givenLogProbs: "sago_given_log_probs",
} as const;

export interface ProbeTensor {
  readonly name: string;
  readonly type: "float32" | "int64" | "int32";
  readonly shape: readonly Dimension[];
}

export interface Probe {
  /** To be put behind the file's last byte. */
  readonly append: Uint8Array<ArrayBuffer>;
  /** All of them must be fed in every run. */
  readonly inputs: readonly ProbeTensor[];
  readonly outputs: readonly ProbeTensor[];
  /** L + 1, or 0 where the graph has no residual stream: then there are no pools. */
  readonly points: number;
  /** Bound on k besides the vocabulary's size; null where there is none. */
  readonly largestTopK: number | null;
}

/** Reductions take their axes as an input from this version on (ReduceSum: from 13). */
const AXES_AS_INPUT_OPSET = 18;
const OLDEST_OPSET = 13;

/**
 * Stands for −∞ after the maximum is subtracted: its exponential is 0, and 0 · −10³⁰ is 0 where 0 · −∞ would be
 * NaN. It is above what sorting kernels fill rows up with.
 */
const LOWEST_SHIFTED_LOGIT = -1e30;

const PREFIX = "sago_";

/**
 * Builds what makes a decoder's graph reduce its residual stream and its logits on the device that runs it, so
 * that no `[time, vocabulary]` or `[time, width]` array has to leave it.
 *
 * Only standard operators are used that have native kernels on ONNX Runtime's CPU and WebGPU providers. The
 * graph's own outputs stay as they are; those that a run does not name in its fetches are not copied.
 *
 * Memory on the device: about five times R · V · 4 bytes while the logits are reduced.
 *
 * @throws {OnnxGraphError} `unsupported` if the graph has no logits, is older than operator set 13, or has been
 *   probed before
 */
export function buildProbe(graph: OnnxGraph, residual: ResidualStream): Probe {
  const opset = graph.opsets.get("") ?? 0;
  if (opset < OLDEST_OPSET) {
    throw new OnnxGraphError(
      "unsupported",
      `The graph uses version ${opset} of the ONNX operators; at least version ${OLDEST_OPSET} is needed.`,
    );
  }
  if (residual.logits === null) {
    throw new OnnxGraphError("unsupported", "The graph has no output that could be the logits.");
  }
  if (graph.inputs.some((input) => input.name.startsWith(PREFIX))) {
    throw new OnnxGraphError("unsupported", "The graph has been given these outputs before.");
  }
  const extension = new GraphExtension();
  const inputs: ProbeTensor[] = [];
  const outputs: ProbeTensor[] = [];
  const points = residual.status === "found" ? residual.points : [];
  if (residual.status === "found") {
    for (const sum of residual.hiddenSums) addTerms(extension, sum.name, sum.terms);
    addPools(extension, points);
    inputs.push(
      { name: ProbeInput.poolRows, type: "int64", shape: ["sago_P"] },
      { name: ProbeInput.meanWeights, type: "float32", shape: ["sago_M", "sago_BS"] },
    );
    outputs.push(
      { name: ProbeOutput.poolLast, type: "float32", shape: [points.length, "sago_P", "d"] },
      { name: ProbeOutput.poolMean, type: "float32", shape: [points.length, "sago_M", "d"] },
    );
  }
  const vocabulary = vocabularyOf(graph, residual.logits);
  addLogitReductions(extension, residual.logits, vocabulary, opset);
  inputs.push(
    { name: ProbeInput.logitRows, type: "int64", shape: ["sago_R"] },
    { name: ProbeInput.topK, type: "int64", shape: [1] },
    { name: ProbeInput.givenIds, type: "int32", shape: ["sago_R", "sago_K"] },
  );
  outputs.push(
    { name: ProbeOutput.lse, type: "float32", shape: ["sago_R"] },
    { name: ProbeOutput.entropy, type: "float32", shape: ["sago_R"] },
    { name: ProbeOutput.topLogProbs, type: "float32", shape: ["sago_R", "k"] },
    { name: ProbeOutput.topIds, type: "int64", shape: ["sago_R", "k"] },
    { name: ProbeOutput.givenLogProbs, type: "float32", shape: ["sago_R", "sago_K"] },
  );
  for (const input of inputs) extension.input(input.name, ELEMENT_TYPES[input.type], input.shape);
  for (const output of outputs) extension.output(output.name);
  const size = groupSize(vocabulary);
  return {
    append: extension.toBytes(),
    inputs,
    outputs,
    points: points.length,
    largestTopK: vocabulary === null || size === null ? vocabulary : vocabulary / size,
  };
}

/** The model file with the probe behind it. Copies the file's bytes once. */
export function appendProbe(model: Uint8Array, probe: Probe): Uint8Array<ArrayBuffer> {
  return concatBytes([model, probe.append]);
}

const ELEMENT_TYPES = {
  float32: ElementType.FLOAT,
  int64: ElementType.INT64,
  int32: ElementType.INT32,
} as const;

/** Null where the file does not declare it. */
function vocabularyOf(graph: OnnxGraph, logits: string): number | null {
  const size = graph.outputs.find(({ name }) => name === logits)?.shape?.at(-1);
  return typeof size === "number" && size > 0 ? size : null;
}

function addTerms(extension: GraphExtension, sum: string, terms: readonly string[]): void {
  let partial = terms[0] ?? "";
  terms.slice(1).forEach((term, index) => {
    const next = index === terms.length - 2 ? sum : `${sum}_${index}`;
    extension.node("Add", [partial, term], [next]);
    partial = next;
  });
}

function addPools(extension: GraphExtension, points: readonly string[]): void {
  extension.integers(`${PREFIX}axis_0`, [0]);
  // With a leading axis on rows and weights each point comes out as [1, P, d], ready to be stacked.
  extension.node("Unsqueeze", [ProbeInput.poolRows, `${PREFIX}axis_0`], [`${PREFIX}rows`]);
  extension.node("Unsqueeze", [ProbeInput.meanWeights, `${PREFIX}axis_0`], [`${PREFIX}weights`]);
  const lasts: string[] = [];
  const means: string[] = [];
  points.forEach((point, index) => {
    const flat = `${PREFIX}point_${index}`;
    // Float16 streams are cast before anything is summed; ONNX Runtime drops casts to the same type.
    extension.node("Flatten", [point], [`${flat}_flat`], { axis: -1 });
    extension.node("Cast", [`${flat}_flat`], [flat], { to: ElementType.FLOAT });
    extension.node("Gather", [flat, `${PREFIX}rows`], [`${flat}_last`], { axis: 0 });
    extension.node("MatMul", [`${PREFIX}weights`, flat], [`${flat}_mean`]);
    lasts.push(`${flat}_last`);
    means.push(`${flat}_mean`);
  });
  extension.node("Concat", lasts, [ProbeOutput.poolLast], { axis: 0 });
  extension.node("Concat", means, [ProbeOutput.poolMean], { axis: 0 });
}

function addLogitReductions(
  extension: GraphExtension,
  logits: string,
  vocabulary: number | null,
  opset: number,
): void {
  const named = (name: string): string => `${PREFIX}${name}`;
  extension.integers(named("axis_last"), [-1]);
  extension.float(named("lowest"), LOWEST_SHIFTED_LOGIT);
  extension.node("Flatten", [logits], [named("flat_logits")], { axis: -1 });
  extension.node("Gather", [named("flat_logits"), ProbeInput.logitRows], [named("row_logits")], { axis: 0 });
  extension.node("Cast", [named("row_logits")], [named("x")], { to: ElementType.FLOAT });
  const reduceMax = (input: string, output: string, keepdims: 0 | 1): void => {
    if (opset >= AXES_AS_INPUT_OPSET) {
      extension.node("ReduceMax", [input, named("axis_last")], [output], { keepdims });
    } else extension.node("ReduceMax", [input], [output], { axes: [-1], keepdims });
  };
  reduceMax(named("x"), named("max"), 1);
  extension.node("Sub", [named("x"), named("max")], [named("shifted")]);
  extension.node("Exp", [named("shifted")], [named("exp")]);
  const size = groupSize(vocabulary);
  if (vocabulary !== null && size !== null) {
    extension.integers(named("group_shape"), [-1, vocabulary / size, size]);
  }
  // Float32 loses digits where many small terms are added to a large sum one by one, so long rows are summed in
  // two steps.
  const sum = (input: string, output: string): void => {
    let terms = named(input);
    if (size !== null) {
      extension.node("Reshape", [terms, named("group_shape")], [`${terms}_groups`]);
      extension.node("ReduceSum", [`${terms}_groups`, named("axis_last")], [`${terms}_sums`], {
        keepdims: 0,
      });
      terms = `${terms}_sums`;
    }
    extension.node("ReduceSum", [terms, named("axis_last")], [named(output)], { keepdims: 1 });
  };
  sum("exp", "sum");
  extension.node("Log", [named("sum")], [named("log_sum")]);
  extension.node("Add", [named("max"), named("log_sum")], [named("lse_column")]);
  extension.node("Squeeze", [named("lse_column"), named("axis_last")], [ProbeOutput.lse]);
  // H = ln s − Σ eˣ·x / s with x the logits less their maximum and s = Σ eˣ: no cancellation, no 0 · ∞.
  extension.node("Clip", [named("shifted"), named("lowest")], [named("clipped")]);
  extension.node("Mul", [named("exp"), named("clipped")], [named("weighted")]);
  sum("weighted", "weighted_sum");
  extension.node("Div", [named("weighted_sum"), named("sum")], [named("mean_shifted")]);
  extension.node("Sub", [named("log_sum"), named("mean_shifted")], [named("entropy_column")]);
  extension.node("Squeeze", [named("entropy_column"), named("axis_last")], [ProbeOutput.entropy]);
  addTopK(
    extension,
    {
      values: named("clipped"),
      k: ProbeInput.topK,
      topValues: named("top_shifted"),
      topIds: ProbeOutput.topIds,
    },
    vocabulary,
    (input, output) => reduceMax(input, output, 0),
  );
  extension.node("Sub", [named("top_shifted"), named("log_sum")], [ProbeOutput.topLogProbs]);
  extension.node("GatherElements", [named("x"), ProbeInput.givenIds], [named("given_logits")], { axis: -1 });
  extension.node("Sub", [named("given_logits"), named("lse_column")], [ProbeOutput.givenLogProbs]);
}
