import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { dequantise, foldGraph, planFolding, readOnnxGraph, type OnnxGraph } from "./index.ts";
import { findResidualStream } from "./residual-stream.ts";
import { bytesField, concatBytes, messageField, varintField } from "./wire-writer.ts";

const ROOT = "tests/fixtures/block-quantised";
const CASES = readdirSync(ROOT).sort();
const LAYERS: Readonly<Record<string, number>> = { symmetric: 3, "eight-bits": 3 };
const weightsSchema = v.object({ weights: v.record(v.string(), v.array(v.array(v.number()))) });

function stored(name: string): { bytes: Uint8Array; data: Uint8Array } {
  const path = `${ROOT}/${name}/onnx/model_q4.onnx`;
  const data = existsSync(`${path}_data`) ? readFileSync(`${path}_data`) : new Uint8Array();
  return { bytes: new Uint8Array(readFileSync(path)), data: new Uint8Array(data) };
}

function tensor(graph: OnnxGraph, name: string, { bytes, data }: ReturnType<typeof stored>): Uint8Array {
  const { raw, external } = graph.initialisers.get(name) ?? { raw: null, external: null };
  if (raw) return bytes.slice(raw.start, raw.end);
  if (!external) throw new Error(`${name} has no bytes`);
  return data.slice(external.offset, external.offset + (external.length ?? 0));
}

describe("folding block-quantised weights", () => {
  test.each(CASES)("gives the numbers that ONNX Runtime's own kernels take the weights of %s for", (name) => {
    const files = stored(name);
    const graph = readOnnxGraph(files.bytes);
    const plan = planFolding(graph);
    const folded = readOnnxGraph(foldGraph(files.bytes, plan));
    const expected = v.parse(weightsSchema, JSON.parse(readFileSync(`${ROOT}/${name}/weights.json`, "utf8")));
    expect(plan.left).toBeNull();
    for (const [output, rows] of Object.entries(expected.weights)) {
      const node = folded.nodes.find(({ outputs }) => outputs[0] === output);
      const matrix = plan.matrices.find((candidate) => node?.inputs.includes(candidate.name));
      if (!matrix) throw new Error(`${output} was not folded`);
      const zero = matrix.zeroPoints === null ? null : tensor(graph, matrix.zeroPoints, files);
      const weights = dequantise(
        matrix.layout,
        tensor(graph, matrix.quants, files),
        new Float32Array(tensor(graph, matrix.scales, files).buffer),
        zero,
      );
      expect([matrix.layout.rows, matrix.layout.columns]).toEqual([rows.length, rows[0]?.length]);
      // Adding 0 makes −0 a 0.
      expect(Array.from(weights, (weight) => weight + 0)).toEqual(rows.flat().map((weight) => weight + 0));
    }
  });

  test.each(CASES)(
    "leaves %s without a quantised node, with all its layers, and without unread weights",
    (name) => {
      const { bytes } = stored(name);
      const plan = planFolding(readOnnxGraph(bytes));
      const folded = readOnnxGraph(foldGraph(bytes, plan));
      expect(
        folded.nodes.filter(({ domain }) => domain === "com.microsoft").map(({ op }) => op),
      ).not.toContain("MatMulNBits");
      expect(findResidualStream(folded, LAYERS[name] ?? 2).status).toBe("found");
      const read = new Set(folded.nodes.flatMap(({ inputs }) => inputs));
      expect([...folded.initialisers.keys()].filter((key) => plan.dropped.has(key))).toEqual([]);
      expect(plan.matrices.every((matrix) => read.has(matrix.name))).toBe(true);
    },
  );

  test("reads float zero points, and a last block that is cut short", () => {
    const layout = {
      rows: 1,
      columns: 3,
      blockSize: 2,
      bits: 4,
      rowBytes: 2,
      defaultZeroPoint: 8,
    } as const;
    const quants = Uint8Array.of(0xf0, 0x09);
    const scales = Float32Array.of(2, 0.5);
    expect([...dequantise(layout, quants, scales, null)]).toEqual([-16, 14, 0.5]);
    expect([...dequantise(layout, quants, scales, Float32Array.of(0.5, 1))]).toEqual([-1, 29, 4]);
    expect(() => dequantise(layout, quants.subarray(1), scales, null)).toThrow(/cut off/);
  });

  test("adds a bias behind the product, keeps a look-up in the same weights, and shares a matrix between products", () => {
    const plan = planFolding(readOnnxGraph(tied()));
    const folded = readOnnxGraph(foldGraph(tied(), plan));
    expect(plan.matrices.length).toBe(1);
    expect(folded.nodes.map(({ op, inputs, outputs }) => [op, inputs, outputs])).toEqual([
      ["GatherBlockQuantized", ["w", "ids", "s"], ["x"]],
      ["FusedMatMul", ["x", "sago_folded_0"], ["z"]],
      ["FusedMatMul", ["z", "sago_folded_0"], ["y_unbiased"]],
      ["Add", ["y_unbiased", "bias"], ["y"]],
    ]);
    expect([...folded.initialisers.keys()]).toEqual(["w", "s", "bias", "sago_folded_0"]);
  });

  test.each([
    ["scales of 16-bit floats", { scaleType: 10 }, /32-bit floats/],
    ["weights of another length than their sizes say", { bytes: 15 }, /unknown form/],
    ["sizes out of range", { columns: 2 ** 40 }, /out of range/],
    ["two bits", { bits: 2 }, /4 nor 8/],
  ])("leaves %s to the runtime, with the reason", (_what, change, reason) => {
    const plan = planFolding(readOnnxGraph(tied(change)));
    expect(plan.matrices).toEqual([]);
    expect(plan.left?.nodes).toBe(2);
    expect(plan.left?.reason).toMatch(reason);
  });
});

/** Two rows of 16 columns in one block: an embedding and, with the same weights, two products, one with a bias. */
function tied(
  change: { scaleType?: number; bytes?: number; columns?: number; bits?: number } = {},
): Uint8Array {
  const attribute = (name: string, value: number): Uint8Array =>
    messageField(5, [bytesField(1, name), varintField(3, value), varintField(20, 2)]);
  const node = (op: string, inputs: string[], output: string, attributes: Uint8Array[]): Uint8Array =>
    messageField(1, [
      ...inputs.map((name) => bytesField(1, name)),
      bytesField(2, output),
      bytesField(4, op),
      ...attributes,
      bytesField(7, "com.microsoft"),
    ]);
  const initialiser = (name: string, type: number, dims: number[], bytes: number): Uint8Array =>
    messageField(5, [
      ...dims.map((size) => varintField(1, size)),
      varintField(2, type),
      bytesField(8, name),
      bytesField(9, new Uint8Array(bytes)),
    ]);
  const columns = change.columns ?? 16;
  const blocks = [attribute("block_size", 16), attribute("bits", change.bits ?? 4)];
  const product = [...blocks, attribute("K", columns), attribute("N", 2)];
  return concatBytes([
    varintField(1, 8),
    messageField(7, [
      node("GatherBlockQuantized", ["w", "ids", "s"], "x", blocks),
      node("MatMulNBits", ["x", "w", "s"], "z", product),
      node("MatMulNBits", ["z", "w", "s", "", "", "bias"], "y", product),
      initialiser("w", 2, [2, columns / 2], change.bytes ?? 16),
      initialiser("s", change.scaleType ?? 1, [2, 1], 8),
      initialiser("bias", 1, [2], 8),
      messageField(12, [bytesField(1, "y")]),
    ]),
  ]);
}
