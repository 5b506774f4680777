import { blocksOf, zeroPointRowBytes, type BlockLayout } from "./block-quantised.ts";
import { nodeField } from "./graph-extension.ts";
import { ElementType, type OnnxGraph, type OnnxInitialiser, type OnnxNode } from "./onnx-graph.ts";
import { concatBytes } from "./wire-writer.ts";

/** A matrix that becomes 32-bit floats. The tensors are named as in the graph's initialisers. */
export interface FoldedMatrix {
  /** The new initialiser `[rows, columns]` float32, and the place that its bytes are read from. */
  readonly name: string;
  readonly layout: BlockLayout;
  readonly quants: string;
  readonly scales: string;
  readonly zeroPoints: string | null;
}

export interface FoldingPlan {
  readonly matrices: readonly FoldedMatrix[];
  /** What stands in for a node, by its place in `graph.nodes`. */
  readonly replacements: ReadonlyMap<number, Uint8Array>;
  /** Initialisers that nothing reads any more. */
  readonly dropped: ReadonlySet<string>;
  /** Bytes of all folded matrices, and of the largest one. */
  readonly bytes: number;
  readonly largestBytes: number;
  /** Block-quantised nodes that stay as they are, and why the first of them does; null if there is none. */
  readonly left: { readonly nodes: number; readonly reason: string } | null;
}

const MICROSOFT = "com.microsoft";
const PREFIX = "sago_folded_";
/** Elements of one matrix; more than this is more than a 32-bit heap holds as floats. */
const MOST_ELEMENTS = 2 ** 30;

/**
 * Finds the nodes whose block-quantised weights can be turned into 32-bit floats at loading: `MatMulNBits` with 32-bit
 * scales becomes a product with a constant, `GatherBlockQuantized` a look-up in one. WebAssembly has fast kernels for
 * 32-bit floats only, and none at all for the second.
 *
 * Only the graph is looked at; the weights are read by who carries the plan out.
 */
export function planFolding(graph: OnnxGraph): FoldingPlan {
  const matrices = new Map<string, FoldedMatrix>();
  const replacements = new Map<number, Uint8Array>();
  let left: FoldingPlan["left"] = null;
  const taken = [...graph.initialisers.keys(), ...graph.nodes.flatMap(({ outputs }) => outputs)].some(
    (name) => name.startsWith(PREFIX),
  );
  const constants = constantsOf(graph);
  graph.nodes.forEach((node, index) => {
    if (node.domain !== MICROSOFT || !(node.op === "MatMulNBits" || node.op === "GatherBlockQuantized"))
      return;
    const matrix = taken ? "its tensor names are taken" : matrixOf(node, constants);
    if (typeof matrix === "string") {
      left = { nodes: (left?.nodes ?? 0) + 1, reason: left?.reason ?? `${node.op}: ${matrix}` };
      return;
    }
    const key = JSON.stringify(matrix);
    const known = matrices.get(key) ?? { ...matrix, name: `${PREFIX}${matrices.size}` };
    matrices.set(key, known);
    replacements.set(index, node.op === "MatMulNBits" ? product(node, known.name) : lookUp(node, known.name));
  });
  const sizes = [...matrices.values()].map(({ layout }) => 4 * layout.rows * layout.columns);
  return {
    matrices: [...matrices.values()],
    replacements,
    dropped: unread(graph, replacements),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    largestBytes: Math.max(0, ...sizes),
    left,
  };
}

/** Initialisers that no caller can override, which in old files those are that are inputs too. */
function constantsOf(graph: OnnxGraph): ReadonlyMap<string, OnnxInitialiser> {
  const inputs = new Set(graph.inputs.map(({ name }) => name));
  return new Map([...graph.initialisers].filter(([name]) => !inputs.has(name)));
}

/** The node's matrix, or why it cannot be folded. */
function matrixOf(
  node: OnnxNode,
  constants: ReadonlyMap<string, OnnxInitialiser>,
): Omit<FoldedMatrix, "name"> | string {
  const isProduct = node.op === "MatMulNBits";
  const quants = node.inputs[isProduct ? 1 : 0] ?? "";
  const scales = node.inputs[2] ?? "";
  const zeroPoints = node.inputs[3] ?? "";
  const stored = constants.get(quants);
  const scale = constants.get(scales);
  const zero = zeroPoints === "" ? null : constants.get(zeroPoints);
  if (!stored || !scale || zero === undefined) return "its weights are computed, not stored";
  if (isProduct && (node.inputs[4] ?? "") !== "") return "its columns are reordered (g_idx)";
  if (scale.elementType !== ElementType.FLOAT) return "its scales are not 32-bit floats";
  const layout = isProduct ? productLayout(node, stored) : tableLayout(node, stored);
  if (typeof layout === "string") return layout;
  const floats = 4 * layout.rows * blocksOf(layout);
  const packed = layout.rows * zeroPointRowBytes(layout);
  if (!holds(stored, layout.rows * layout.rowBytes) || !holds(scale, floats))
    return "its weights have an unknown form";
  if (zero !== null) {
    const isFloat = zero.elementType === ElementType.FLOAT;
    if (!isFloat && zero.elementType !== stored.elementType) return "its zero points have an unknown type";
    if (!holds(zero, isFloat ? floats : packed)) return "its zero points have an unknown form";
  }
  return { layout, quants, scales, zeroPoints: zero === null ? null : zeroPoints };
}

