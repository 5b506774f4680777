import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { appendProbe, buildProbe, findResidualStream, readOnnxGraph } from "./index.ts";
import { DEFAULT_READER_BOUNDS, ReaderBudget, WireReader } from "./wire-reader.ts";

const read = (path: string): Uint8Array => new Uint8Array(readFileSync(path));
const CASES = [
  ["tests/fixtures/logits/opset13-v3072-f32.onnx", 1],
  ["tests/fixtures/logits/opset21-v50257-f32.onnx", 1],
  ["tests/fixtures/decoders/llama-genai/onnx/model.onnx", 3],
  ["tests/fixtures/decoders/gpt2-optimum/onnx/model.onnx", 3],
] as const;

/** Names of the tensors that the appended bytes define, as often as they define them. */
function definitions(append: Uint8Array): string[] {
  const names: string[] = [];
  const model = new WireReader(append, new ReaderBudget(DEFAULT_READER_BOUNDS));
  while (model.next()) {
    expect(model.field).toBe(7);
    const graph = model.message();
    while (graph.next()) {
      const nameField = { 1: 2, 5: 8, 11: 1 }[graph.field];
      if (nameField === undefined) graph.skip();
      else {
        const part = graph.message();
        while (part.next()) {
          if (part.field === nameField) names.push(part.string());
          else part.skip();
        }
      }
    }
  }
  return names;
}

describe("buildProbe", () => {
  test.each(CASES)("defines each tensor once and only uses what is defined, for %s", (path, layers) => {
    const bytes = read(path);
    const graph = readOnnxGraph(bytes);
    const residual = findResidualStream(graph, layers);
    const probe = buildProbe(graph, residual);
    const names = definitions(probe.append);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => name.startsWith("sago_"))).toBe(true);
    const whole = readOnnxGraph(appendProbe(bytes, probe));
    const known = new Set([...whole.inputs.map(({ name }) => name), ...whole.initialisers.keys(), ""]);
    for (const { outputs } of whole.nodes) for (const output of outputs) known.add(output);
    for (const { inputs } of whole.nodes) for (const input of inputs) expect(known, input).toContain(input);
    for (const { name } of [...probe.outputs, ...whole.outputs]) expect(known).toContain(name);
  });

  test("adds a few kilobytes and leaves the file's own bytes as they are", () => {
    const bytes = read("tests/fixtures/decoders/llama-genai/onnx/model.onnx");
    const graph = readOnnxGraph(bytes);
    const probe = buildProbe(graph, findResidualStream(graph, 3));
    expect(probe.append.length).toBeLessThan(8_192);
    expect(Buffer.compare(appendProbe(bytes, probe).subarray(0, bytes.length), bytes)).toBe(0);
    expect(probe.largestTopK).toBe(112);
  });
});
