import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseDecoderReference } from "../../tests/decoders/decoder-reference.ts";
import { findResidualStream, readOnnxGraph, type OnnxGraph } from "./index.ts";

type Line = readonly [op: string, inputs: string, outputs: string];

/** A graph from lines of operator, inputs and outputs; a name in capitals is a weight. */
function graphOf(lines: readonly Line[]): OnnxGraph {
  const nodes = lines.map(([op, inputs, outputs]) => ({
    name: "",
    op,
    domain: "",
    inputs: inputs.split(" "),
    outputs: outputs.split(" ").map((name) => (name === "-" ? "" : name)),
    attributes: new Map(),
    captures: [],
  }));
  const weights = nodes.flatMap(({ inputs }) => inputs).filter((name) => /^[A-Z]/.test(name));
  return {
    producer: "",
    irVersion: 8,
    opsets: new Map([["", 18]]),
    nodes,
    initialisers: new Map(
      weights.map((name) => [name, { dims: [4, 4], elementType: 1, external: null, raw: null }]),
    ),
    inputs: [{ name: "input_ids", elementType: 7, shape: ["batch", "time"] }],
    outputs: [{ name: "logits", elementType: 1, shape: ["batch", "time", 8] }],
    functions: [],
  };
}

const attention = (from: string, to: string): Line[] => [
  ["MatMul", `${from} Q`, `${to}_q`],
  ["MatMul", `${from} K`, `${to}_k`],
  ["MatMul", `${to}_q ${to}_k`, `${to}_scores`],
  ["Softmax", `${to}_scores`, `${to}_weights`],
  ["MatMul", `${to}_weights ${from}`, to],
];
const embedding: Line = ["Gather", "E input_ids", "h0"];
const head = (from: string): Line[] => [
  ["LayerNormalization", `${from} G`, "normed"],
  ["MatMul", "normed H", "logits"],
];
const sequential = (from: string, to: string): Line[] => [
  ["LayerNormalization", `${from} G`, `${to}_n1`],
  ...attention(`${to}_n1`, `${to}_attn`),
  ["Add", `${from} ${to}_attn`, `${to}_mid`],
  ["LayerNormalization", `${to}_mid G`, `${to}_n2`],
  ["MatMul", `${to}_n2 M`, `${to}_mlp`],
  ["Add", `${to}_mlp ${to}_mid`, to],
];

const root = "tests/fixtures/decoders";
const decoders = readdirSync(root).sort();

