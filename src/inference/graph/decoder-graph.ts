/** What a decoder's graph wants to be fed, read from its nodes and its inputs. */
import type { OnnxGraph, OnnxNode } from "../../onnx/index.ts";
import { EngineError } from "../engine-error.ts";
import type { ElementType, TensorSpec } from "../runtime/tensor.ts";

export interface CacheTensor {
  readonly past: string;
  readonly present: string;
  readonly type: ElementType;
  /** Heads of keys and values; channels of a convolution's state. */
  readonly heads: number;
  readonly width: number;
  /**
   * Null: keys or values [rows, heads, time, width], one column of time a token. Else a convolution's state
   * [rows, heads, columns]: its last inputs, always as many, zero before the first token.
   */
  readonly columns: number | null;
}

export interface DecoderGraph {
  readonly cache: readonly CacheTensor[];
  /** Bytes of cache that one token of one row takes. */
  readonly cacheBytesPerToken: number;
  /** Input that limits the logits to the last n positions; null where all are always computed. */
  readonly keepInput: { readonly name: string; readonly rank: number } | null;
  readonly takesPositions: boolean;
  /** Older exports choose between two branches by this boolean. */
  readonly takesCacheBranch: boolean;
  /**
   * Side on which shorter rows are padded. GroupQueryAttention reads each row's cache from the left, up to the
   * sum of its attention mask; so with left padding it would read padding in place of the newest tokens.
   */
  readonly padding: "left" | "right";
  /**
   * False if a row's result would depend on the other rows. Either activations are quantised by one scale for the
   * whole tensor; or the graph takes no positions and counts them itself, from the first column of the padding.
   */
  readonly batchInvariant: boolean;
  readonly arithmetic: Arithmetic;
}

/**
 * How exactly one pass and single steps can agree: 32-bit floats throughout; numbers rounded on the way (a 16-bit
 * cache, or `MatMulNBits`, which may round activations to 8 bit); or activations quantised by one scale for the
 * whole tensor.
 */
export type Arithmetic = "float32" | "rounded" | "dynamic-int8";

export interface CacheShape {
  readonly heads: number | null;
  readonly width: number | null;
}

const PROBE_PREFIX = "sago_";
const PAST = /^past_key_values\.\d+\.(key|value)$/;
/** By the GenAI builder, and in transformers.js's own layout. */
const PAST_STATE = /^past(\.\d+\.conv|_conv\.\d+)$/;
const KEEP = /^(num_)?logits_to_keep$/;
const ATTENTION_BIAS_INPUT = 10;
const CACHE_RANK = 4;
const STATE_RANK = 3;

/**
 * @param graph - the nodes, as read from the file
 * @param inputs - the session's inputs
 * @param configured - sizes of config.json, for exports that leave them symbolic
 * @throws {EngineError} `graph-unsupported` naming what is not understood
 */
export function describeDecoder(
  graph: Pick<OnnxGraph, "nodes" | "functions">,
  inputs: readonly TensorSpec[],
  configured: CacheShape,
): DecoderGraph {
  const cache: CacheTensor[] = [];
  let keepInput: DecoderGraph["keepInput"] = null;
  let takesPositions = false;
  let takesCacheBranch = false;
  const names = new Set(inputs.map(({ name }) => name));
  for (const input of inputs) {
    const { name, dims } = input;
    if (name.startsWith(PROBE_PREFIX) || name === "input_ids" || name === "attention_mask") continue;
    if (name === "position_ids") takesPositions = true;
    else if (name === "use_cache_branch") takesCacheBranch = true;
    else if (KEEP.test(name)) keepInput = { name, rank: dims.length };
    else if (PAST.test(name) && dims.length === CACHE_RANK) cache.push(cacheTensor(input, configured));
    else if (PAST_STATE.test(name) && dims.length === STATE_RANK) cache.push(stateTensor(input));
    else throw unsupported(`The graph has an input called ${name}, which a text decoder should not need.`);
  }
  for (const name of ["input_ids", "attention_mask"]) {
    if (!names.has(name)) throw unsupported(`The graph has no input called ${name}.`);
  }
  if (cache.every(({ columns }) => columns !== null))
    throw unsupported("The graph has no key/value cache (inputs past_key_values.…).");
  const nodes = [...graph.nodes, ...graph.functions.flatMap((called) => called.nodes)];
  const wholeTensor = nodes.some(quantisesWholeTensor);
  const rounded =
    cache.some(({ type }) => type === "float16") || nodes.some(({ op }) => op === "MatMulNBits");
  const padding = nodes.some(readsCacheFromTheLeft) ? "right" : "left";
  return {
    cache,
    cacheBytesPerToken: cache.reduce(
      (sum, { heads, width, type, columns }) =>
        sum + (columns === null ? heads * width * (type === "float16" ? 2 : 4) : 0),
      0,
    ),
    keepInput,
    takesPositions,
    takesCacheBranch,
    padding,
    batchInvariant: !wholeTensor && (takesPositions || padding === "right"),
    arithmetic: wholeTensor ? "dynamic-int8" : rounded ? "rounded" : "float32",
  };
}

function cacheTensor({ name, type, dims }: TensorSpec, configured: CacheShape): CacheTensor {
  const heads = typeof dims[1] === "number" && dims[1] > 0 ? dims[1] : configured.heads;
  const width = typeof dims[3] === "number" && dims[3] > 0 ? dims[3] : configured.width;
  if (heads === null || width === null) throw unsupported(`The shape of ${name} is not known.`);
  if (type !== "float32" && type !== "float16") throw unsupported(`The cache ${name} is of type ${type}.`);
  return {
    past: name,
    present: name.replace("past_key_values", "present"),
    type,
    heads,
    width,
    columns: null,
  };
}

function stateTensor({ name, type, dims }: TensorSpec): CacheTensor {
  const [, heads, columns] = dims;
  if (typeof heads !== "number" || typeof columns !== "number" || heads < 1 || columns < 1)
    throw unsupported(`The shape of ${name} is not known.`);
  if (type !== "float32" && type !== "float16") throw unsupported(`The state ${name} is of type ${type}.`);
  return { past: name, present: name.replace(/^past/, "present"), type, heads, width: 1, columns };
}

/** With an `attention_bias` the mask travels separately, and padding may be on either side. */
function readsCacheFromTheLeft(node: OnnxNode): boolean {
  if (node.op !== "GroupQueryAttention" && node.op !== "SparseAttention") return false;
  return (node.inputs[ATTENTION_BIAS_INPUT] ?? "") === "";
}

function quantisesWholeTensor(node: OnnxNode): boolean {
  return (
    node.op === "DynamicQuantizeLinear" ||
    node.op === "DynamicQuantizeMatMul" ||
    node.op === "DynamicQuantizeLSTM"
  );
}

function unsupported(message: string): EngineError {
  return new EngineError(
    "graph-unsupported",
    `${message} Only text-generation models exported with a cache can be used.`,
  );
}
