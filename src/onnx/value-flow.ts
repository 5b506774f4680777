import { OnnxGraphError } from "./onnx-graph-error.ts";
import type { OnnxGraph } from "./onnx-graph.ts";

/**
 * An operation as data flows through it. The fused skip-and-normalise operators are taken apart into the
 * addition and the normalisation that they stand for, so that what follows has one form to look at.
 */
export interface FlowNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** The sum inside a fused operator that the graph does not hand out under a name of its own. */
export interface HiddenSum {
  readonly name: string;
  /** Tensors to add: input, skip, and the bias where there is one. */
  readonly terms: readonly string[];
}

export interface ValueFlow {
  /** Each node after those whose outputs it reads. */
  readonly nodes: readonly FlowNode[];
  /** Tensors computed from weights alone. */
  readonly constants: ReadonlySet<string>;
  readonly producers: ReadonlyMap<string, FlowNode>;
  readonly hiddenSums: ReadonlyMap<string, HiddenSum>;
}

/** Input index of the bias in ONNX Runtime's fused operators; their fourth output is the sum. */
const FUSED_SKIP = new Map([
  ["SkipLayerNormalization", 4],
  ["SkipSimplifiedLayerNormalization", 3],
]);
const FUSED_SUM_OUTPUT = 3;

/** Orders the graph's nodes and sorts its tensors into weights and values. */
export function valueFlow(graph: OnnxGraph): ValueFlow {
  const hiddenSums = new Map<string, HiddenSum>();
  const flow: FlowNode[] = [];
  const taken = new Set(graph.nodes.flatMap((node) => node.outputs));
  for (const node of graph.nodes) {
    const biasIndex = FUSED_SKIP.get(node.op);
    const inputs = [...node.inputs, ...node.captures].filter((name) => name !== "");
    const outputs = node.outputs.filter((name) => name !== "");
    if (biasIndex === undefined) {
      flow.push({ op: node.op, inputs, outputs });
      continue;
    }
    const terms = [node.inputs[0], node.inputs[1], node.inputs[biasIndex]].filter(
      (name): name is string => name !== undefined && name !== "",
    );
    const named = node.outputs[FUSED_SUM_OUTPUT] ?? "";
    const sum = named === "" ? freeName(taken, hiddenSums.size) : named;
    if (named === "") hiddenSums.set(sum, { name: sum, terms });
    flow.push({ op: "Add", inputs: terms, outputs: [sum] });
    const weights = inputs.filter((name) => !terms.includes(name));
    flow.push({
      op: node.op,
      inputs: [sum, ...weights],
      outputs: node.outputs.filter((name, index) => name !== "" && index !== FUSED_SUM_OUTPUT),
    });
  }
  const producers = new Map<string, FlowNode>();
  for (const node of flow) {
    for (const output of node.outputs) {
      if (producers.has(output)) {
        throw new OnnxGraphError("malformed", `The graph computes the tensor “${output}” twice.`);
      }
      producers.set(output, node);
    }
  }
  const nodes = inOrder(flow, producers);
  const constants = new Set(graph.initialisers.keys());
  for (const node of nodes) {
    if (node.inputs.every((name) => constants.has(name)))
      for (const output of node.outputs) constants.add(output);
  }
  return { nodes, constants, producers, hiddenSums };
}

function freeName(taken: Set<string>, start: number): string {
  let number = start;
  while (taken.has(`sago_hidden_sum_${number}`)) number += 1;
  const name = `sago_hidden_sum_${number}`;
  taken.add(name);
  return name;
}

function inOrder(nodes: readonly FlowNode[], producers: ReadonlyMap<string, FlowNode>): FlowNode[] {
  const waiting = new Map<FlowNode, number>();
  const readers = new Map<FlowNode, FlowNode[]>();
  const ready: FlowNode[] = [];
  for (const node of nodes) {
    const sources = new Set<FlowNode>();
    for (const input of node.inputs) {
      const source = producers.get(input);
      if (source) sources.add(source);
    }
    for (const source of sources) {
      const list = readers.get(source);
      if (list) list.push(node);
      else readers.set(source, [node]);
    }
    waiting.set(node, sources.size);
    if (sources.size === 0) ready.push(node);
  }
  const ordered: FlowNode[] = [];
  for (let node = ready.pop(); node; node = ready.pop()) {
    ordered.push(node);
    for (const reader of readers.get(node) ?? []) {
      const left = (waiting.get(reader) ?? 0) - 1;
      waiting.set(reader, left);
      if (left === 0) ready.push(reader);
    }
  }
  if (ordered.length !== nodes.length) {
    throw new OnnxGraphError("malformed", "The graph's computation runs in a circle.");
  }
  return ordered;
}

/** They read a tensor's size, not its values, so nothing of the stream passes through them. */
const SIZE_ONLY = new Set(["Shape", "Size"]);

export interface Bottlenecks {
  /** Tensors that every path from source to sink passes, in order; the source first, the sink last. */
  readonly tensors: readonly string[];
  /** Tensors on some path from source to sink. */
  readonly onPath: ReadonlySet<string>;
}

/**
 * The tensors through which all information from `source` to `sink` must pass (the dominators of the sink).
 *
 * In any topological order of the tensors on the paths, one is a bottleneck exactly if no edge jumps over its
 * place: a path would otherwise avoid it, and a path that avoids it would need such an edge.
 *
 * @returns null if the source does not reach the sink
 */
export function bottlenecks(flow: ValueFlow, source: string, sink: string): Bottlenecks | null {
  const reached = new Set([source]);
  for (const node of flow.nodes) {
    if (SIZE_ONLY.has(node.op) || !node.inputs.some((name) => reached.has(name))) continue;
    for (const output of node.outputs) reached.add(output);
  }
  if (!reached.has(sink)) return null;
  const onPath = new Set([sink]);
  for (const node of [...flow.nodes].reverse()) {
    if (SIZE_ONLY.has(node.op) || !node.outputs.some((name) => onPath.has(name))) continue;
    for (const input of node.inputs) if (reached.has(input)) onPath.add(input);
  }
  const order = [source];
  for (const node of flow.nodes) {
    for (const output of node.outputs) if (output !== source && onPath.has(output)) order.push(output);
  }
  const place = new Map(order.map((name, index) => [name, index]));
  const furthest = new Array<number>(order.length).fill(0);
  for (const node of flow.nodes) {
    if (SIZE_ONLY.has(node.op)) continue;
    const last = Math.max(-1, ...node.outputs.map((name) => place.get(name) ?? -1));
    for (const input of node.inputs) {
      const from = place.get(input);
      if (from !== undefined) furthest[from] = Math.max(furthest[from] ?? 0, last);
    }
  }
  const tensors: string[] = [];
  let reach = 0;
  order.forEach((name, index) => {
    if (reach <= index) tensors.push(name);
    reach = Math.max(reach, furthest[index] ?? 0);
  });
  return { tensors, onPath };
}
