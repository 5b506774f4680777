import { OnnxGraphError } from "./onnx-graph-error.ts";
import type {
  AttributeValue,
  OnnxFunction,
  OnnxGraph,
  OnnxInitialiser,
  OnnxNode,
  OnnxValueInfo,
} from "./onnx-graph.ts";
import {
  DEFAULT_READER_BOUNDS,
  FIXED32,
  ReaderBudget,
  VARINT,
  WireReader,
  type ReaderBounds,
} from "./wire-reader.ts";

/**
 * Reads the graph of a `.onnx` file from its bytes. Weights are neither decoded nor copied: the cost depends on
 * the number of nodes, not on the file's size. A model whose graph field occurs twice is read as the union, as
 * protobuf defines it.
 *
 * @param bytes - the whole file; it is not changed and not kept
 * @throws {OnnxGraphError} for anything that is not a readable ONNX model within the bounds
 * @see onnx.proto of the ONNX specification for the field numbers
 */
export function readOnnxGraph(bytes: Uint8Array, bounds: Partial<ReaderBounds> = {}): OnnxGraph {
  rejectOtherFormats(bytes);
  const budget = new ReaderBudget({ ...DEFAULT_READER_BOUNDS, ...bounds });
  const reader = new WireReader(bytes, budget);
  const graph = emptyParts();
  const opsets = new Map<string, number>();
  const functions: OnnxFunction[] = [];
  let producer = "";
  let irVersion = 0;
  let graphs = 0;
  while (reader.next()) {
    if (reader.field === 1) irVersion = reader.integer();
    else if (reader.field === 2) producer = reader.string();
    else if (reader.field === 7) {
      graphs += 1;
      readGraph(reader.message(), graph, budget, 0);
    } else if (reader.field === 8) readOpset(reader.message(), opsets);
    else if (reader.field === 25) functions.push(readFunction(reader.message(), budget));
    else reader.skip();
  }
  if (graphs === 0 || graph.nodes.length === 0) {
    throw new OnnxGraphError("not-onnx", "The file is not an ONNX model: it has no graph.");
  }
  return { producer, irVersion, opsets, functions, ...graph };
}

interface GraphParts {
  readonly nodes: OnnxNode[];
  readonly initialisers: Map<string, OnnxInitialiser>;
  readonly inputs: OnnxValueInfo[];
  readonly outputs: OnnxValueInfo[];
}

const emptyParts = (): GraphParts => ({ nodes: [], initialisers: new Map(), inputs: [], outputs: [] });

function rejectOtherFormats(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new OnnxGraphError("not-onnx", "The model file is empty.");
  const start = new TextDecoder().decode(bytes.subarray(0, 48)).trimStart().toLowerCase();
  if (start.startsWith("<!doctype") || start.startsWith("<html") || start.startsWith("<?xml")) {
    throw new OnnxGraphError("not-onnx", "A web page was served in place of the model file.");
  }
  if (start.startsWith("{") || start.startsWith('["')) {
    throw new OnnxGraphError("not-onnx", "A JSON text was served in place of the model file.");
  }
  if (start.startsWith("version https://git-lfs")) {
    throw new OnnxGraphError("not-onnx", "The model file is a Git LFS pointer, not the model itself.");
  }
}

function readGraph(reader: WireReader, parts: GraphParts, budget: ReaderBudget, depth: number): void {
  if (depth > budget.bounds.maxDepth) {
    throw new OnnxGraphError("too-large", "The graph nests subgraphs deeper than any exporter does.");
  }
  while (reader.next()) {
    if (reader.field === 1) parts.nodes.push(readNode(reader.message(), budget, depth));
    else if (reader.field === 5) {
      const { name, initialiser } = readTensorHeader(reader.message());
      parts.initialisers.set(name, initialiser);
    } else if (reader.field === 15) {
      // SparseTensorProto names itself in its values tensor (field 1).
      const sparse = reader.message();
      while (sparse.next()) {
        if (sparse.field !== 1) sparse.skip();
        else {
          const { name, initialiser } = readTensorHeader(sparse.message());
          parts.initialisers.set(name, initialiser);
        }
      }
    } else if (reader.field === 11) parts.inputs.push(readValueInfo(reader.message()));
    else if (reader.field === 12) parts.outputs.push(readValueInfo(reader.message()));
    else reader.skip();
  }
}

function readNode(reader: WireReader, budget: ReaderBudget, depth: number): OnnxNode {
  budget.nodes += 1;
  if (budget.nodes > budget.bounds.maxNodes) {
    throw new OnnxGraphError("too-large", `The graph has more than ${budget.bounds.maxNodes} nodes.`);
  }
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, AttributeValue>();
  const captures = new Set<string>();
  let name = "";
  let op = "";
  let domain = "";
  while (reader.next()) {
    if (reader.field === 1) inputs.push(reader.string());
    else if (reader.field === 2) outputs.push(reader.string());
    else if (reader.field === 3) name = reader.string();
    else if (reader.field === 4) op = reader.string();
    else if (reader.field === 7) domain = reader.string();
    else if (reader.field === 5) readAttribute(reader.message(), attributes, captures, budget, depth);
    else reader.skip();
  }
  return {
    name,
    op,
    domain: domain === "ai.onnx" ? "" : domain,
    inputs,
    outputs,
    attributes,
    captures: [...captures],
  };
}