function productLayout(node: OnnxNode, stored: OnnxInitialiser): BlockLayout | string {
  const rows = integer(node, "N", 0);
  const columns = integer(node, "K", 0);
  const blockSize = integer(node, "block_size", 0);
  const bits = bitsOf(node);
  if (bits === null) return "it has neither 4 nor 8 bits";
  if (!fits(rows, columns, blockSize)) return "its sizes are out of range";
  if (stored.elementType !== ElementType.UINT8) return "its integers are not bytes";
  const rowBytes = (Math.ceil(columns / blockSize) * blockSize * bits) / 8;
  return { rows, columns, blockSize, bits, signed: false, rowBytes, defaultZeroPoint: 2 ** (bits - 1) };
}

/** @see ONNX Runtime, ContribOperators: bytes have a default zero point of 2^(bits − 1), 4-bit types one of 0 */
function tableLayout(node: OnnxNode, stored: OnnxInitialiser): BlockLayout | string {
  const { elementType, dims } = stored;
  const isBytes = elementType === ElementType.UINT8;
  if (!isBytes && elementType !== ElementType.UINT4 && elementType !== ElementType.INT4)
    return "its integers are of another type";
  const bits = isBytes ? bitsOf(node) : 4;
  if (bits === null) return "it has neither 4 nor 8 bits";
  const axis = integer(node, "quantize_axis", 1);
  if (dims.length !== 2 || integer(node, "gather_axis", 0) !== 0 || (axis !== 1 && axis !== -1)) {
    return "it is not a look-up of whole rows";
  }
  const [rows = 0, width = 0] = dims;
  const columns = isBytes ? (width * 8) / bits : width;
  const blockSize = integer(node, "block_size", 128);
  if (!fits(rows, columns, blockSize)) return "its sizes are out of range";
  const layout: BlockLayout = {
    rows,
    columns,
    blockSize,
    bits,
    signed: elementType === ElementType.INT4,
    rowBytes: Math.ceil((columns * bits) / 8),
    defaultZeroPoint: isBytes ? 2 ** (bits - 1) : 0,
  };
  // The 4-bit types are packed over row ends; only whole bytes a row can be told apart from the bytes' own layout.
  const evenRows = columns % 2 === 0 && blocksOf(layout) % 2 === 0;
  return isBytes || evenRows ? layout : "its rows do not end at whole bytes";
}

const integer = (node: OnnxNode, name: string, fallback: number): number => {
  const value = node.attributes.get(name) ?? fallback;
  return typeof value === "number" && Number.isInteger(value) ? value : Number.NaN;
};

const bitsOf = (node: OnnxNode): 4 | 8 | null => {
  const bits = integer(node, "bits", 4);
  return bits === 4 || bits === 8 ? bits : null;
};

/** ONNX Runtime takes powers of two from 16 on as block sizes. */
const fits = (rows: number, columns: number, blockSize: number): boolean =>
  rows > 0 &&
  columns > 0 &&
  rows * columns <= MOST_ELEMENTS &&
  blockSize >= 16 &&
  blockSize <= 2 ** 20 &&
  Number.isInteger(Math.log2(blockSize));

/** Whether the tensor's bytes are where they can be read, and as many as expected. */
function holds({ external, raw }: OnnxInitialiser, bytes: number): boolean {
  if (external) return external.location !== "" && (external.length ?? bytes) === bytes;
  return raw !== null && raw.end - raw.start === bytes;
}

function product(node: OnnxNode, weights: string): Uint8Array {
  const [input = ""] = node.inputs;
  const bias = node.inputs[5] ?? "";
  const [output = ""] = node.outputs;
  // Both operands are one another's neighbours in memory as they are stored, so nothing has to be transposed.
  const multiply = (to: string): Uint8Array =>
    nodeField("FusedMatMul", [input, weights], [to], { transB: 1 }, MICROSOFT);
  if (bias === "") return multiply(output);
  const unbiased = `${output}_unbiased`;
  return concatBytes([multiply(unbiased), nodeField("Add", [unbiased, bias], [output])]);
}

function lookUp(node: OnnxNode, weights: string): Uint8Array {
  return nodeField("Gather", [weights, node.inputs[1] ?? ""], [node.outputs[0] ?? ""], { axis: 0 });
}

/** Initialisers that only replaced nodes read. */
function unread(graph: OnnxGraph, replacements: ReadonlyMap<number, Uint8Array>): Set<string> {
  const candidates = new Set<string>();
  const read = new Set<string>(graph.outputs.map(({ name }) => name));
  graph.nodes.forEach((node, index) => {
    if (!replacements.has(index)) [...node.inputs, ...node.captures].forEach((name) => read.add(name));
    else {
      const kept = node.op === "MatMulNBits" ? [0, 5] : [1];
      node.inputs.forEach((name, place) => (kept.includes(place) ? read : candidates).add(name));
    }
  });
  return new Set([...candidates].filter((name) => graph.initialisers.has(name) && !read.has(name)));
}
