import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDecoderReference } from "../../tests/decoders/decoder-reference.ts";
import {
  buildProbe,
  findResidualStream,
  foldGraph,
  OnnxGraphError,
  planFolding,
  readOnnxGraph,
} from "./index.ts";
import { bytesField, concatBytes, messageField, varintField } from "./wire-writer.ts";

const ROOT = "tests/fixtures/decoders";
const decoders = readdirSync(ROOT).sort();
const model = (name: string): Uint8Array => new Uint8Array(readFileSync(`${ROOT}/${name}/onnx/model.onnx`));
const reference = (name: string) =>
  parseDecoderReference(JSON.parse(readFileSync(`${ROOT}/${name}/reference.json`, "utf8")));

const node = (op: string, inputs: string[], outputs: string[]): Uint8Array =>
  messageField(1, [
    ...inputs.map((name) => bytesField(1, name)),
    ...outputs.map((name) => bytesField(2, name)),
    bytesField(4, op),
  ]);

describe("readOnnxGraph", () => {
  test.each(decoders)("sees in %s what the onnx package sees", (name) => {
    const graph = readOnnxGraph(model(name));
    const expected = reference(name).graph;
    const operators: Record<string, number> = {};
    for (const { op } of graph.nodes) operators[op] = (operators[op] ?? 0) + 1;
    const last = graph.nodes.at(-1);
    expect({
      producer: graph.producer,
      opsets: Object.fromEntries(graph.opsets),
      operators,
      lastNode: { operator: last?.op, inputs: last?.inputs, outputs: last?.outputs },
      initialisers: Object.fromEntries(
        [...graph.initialisers].map(([key, tensor]) => [key, [tensor.elementType, ...tensor.dims]]),
      ),
      inputs: graph.inputs.map((input) => [input.name, input.elementType, ...(input.shape ?? [])]),
      outputs: graph.outputs.map((output) => output.name),
    }).toEqual(expected);
  });

  test("reads a graph field that occurs twice as the union", () => {
    const bytes = concatBytes([
      varintField(1, 8),
      messageField(7, [node("Relu", ["x"], ["y"])]),
      messageField(7, [node("Exp", ["y"], ["z"])]),
    ]);
    expect(readOnnxGraph(bytes).nodes.map(({ op }) => op)).toEqual(["Relu", "Exp"]);
  });

  test("tells where external weights lie", () => {
    const entry = (key: string, value: string) =>
      messageField(13, [bytesField(1, key), bytesField(2, value)]);
    const tensor = messageField(5, [
      varintField(1, 4),
      varintField(2, 1),
      bytesField(8, "w"),
      entry("location", "model.onnx_data"),
      entry("offset", "4096"),
      entry("length", "16"),
      varintField(14, 1),
    ]);
    const graph = readOnnxGraph(messageField(7, [tensor, node("Relu", ["w"], ["y"])]));
    expect(graph.initialisers.get("w")).toEqual({
      dims: [4],
      elementType: 1,
      external: { location: "model.onnx_data", offset: 4096, length: 16 },
      raw: null,
    });
  });

  test("names what a subgraph reads from outside it", () => {
    const branch = [node("Add", ["outer", "inner"], ["sum"]), messageField(12, [bytesField(1, "sum")])];
    const inner = messageField(5, [bytesField(8, "inner")]);
    const attribute = messageField(5, [bytesField(1, "then_branch"), messageField(6, [inner, ...branch])]);
    const conditional = messageField(1, [
      bytesField(1, "c"),
      bytesField(2, "y"),
      bytesField(4, "If"),
      attribute,
    ]);
    expect(readOnnxGraph(messageField(7, [conditional])).nodes[0]?.captures).toEqual(["outer"]);
  });

  test.each([
    ["an empty file", "", /empty/],
    ["a web page", "<!DOCTYPE html><html><body>Not found</body></html>", /web page/],
    ["a JSON text", '{"error":"Repository not found"}', /JSON/],
    ["a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0", /Git LFS/],
  ])("says so when it is given %s", (_what, text, message) => {
    expect(() => readOnnxGraph(new TextEncoder().encode(text))).toThrow(message);
  });

  test("refuses subgraphs nested without end and graphs without nodes", () => {
    let graph: Uint8Array[] = [node("Relu", ["x"], ["y"])];
    for (let depth = 0; depth < 40; depth += 1) {
      graph = [
        messageField(1, [bytesField(4, "If"), messageField(5, [bytesField(1, "b"), messageField(6, graph)])]),
      ];
    }
    expect(() => readOnnxGraph(messageField(7, graph))).toThrow(/deeper/);
    expect(() => readOnnxGraph(varintField(1, 8))).toThrow(/no graph/);
  });

  test("neither crashes nor hangs on 10,000 damaged graphs", () => {
    const originals = [
      ...["llama-genai", "phi3-genai", "opt-optimum"].map(model),
      new Uint8Array(readFileSync("tests/fixtures/block-quantised/look-up/onnx/model_q4.onnx")),
    ];
    const edit = fc.record({
      at: fc.nat(),
      kind: fc.nat({ max: 3 }),
      byte: fc.nat({ max: 255 }),
      span: fc.nat({ max: 64 }),
    });
    let refused = 0;
    let longestMs = 0;
    fc.assert(
      fc.property(fc.nat({ max: 3 }), fc.array(edit, { minLength: 1, maxLength: 8 }), (which, edits) => {
        const started = performance.now();
        try {
          const bytes = damaged(originals[which] ?? new Uint8Array(), edits);
          const graph = readOnnxGraph(bytes);
          buildProbe(graph, findResidualStream(graph, 3));
          const plan = planFolding(graph);
          if (plan.matrices.length > 0) readOnnxGraph(foldGraph(bytes, plan));
        } catch (error) {
          if (!(error instanceof OnnxGraphError)) throw error;
          refused += 1;
        }
        longestMs = Math.max(longestMs, performance.now() - started);
      }),
      { seed: 20_261, numRuns: 10_000 },
    );
    expect(refused).toBeGreaterThan(1_000);
    expect(longestMs).toBeLessThan(5_000);
  }, 600_000);
});

interface Edit {
  readonly at: number;
  readonly kind: number;
  readonly byte: number;
  readonly span: number;
}

/** Overwrites, inserts, removes, or cuts off; half of the time near the start, where the nodes are. */
function damaged(original: Uint8Array, edits: readonly Edit[]): Uint8Array {
  let bytes = original;
  for (const { at, kind, byte, span } of edits) {
    const place = at % Math.max(1, span % 2 === 0 ? bytes.length : Math.min(bytes.length, 40_000));
    if (kind === 0) {
      bytes = bytes.slice();
      bytes[place] = byte;
    } else if (kind === 1) {
      bytes = concatBytes([bytes.subarray(0, place), new Uint8Array(span).fill(byte), bytes.subarray(place)]);
    } else if (kind === 2) bytes = concatBytes([bytes.subarray(0, place), bytes.subarray(place + span)]);
    else if (byte < 32) bytes = bytes.subarray(0, place);
  }
  return bytes;
}
