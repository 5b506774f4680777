/** Turns the 4- and 8-bit blocks of a graph's weights into 32-bit floats at loading, for WebAssembly. */
import {
  blocksOf,
  dequantise,
  ElementType,
  foldGraph,
  planFolding,
  readOnnxGraph,
  type FoldedMatrix,
  type FoldingPlan,
  type OnnxGraph,
  type OnnxInitialiser,
} from "../../onnx/index.ts";
import { EngineError } from "../engine-error.ts";
import type { ComputedBytes, SessionRequest } from "../runtime/tensor.ts";

export interface FoldedGraph {
  readonly bytes: Uint8Array;
  readonly graph: OnnxGraph;
  readonly computedData: NonNullable<SessionRequest["computedData"]>;
  /** Whether any weights were folded: the last bits of the results differ then. */
  readonly folded: boolean;
  /** A sentence for the reader, or null where the graph has no such weights. */
  readonly note: string | null;
}

/** A 32-bit heap, less what caches (`batch-size.ts`), activations and the runtime itself need. */
export const MOST_WEIGHT_BYTES = 3.25 * 2 ** 30;

/**
 * Folds where memory allows. While a session is made, all weights and a second, packed copy of one matrix exist.
 *
 * @param bytes - the graph's file
 * @param data - its external data by location
 * @param mostBytes - what weights may take on the heap
 * @throws {EngineError} `graph-unsupported` if weights are missing or cut off
 */
export function foldForWasm(
  bytes: Uint8Array,
  graph: OnnxGraph,
  data: ReadonlyMap<string, Uint8Array>,
  mostBytes: number = MOST_WEIGHT_BYTES,
): FoldedGraph {
  const plan = planFolding(graph);
  const needed = plan.matrices.length === 0 ? 0 : heapBytes(plan, graph);
  const slow = slowNote(plan, needed, mostBytes);
  if (plan.matrices.length === 0 || needed > mostBytes) {
    return { bytes, graph, computedData: [], folded: false, note: slow };
  }
  const rewritten = foldGraph(bytes, plan);
  const computedData = plan.matrices.map((matrix) => ({
    path: matrix.name,
    data: new FoldedBytes(matrix, (name) => tensorBytes(name, bytes, graph.initialisers.get(name), data)),
  }));
  const folded = `Its quantised weights were turned into 32-bit floats (${inMegabytes(plan.bytes)}), which WebAssembly computes faster.`;
  return {
    bytes: rewritten,
    graph: readOnnxGraph(rewritten),
    computedData,
    folded: true,
    note: slow === null ? folded : `${folded} ${slow}`,
  };
}

/** @param needed - bytes on the heap if it were folded; 0 where there is nothing to fold */
function slowNote(plan: FoldingPlan, needed: number, mostBytes: number): string | null {
  const slowly = "weights run through WebAssembly’s slow kernel for few bits, because";
  if (needed > mostBytes) {
    return `Its ${slowly} 32-bit floats would need ${inMegabytes(needed)} and there is room for ${inMegabytes(mostBytes)}.`;
  }
  return plan.left === null
    ? null
    : `${plan.left.nodes} of its ${slowly} they could not be turned into floats (${plan.left.reason}).`;
}

function heapBytes(plan: FoldingPlan, graph: OnnxGraph): number {
  let others = 0;
  for (const [name, { dims, elementType }] of graph.initialisers) {
    if (plan.dropped.has(name)) continue;
    others += dims.reduce((product, size) => product * size, ELEMENT_BYTES[elementType] ?? 1);
  }
  return others + plan.bytes + plan.largestBytes;
}

/** By ONNX element type; a byte for those not listed. */
const ELEMENT_BYTES: Readonly<Record<number, number>> = {
  [ElementType.FLOAT]: 4,
  [ElementType.UINT16]: 2,
  [ElementType.INT16]: 2,
  [ElementType.INT32]: 4,
  [ElementType.INT64]: 8,
  [ElementType.FLOAT16]: 2,
  [ElementType.DOUBLE]: 8,
  [ElementType.UINT32]: 4,
  [ElementType.UINT64]: 8,
  [ElementType.BFLOAT16]: 2,
};

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;

/** One folded matrix. Its floats exist from the session's question until the session has copied them. */
class FoldedBytes implements ComputedBytes {
  readonly byteLength: number;
  readonly #compute: () => Float32Array<ArrayBuffer>;

  /** Finds the stored weights at once, so that missing ones are named here and not by the runtime. */
  constructor({ layout, quants, scales, zeroPoints }: FoldedMatrix, read: (name: string) => StoredTensor) {
    this.byteLength = 4 * layout.rows * layout.columns;
    const integers = read(quants).bytes;
    const factors = asFloats(read(scales).bytes);
    const zero = zeroPoints === null ? null : read(zeroPoints);
    const zeros = zero === null ? null : zero.isFloat ? asFloats(zero.bytes) : zero.bytes;
    if (integers.length < layout.rows * layout.rowBytes || factors.length < layout.rows * blocksOf(layout)) {
      throw cutOff(quants);
    }
    this.#compute = () => dequantise(layout, integers, factors, zeros);
  }

  subarray(start: number, end: number): Uint8Array {
    return new Uint8Array(this.#compute().buffer, start, end - start);
  }
}

interface StoredTensor {
  readonly bytes: Uint8Array;
  readonly isFloat: boolean;
}

function tensorBytes(
  name: string,
  file: Uint8Array,
  tensor: OnnxInitialiser | undefined,
  data: ReadonlyMap<string, Uint8Array>,
): StoredTensor {
  if (!tensor) throw cutOff(name);
  const isFloat = tensor.elementType === ElementType.FLOAT;
  if (tensor.raw) return { bytes: file.subarray(tensor.raw.start, tensor.raw.end), isFloat };
  const { location, offset, length } = tensor.external ?? { location: "", offset: 0, length: 0 };
  const whole = data.get(location);
  const end = offset + (length ?? (whole?.length ?? 0) - offset);
  if (!whole || !(offset >= 0 && end <= whole.length)) throw cutOff(name);
  return { bytes: whole.subarray(offset, end), isFloat };
}

/** The file's bytes may begin anywhere, and a list of floats only at multiples of four. */
const asFloats = (bytes: Uint8Array): Float32Array =>
  new Float32Array(bytes.slice().buffer, 0, Math.floor(bytes.length / 4));

function cutOff(name: string): EngineError {
  return new EngineError(
    "graph-unsupported",
    `The weights ${name} are not where the graph says. A file of the model may be missing or cut off: fetch it again.`,
    { tensor: name },
  );
}
