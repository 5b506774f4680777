import { ElementType, type OnnxGraph } from "./onnx-graph.ts";
import { bottlenecks, valueFlow, type Bottlenecks, type HiddenSum, type ValueFlow } from "./value-flow.ts";

export type ResidualStream =
  | {
      readonly status: "found";
      /**
       * L + 1 tensor names, each `[batch, time, d]`: entry 0 is the stream that enters the first layer, entry ℓ
       * what layer ℓ hands on, entry L what the last layer hands to the final norm.
       */
      readonly points: readonly string[];
      /** Points that the graph computes inside a fused operator only: the probe adds the terms itself. */
      readonly hiddenSums: readonly HiddenSum[];
      /** 2 for attention and MLP one after the other, 1 where they run side by side. */
      readonly additionsPerLayer: 1 | 2;
      readonly logits: string;
    }
  | {
      readonly status: "unavailable";
      /** A sentence for people. */
      readonly reason: string;
      /** Null if the graph has no recognisable logits either. */
      readonly logits: string | null;
    };

/**
 * Finds the residual stream by structure, not by name.
 *
 * Everything a decoder's layers compute from the embeddings must pass the residual stream between two layers: it
 * is the only tensor that no path from the token embedding to the logits avoids. So the points are those
 * bottlenecks of the data flow that are sums, with one summand being an earlier bottleneck handed on unchanged.
 * Norms, scalings, soft-capping, quantised linear layers and the head need no pattern of their own: they add
 * nothing to an earlier bottleneck. Where attention and MLP follow one another, each layer has two such sums, of
 * which the second is its end; where they run side by side it has one.
 *
 * @param numHiddenLayers - L of the model's configuration; a graph that disagrees is not guessed at
 */
export function findResidualStream(graph: OnnxGraph, numHiddenLayers: number): ResidualStream {
  const logits = findLogits(graph);
  if (logits === null) return unavailable("The graph has no output that could be the logits.", null);
  if (!Number.isInteger(numHiddenLayers) || numHiddenLayers < 1) {
    return unavailable("The model's configuration does not say how many layers it has.", logits);
  }
  const flow = valueFlow(graph);
  const sources = embeddings(graph, flow);
  if (sources.length === 0) return unavailable("The graph has no recognisable token embedding.", logits);
  let reason = "The token embedding does not lead to the logits.";
  for (const source of sources) {
    const necks = bottlenecks(flow, source, logits);
    if (necks === null) continue;
    const result = layersOf(flow, necks, numHiddenLayers);
    if (typeof result !== "string") return { ...result, logits };
    reason = result;
  }
  return unavailable(reason, logits);
}

const unavailable = (reason: string, logits: string | null): ResidualStream => ({
  status: "unavailable",
  reason,
  logits,
});

const FLOATS = new Set<number>([ElementType.FLOAT, ElementType.FLOAT16, ElementType.BFLOAT16]);

/** Both exporters call it `logits`; else the first output of floating-point numbers by position. */
function findLogits(graph: OnnxGraph): string | null {
  const named = graph.outputs.find((output) => output.name === "logits");
  const first = graph.outputs.find((output) => FLOATS.has(output.elementType) && output.shape?.length === 3);
  return (named ?? first)?.name ?? null;
}

const LOOK_UPS = new Set(["Gather", "GatherBlockQuantized"]);
const ID_INPUT = "input_ids";

/** Candidates for the token embedding, the likeliest first: look-ups of weights by the token ids. */
function embeddings(graph: OnnxGraph, flow: ValueFlow): string[] {
  const byIds: string[] = [];
  const others: string[] = [];
  const fromIds = new Set([ID_INPUT]);
  for (const node of flow.nodes) {
    const [table, ids] = node.inputs;
    const output = node.outputs[0];
    if (output === undefined || (ids === undefined && !HANDS_ON.has(node.op))) continue;
    if (LOOK_UPS.has(node.op) && table !== undefined && ids !== undefined) {
      if (!flow.constants.has(table) || flow.constants.has(output)) continue;
      (fromIds.has(ids) ? byIds : others).push(output);
    } else if (HANDS_ON.has(node.op) && node.inputs.some((name) => fromIds.has(name))) fromIds.add(output);
  }
  const given = graph.inputs.filter(
    (input) => FLOATS.has(input.elementType) && input.name === "inputs_embeds",
  );
  return [...byIds, ...given.map((input) => input.name), ...others].slice(0, 16);
}

/** A tensor leaves these operators as it entered, up to shape, type and a constant factor. */
const HANDS_ON = new Set([
  "Identity",
  "Cast",
  "Reshape",
  "Squeeze",
  "Unsqueeze",
  "Flatten",
  "Dropout",
  "Transpose",
]);
const SCALES = new Set(["Mul", "Div"]);
const SUMS = new Set(["Add", "Sum"]);

