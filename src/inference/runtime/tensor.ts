/** Tensors as they cross between this room and a runtime. Shapes are row-major. */
export type HostTensor =
  | { readonly type: "float32"; readonly dims: readonly number[]; readonly data: Float32Array }
  | { readonly type: "float16"; readonly dims: readonly number[]; readonly data: Uint16Array }
  | { readonly type: "int64"; readonly dims: readonly number[]; readonly data: BigInt64Array }
  | { readonly type: "int32"; readonly dims: readonly number[]; readonly data: Int32Array }
  | { readonly type: "bool"; readonly dims: readonly number[]; readonly data: Uint8Array };

export type ElementType = HostTensor["type"];

/** A tensor that stays where the device computed it: on the WASM heap, or in a GPU buffer. */
export interface ResidentTensor {
  readonly type: ElementType;
  readonly dims: readonly number[];
  /** Frees the memory. Calling it twice is allowed. */
  dispose(): void;
}

/** Declared input or output of a graph; a string is a symbolic dimension. */
export interface TensorSpec {
  readonly name: string;
  readonly type: ElementType;
  readonly dims: readonly (number | string)[];
}

/** Which columns of which row of a tensor [rows, heads, time, width] or [rows, heads, time] go where in a packed one. */
export interface PackedRow {
  readonly tensor: ResidentTensor;
  readonly row: number;
  /** First column (time) that is taken. */
  readonly start: number;
  /** Number of columns taken. */
  readonly length: number;
  /** First column in the packed tensor; columns that no row fills are zero. */
  readonly offset: number;
}

export interface RunOutputs {
  readonly host: ReadonlyMap<string, HostTensor>;
  readonly resident: ReadonlyMap<string, ResidentTensor>;
}

/** One loaded graph on one device. Runs are serial: the caller awaits each before the next. */
export interface GraphSession {
  readonly inputs: readonly TensorSpec[];
  readonly outputs: readonly TensorSpec[];
  /**
   * Runs the graph once. `host` outputs are copied out; `resident` ones stay on the device and belong to
   * the caller, who disposes of them. Feeds are never consumed.
   * @throws {EngineError} `runtime-failed` or `out-of-memory`; then nothing is left allocated
   */
  run(
    feeds: ReadonlyMap<string, HostTensor | ResidentTensor>,
    wanted: { readonly host: readonly string[]; readonly resident: readonly string[] },
  ): Promise<RunOutputs>;
  /** Copies rows of cache tensors into a new one [rows.length, heads, time, …] on the device. */
  packRows(rows: readonly PackedRow[], time: number): ResidentTensor;
  /** Bytes that the runtime holds, where it can be told (the WASM heap); else null. */
  heldBytes(): number | null;
  dispose(): Promise<void>;
}

/** Bytes that are computed when a session asks for them, so that not all exist at once beside the session's own. */
export interface ComputedBytes {
  readonly byteLength: number;
  subarray(start: number, end: number): Uint8Array;
}

/** Everything needed to create a session. */
export interface SessionRequest {
  /** The `.onnx` bytes, with whatever was appended. */
  readonly graph: Uint8Array;
  readonly externalData: readonly { readonly path: string; readonly data: Uint8Array }[];
  /** More of them, on WASM only. */
  readonly computedData?: readonly { readonly path: string; readonly data: ComputedBytes }[];
  readonly graphOptimizationLevel: "disabled" | "basic" | "extended" | "all";
  /** Session configuration entries, for example `session.disable_quant_qdq`. */
  readonly configEntries: Readonly<Record<string, string>>;
  /** Outputs that stay on the device (WebGPU must know them beforehand). */
  readonly residentOutputs: readonly string[];
}

const BYTES_PER_ELEMENT: Readonly<Record<ElementType, number>> = {
  float32: 4,
  float16: 2,
  int64: 8,
  int32: 4,
  bool: 1,
};

export function bytesPerElement(type: ElementType): number {
  return BYTES_PER_ELEMENT[type];
}

export function elementCount(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

/** Reads raw bytes as a tensor. The bytes must be the caller's own copy, starting at offset 0. */
export function tensorFromBytes(type: ElementType, dims: readonly number[], bytes: ArrayBuffer): HostTensor {
  switch (type) {
    case "float32":
      return { type, dims, data: new Float32Array(bytes) };
    case "float16":
      return { type, dims, data: new Uint16Array(bytes) };
    case "int64":
      return { type, dims, data: new BigInt64Array(bytes) };
    case "int32":
      return { type, dims, data: new Int32Array(bytes) };
    case "bool":
      return { type, dims, data: new Uint8Array(bytes) };
  }
}

/** An int64 tensor of the given shape. */
export function int64Tensor(values: readonly number[] | Int32Array, dims: readonly number[]): HostTensor {
  const data = new BigInt64Array(values.length);
  for (let i = 0; i < values.length; i += 1) data[i] = BigInt(values[i] ?? 0);
  return { type: "int64", dims, data };
}

/** An all-zero tensor; with a dimension of 0 it is empty (the cache before the first token). */
export function zeroTensor(type: ElementType, dims: readonly number[]): HostTensor {
  return tensorFromBytes(type, dims, new ArrayBuffer(elementCount(dims) * bytesPerElement(type)));
}
