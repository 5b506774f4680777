/** The parts of an ONNX model that can be read without its weights. Names follow onnx.proto. */

/** `onnx.TensorProto.DataType`, the ones used here. */
export const ElementType = {
  FLOAT: 1,
  UINT8: 2,
  INT8: 3,
  UINT16: 4,
  INT16: 5,
  INT32: 6,
  INT64: 7,
  BOOL: 9,
  FLOAT16: 10,
  DOUBLE: 11,
  UINT32: 12,
  UINT64: 13,
  BFLOAT16: 16,
} as const;

export type AttributeValue = number | string | readonly number[] | readonly string[];

export interface OnnxNode {
  readonly name: string;
  readonly op: string;
  /** "" for the standard operators. */
  readonly domain: string;
  /** Tensor names; "" for an optional input that is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Numbers, strings and short lists of them; tensors and graphs are left out. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** Tensors of the enclosing graph that the node's subgraphs (If, Loop, Scan) read. */
  readonly captures: readonly string[];
}

export interface OnnxInitialiser {
  readonly dims: readonly number[];
  readonly elementType: number;
  /** Where the weights lie if not in the file itself. */
  readonly external: {
    readonly location: string;
    readonly offset: number;
    readonly length: number | null;
  } | null;
  /** Where the weights lie in the file itself; null if elsewhere, or written as a list of numbers. */
  readonly raw: { readonly start: number; readonly end: number } | null;
}

export interface OnnxValueInfo {
  readonly name: string;
  /** 0 where the file does not say. */
  readonly elementType: number;
  /** A number, the name of a symbolic dimension, or null where unknown; null as a whole for an unknown rank. */
  readonly shape: readonly (number | string | null)[] | null;
}

/** A local function (`ModelProto.functions`), called like an operator by `domain` and `name`. */
export interface OnnxFunction {
  readonly name: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly nodes: readonly OnnxNode[];
}

export interface OnnxGraph {
  readonly producer: string;
  readonly irVersion: number;
  /** Version by domain; "" is the standard operator set. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly nodes: readonly OnnxNode[];
  readonly initialisers: ReadonlyMap<string, OnnxInitialiser>;
  readonly inputs: readonly OnnxValueInfo[];
  readonly outputs: readonly OnnxValueInfo[];
  readonly functions: readonly OnnxFunction[];
}