function readAttribute(
  reader: WireReader,
  attributes: Map<string, AttributeValue>,
  captures: Set<string>,
  budget: ReaderBudget,
  depth: number,
): void {
  let name = "";
  let scalar: AttributeValue | null = null;
  const integers: number[] = [];
  const floats: number[] = [];
  const strings: string[] = [];
  while (reader.next()) {
    if (reader.field === 1) name = reader.string();
    else if (reader.field === 2) scalar = reader.float();
    else if (reader.field === 3) scalar = reader.integer();
    else if (reader.field === 4) scalar = readShortBytes(reader);
    else if (reader.field === 7 && reader.wireType === FIXED32) {
      const value = reader.float();
      if (floats.length < budget.bounds.maxListLength) floats.push(value);
    } else if (reader.field === 8) reader.integersInto(integers);
    else if (reader.field === 9 && strings.length < budget.bounds.maxListLength)
      strings.push(readShortBytes(reader));
    else if (reader.field === 6 || reader.field === 11) {
      for (const outer of freeNames(reader.message(), budget, depth + 1)) captures.add(outer);
    } else reader.skip();
  }
  if (name === "") return;
  if (integers.length > 0) attributes.set(name, integers);
  else if (floats.length > 0) attributes.set(name, floats);
  else if (strings.length > 0) attributes.set(name, strings);
  else if (scalar !== null) attributes.set(name, scalar);
}

/** String attributes may hold arbitrary bytes (contexts, shaders); only name-sized ones are of interest. */
function readShortBytes(reader: WireReader): string {
  const length = reader.peekLength();
  if (length <= 256) return reader.string();
  reader.skip();
  return "";
}

function freeNames(reader: WireReader, budget: ReaderBudget, depth: number): Set<string> {
  const parts = emptyParts();
  readGraph(reader, parts, budget, depth);
  const own = new Set<string>(parts.initialisers.keys());
  for (const input of parts.inputs) own.add(input.name);
  for (const node of parts.nodes) for (const output of node.outputs) own.add(output);
  const free = new Set<string>();
  const use = (name: string): void => {
    if (name !== "" && !own.has(name)) free.add(name);
  };
  for (const node of parts.nodes) {
    node.inputs.forEach(use);
    node.captures.forEach(use);
  }
  for (const output of parts.outputs) use(output.name);
  return free;
}

function readTensorHeader(reader: WireReader): { name: string; initialiser: OnnxInitialiser } {
  const dims: number[] = [];
  const external = new Map<string, string>();
  let name = "";
  let elementType = 0;
  let isExternal = false;
  let raw: OnnxInitialiser["raw"] = null;
  while (reader.next()) {
    if (reader.field === 1) reader.integersInto(dims);
    else if (reader.field === 2) elementType = reader.integer();
    else if (reader.field === 8) name = reader.string();
    else if (reader.field === 9) raw = reader.range();
    else if (reader.field === 13) readEntry(reader.message(), external);
    else if (reader.field === 14 && reader.wireType === VARINT) isExternal = reader.integer() === 1;
    else reader.skip();
  }
  const place = isExternal
    ? {
        location: external.get("location") ?? "",
        offset: Number(external.get("offset") ?? 0),
        length: external.has("length") ? Number(external.get("length")) : null,
      }
    : null;
  return { name, initialiser: { dims, elementType, external: place, raw: isExternal ? null : raw } };
}

function readEntry(reader: WireReader, entries: Map<string, string>): void {
  let key = "";
  let value = "";
  while (reader.next()) {
    if (reader.field === 1) key = reader.string();
    else if (reader.field === 2) value = reader.string();
    else reader.skip();
  }
  if (entries.size < 16) entries.set(key, value);
}

function readValueInfo(reader: WireReader): OnnxValueInfo {
  let name = "";
  let elementType = 0;
  let shape: (number | string | null)[] | null = null;
  while (reader.next()) {
    if (reader.field === 1) name = reader.string();
    else if (reader.field === 2) {
      const type = reader.message();
      while (type.next()) {
        if (type.field !== 1) type.skip();
        else {
          const tensor = type.message();
          while (tensor.next()) {
            if (tensor.field === 1) elementType = tensor.integer();
            else if (tensor.field === 2) shape = readShape(tensor.message());
            else tensor.skip();
          }
        }
      }
    } else reader.skip();
  }
  return { name, elementType, shape };
}

function readShape(reader: WireReader): (number | string | null)[] {
  const shape: (number | string | null)[] = [];
  while (reader.next()) {
    if (reader.field !== 1) reader.skip();
    else {
      const dimension = reader.message();
      let size: number | string | null = null;
      while (dimension.next()) {
        if (dimension.field === 1) size = dimension.integer();
        else if (dimension.field === 2) size = dimension.string();
        else dimension.skip();
      }
      shape.push(size);
    }
  }
  return shape;
}

function readOpset(reader: WireReader, opsets: Map<string, number>): void {
  let domain = "";
  let version = 0;
  while (reader.next()) {
    if (reader.field === 1) domain = reader.string();
    else if (reader.field === 2) version = reader.integer();
    else reader.skip();
  }
  opsets.set(domain === "ai.onnx" ? "" : domain, version);
}

function readFunction(reader: WireReader, budget: ReaderBudget): OnnxFunction {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const nodes: OnnxNode[] = [];
  let name = "";
  let domain = "";
  while (reader.next()) {
    if (reader.field === 1) name = reader.string();
    else if (reader.field === 4) inputs.push(reader.string());
    else if (reader.field === 5) outputs.push(reader.string());
    else if (reader.field === 7) nodes.push(readNode(reader.message(), budget, 0));
    else if (reader.field === 10) domain = reader.string();
    else reader.skip();
  }
  return { name, domain, inputs, outputs, nodes };
}
