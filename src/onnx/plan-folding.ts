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
/** Input indices of `MatMulNBits`, after the input, the integers, the scales and the zero points. */
const COLUMN_ORDER = 4;
const BIAS = 5;
/** Elements of one matrix; more than this is more than a 32-bit heap holds as floats. */
const MOST_ELEMENTS = 2 ** 30;

/**
 * Finds the products with block-quantised weights (`MatMulNBits`, 32-bit scales) whose weights can be turned into
 * 32-bit floats at loading: WebAssembly has fast kernels for those only. A look-up in such weights
 * (`GatherBlockQuantized`) stays as it is, since it touches one row a token.
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
    if (node.domain !== MICROSOFT || node.op !== "MatMulNBits") return;
    const matrix = taken ? "its tensor names are taken" : matrixOf(node, constants);
    if (typeof matrix === "string") {
      left = { nodes: (left?.nodes ?? 0) + 1, reason: left?.reason ?? `${node.op}: ${matrix}` };
      return;
    }
    const key = JSON.stringify(matrix);
    const known = matrices.get(key) ?? { ...matrix, name: `${PREFIX}${matrices.size}` };
    matrices.set(key, known);
    replacements.set(index, product(node, known.name));
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
  const quants = node.inputs[1] ?? "";
  const scales = node.inputs[2] ?? "";
  const zeroPoints = node.inputs[3] ?? "";
  const stored = constants.get(quants);
  const scale = constants.get(scales);
  const zero = zeroPoints === "" ? null : constants.get(zeroPoints);
  if (!stored || !scale || zero === undefined) return "its weights are computed, not stored";
  if ((node.inputs[COLUMN_ORDER] ?? "") !== "") return "its columns are reordered (g_idx)";
  if (scale.elementType !== ElementType.FLOAT) return "its scales are not 32-bit floats";
  const layout = layoutOf(node, stored);
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

function layoutOf(node: OnnxNode, stored: OnnxInitialiser): BlockLayout | string {
  const rows = integer(node, "N", 0);
  const columns = integer(node, "K", 0);
  const blockSize = integer(node, "block_size", 0);
  const bits = bitsOf(node);
  if (bits === null) return "it has neither 4 nor 8 bits";
  if (!fits(rows, columns, blockSize)) return "its sizes are out of range";
  if (stored.elementType !== ElementType.UINT8) return "its integers are not bytes";
  const rowBytes = (Math.ceil(columns / blockSize) * blockSize * bits) / 8;
  return { rows, columns, blockSize, bits, rowBytes, defaultZeroPoint: 2 ** (bits - 1) };
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
  const bias = node.inputs[BIAS] ?? "";
  const [output = ""] = node.outputs;
  // Both operands are one another's neighbours in memory as they are stored, so nothing has to be transposed.
  const multiply = (to: string): Uint8Array =>
    nodeField("FusedMatMul", [input, weights], [to], { transB: 1 }, MICROSOFT);
  if (bias === "") return multiply(output);
  const unbiased = `${output}_unbiased`;
  return concatBytes([multiply(unbiased), nodeField("Add", [unbiased, bias], [output])]);
}

/** Initialisers that only replaced nodes read. */
function unread(graph: OnnxGraph, replacements: ReadonlyMap<number, Uint8Array>): Set<string> {
  const candidates = new Set<string>();
  const read = new Set<string>(graph.outputs.map(({ name }) => name));
  graph.nodes.forEach((node, index) => {
    if (!replacements.has(index)) [...node.inputs, ...node.captures].forEach((name) => read.add(name));
    else {
      node.inputs.forEach((name, place) => (place === 0 || place === BIAS ? read : candidates).add(name));
    }
  });
  return new Set([...candidates].filter((name) => graph.initialisers.has(name) && !read.has(name)));
}