describe("findResidualStream", () => {
  test.each(decoders)("finds all layers of %s and none for another number of layers", (name) => {
    const graph = readOnnxGraph(new Uint8Array(readFileSync(`${root}/${name}/onnx/model.onnx`)));
    const { layers } = parseDecoderReference(
      JSON.parse(readFileSync(`${root}/${name}/reference.json`, "utf8")),
    );
    const found = findResidualStream(graph, layers);
    expect(found.status === "found" ? found.points.length : found.reason).toBe(layers + 1);
    for (const wrong of [0, 1, layers - 1, layers + 1, 2 * layers]) {
      if (wrong === layers) continue;
      const result = findResidualStream(graph, wrong);
      expect(result.status === "unavailable" ? result.reason : result.points).toMatch(/layers/);
    }
  });

  test("takes the sum after the MLP where attention and MLP follow one another", () => {
    const graph = graphOf([embedding, ...sequential("h0", "h1"), ...sequential("h1", "h2"), ...head("h2")]);
    expect(findResidualStream(graph, 2)).toEqual({
      status: "found",
      points: ["h0", "h1", "h2"],
      hiddenSums: [],
      additionsPerLayer: 2,
      logits: "logits",
    });
  });

  test.each([
    ["(mlp + attention) + stream", ["Add", "mlp attn", "both"], ["Add", "both h0", "h1"]],
    ["(stream + attention) + mlp", ["Add", "h0 attn", "both"], ["Add", "both mlp", "h1"]],
  ] satisfies [string, Line, Line][])(
    "follows parallel attention and MLP summed as %s",
    (_order, first, second) => {
      const graph = graphOf([
        embedding,
        ["LayerNormalization", "h0 G", "n"],
        ...attention("n", "attn"),
        ["MatMul", "n M", "mlp"],
        first,
        second,
        ...head("h1"),
      ]);
      expect(findResidualStream(graph, 1)).toMatchObject({ points: ["h0", "h1"], additionsPerLayer: 1 });
    },
  );

  test("takes fused skip norms apart, also where the sum has no name", () => {
    const graph = graphOf([
      embedding,
      ["SimplifiedLayerNormalization", "h0 G", "n1"],
      ...attention("n1", "attn"),
      ["SkipSimplifiedLayerNormalization", "h0 attn G", "n2 - - mid"],
      ["MatMul", "n2 M", "mlp"],
      ["SkipSimplifiedLayerNormalization", "mid mlp G", "normed"],
      ["MatMul", "normed H", "logits"],
    ]);
    expect(findResidualStream(graph, 1)).toMatchObject({
      points: ["h0", "sago_hidden_sum_0"],
      hiddenSums: [{ name: "sago_hidden_sum_0", terms: ["mid", "mlp"] }],
    });
  });

  test("passes scaled embeddings, positions, scaled branches, casts, soft-capping and a head with a correction", () => {
    const graph = graphOf([
      embedding,
      ["Mul", "h0 SCALE", "scaled"],
      ["Gather", "P position_ids", "positions"],
      ["Add", "scaled positions", "h0p"],
      ["Cast", "h0p", "h0c"],
      ["LayerNormalization", "h0c G", "n1"],
      ...attention("n1", "attn"),
      ["LayerNormalization", "attn G", "attn_n"],
      ["Mul", "attn_n SCALE", "attn_s"],
      ["Add", "h0c attn_s", "mid"],
      ["MatMul", "mid M", "mlp"],
      ["Add", "mid mlp", "h1"],
      ["Pow", "h1 TWO", "squares"],
      ["ReduceMean", "squares", "mean"],
      ["Add", "mean EPS", "stable"],
      ["Sqrt", "stable", "root"],
      ["Div", "h1 root", "normed"],
      ["Slice", "normed START", "kept"],
      ["MatMulNBits", "kept W", "coarse"],
      ["ReduceSum", "kept", "sums"],
      ["MatMul", "sums C", "correction"],
      ["Add", "coarse correction", "raw"],
      ["Div", "raw CAP", "small"],
      ["Tanh", "small", "bent"],
      ["Mul", "bent CAP", "logits"],
    ]);
    expect(findResidualStream(graph, 1)).toMatchObject({ points: ["h0c", "h1"] });
  });

  test("does not take masks made from the embedding's shape for a way around the stream", () => {
    const graph = graphOf([
      embedding,
      ["Shape", "h0", "shape"],
      ["ConstantOfShape", "shape", "mask"],
      ["LayerNormalization", "h0 G", "n1"],
      ...attention("n1", "attn"),
      ["Add", "attn mask", "masked"],
      ["Add", "h0 masked", "mid"],
      ["MatMul", "mid M", "mlp"],
      ["Add", "mid mlp", "h1"],
      ["Add", "h1 mask", "h1m"],
      ...head("h1m"),
    ]);
    expect(findResidualStream(graph, 1)).toMatchObject({ points: ["h0", "h1"] });
  });

  test("is not misled by the softmax of a router of experts", () => {
    const graph = graphOf([
      embedding,
      ["LayerNormalization", "h0 G", "n1"],
      ...attention("n1", "attn"),
      ["Add", "h0 attn", "mid"],
      ["Softmax", "mid", "router"],
      ["Mul", "mid router", "mlp"],
      ["Add", "mid mlp", "h1"],
      ...head("h1"),
    ]);
    expect(findResidualStream(graph, 1)).toMatchObject({ points: ["h0", "h1"] });
  });

  test.each([
    [
      "two layers are said to be four",
      [embedding, ...sequential("h0", "h1"), ...sequential("h1", "h2"), ...head("h2")],
      4,
      /attend/,
    ],
    ["nothing is added", [embedding, ["MatMul", "h0 W", "logits"]], 1, /nothing is added/],
    [
      "each sum is normalised before it goes on",
      [
        embedding,
        ...attention("h0", "attn"),
        ["Add", "h0 attn", "sum1"],
        ["LayerNormalization", "sum1 G", "n1"],
        ["MatMul", "n1 M", "mlp"],
        ["Add", "n1 mlp", "sum2"],
        ...head("sum2"),
      ],
      1,
      /normalises/,
    ],
    ["the embedding is missing", [["MatMul", "input_ids W", "logits"]], 1, /no recognisable token embedding/],
    ["the embedding does not reach the logits", [embedding, ["Relu", "other", "logits"]], 1, /does not lead/],
  ] satisfies [string, Line[], number, RegExp][])(
    "is unavailable with the reason where %s",
    (_what, lines, layers, reason) => {
      const result = findResidualStream(graphOf(lines), layers);
      expect(result).toMatchObject({ status: "unavailable", logits: "logits" });
      expect(result.status === "unavailable" && result.reason).toMatch(reason);
    },
  );

  test("has no logits to start from where no output could be them", () => {
    const graph = {
      ...graphOf([embedding, ...head("h0")]),
      outputs: [{ name: "ids", elementType: 7, shape: null }],
    };
    expect(findResidualStream(graph, 1)).toMatchObject({ status: "unavailable", logits: null });
  });

  test("refuses a graph whose computation runs in a circle or computes a tensor twice", () => {
    expect(() =>
      findResidualStream(graphOf([embedding, ["Add", "h0 b", "a"], ["Relu", "a", "b"]]), 1),
    ).toThrow(/circle/);
    expect(() => findResidualStream(graphOf([embedding, embedding]), 1)).toThrow(/twice/);
  });
});