/** Operators through which tokens see one another, besides products of two values. */
const MIXES_TOKENS = /^(.*Attention|Conv|CausalConv.*|.*SSM.*|.*Scan|Loop|GatedDeltaNet)$/;
const PRODUCTS = new Set(["MatMul", "FusedMatMul", "Einsum", "Gemm"]);

type Layers = Pick<
  Extract<ResidualStream, { status: "found" }>,
  "status" | "points" | "hiddenSums" | "additionsPerLayer"
>;

/** The layers between two bottlenecks, or the reason why they were not recognised. */
function layersOf(flow: ValueFlow, necks: Bottlenecks, numHiddenLayers: number): Layers | string {
  const neckPlace = new Map(necks.tensors.map((name, index) => [name, index]));
  const additions: { readonly sum: string; readonly from: string }[] = [];
  for (const name of necks.tensors) {
    const node = flow.producers.get(name);
    if (!node || !SUMS.has(node.op) || node.inputs.filter((input) => necks.onPath.has(input)).length < 2)
      continue;
    const from = handedOn(flow, necks.onPath, neckPlace, node.inputs);
    if (from !== null) additions.push({ sum: name, from });
  }
  const found = additions.length;
  const first = additions[0];
  const last = additions[found - 1];
  if (first === undefined || last === undefined) {
    return "The graph has no recognisable residual stream: nothing is added to the token embedding on its way to the logits.";
  }
  const perLayer = found === 2 * numHiddenLayers ? 2 : found === numHiddenLayers ? 1 : null;
  if (perLayer === null) {
    return (
      `The graph adds to its residual stream ${found} times, which fits neither one nor two additions in each of the ` +
      `${numHiddenLayers} layers that the configuration names.`
    );
  }
  const mixing = additions.map(({ from, sum }) => mixesTokens(flow, necks.onPath, from, sum));
  const mixed = mixing.filter(Boolean).length;
  if (perLayer === 1 ? mixed !== numHiddenLayers : mixed === 0 || mixed > numHiddenLayers) {
    return (
      `The graph has ${mixed} steps in which tokens attend to one another, which does not fit the ` +
      `${numHiddenLayers} layers that the configuration names.`
    );
  }
  const points: string[] = [];
  for (let layer = 0; layer < numHiddenLayers; layer += 1) {
    const addition = additions[layer * perLayer];
    if (addition) points.push(addition.from);
  }
  points.push(last.sum);
  const normedAfter = additions.some(({ from }, index) => {
    const before = additions[index - 1];
    return before !== undefined && !handsOn(flow, before.sum, from);
  });
  if (normedAfter) {
    return "The graph normalises the sum after each layer, so that it has no unnormalised residual stream.";
  }
  const hiddenSums = points.flatMap((name) => flow.hiddenSums.get(name) ?? []);
  return { status: "found", points, hiddenSums, additionsPerLayer: perLayer };
}

/** The latest bottleneck that reaches one of the summands unchanged, or null. */
function handedOn(
  flow: ValueFlow,
  onPath: ReadonlySet<string>,
  neckPlace: ReadonlyMap<string, number>,
  summands: readonly string[],
): string | null {
  let best: string | null = null;
  const open = summands.filter((name) => onPath.has(name));
  const seen = new Set(open);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const place = neckPlace.get(name);
    if (place !== undefined) {
      if (best === null || place > (neckPlace.get(best) ?? -1)) best = name;
      continue;
    }
    const node = flow.producers.get(name);
    if (!node || !(isHandOn(flow, node.op, node.inputs) || SUMS.has(node.op))) continue;
    for (const input of node.inputs) {
      if (onPath.has(input) && !seen.has(input)) {
        seen.add(input);
        open.push(input);
      }
    }
  }
  return best;
}

const isHandOn = (flow: ValueFlow, op: string, inputs: readonly string[]): boolean =>
  HANDS_ON.has(op) || (SCALES.has(op) && inputs.some((name) => flow.constants.has(name)));

/** Whether `to` is `from`, up to shape, type and a constant factor. */
function handsOn(flow: ValueFlow, from: string, to: string): boolean {
  let name = to;
  while (name !== from) {
    const node = flow.producers.get(name);
    if (!node || !isHandOn(flow, node.op, node.inputs)) return false;
    const next = node.inputs.find((input) => !flow.constants.has(input));
    if (next === undefined) return false;
    name = next;
  }
  return true;
}

/** Whether attention, a convolution over time or the like lies between two bottlenecks. */
function mixesTokens(flow: ValueFlow, onPath: ReadonlySet<string>, from: string, to: string): boolean {
  const open = [to];
  const seen = new Set([from, to]);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const node = flow.producers.get(name);
    if (!node) continue;
    const values = node.inputs.filter((input) => onPath.has(input));
    if (MIXES_TOKENS.test(node.op) || (PRODUCTS.has(node.op) && values.length > 1)) return true;
    for (const input of values) {
      if (!seen.has(input)) {
        seen.add(input);
        open.push(input);
      }
    }
  }
  return false;
}
