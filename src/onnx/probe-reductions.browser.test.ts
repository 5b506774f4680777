import * as ort from "onnxruntime-web/wasm";
import wasmModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import wasmBinary from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import { beforeAll, describe, expect, test } from "vitest";
import {
  crowdedRows,
  HARD_ROWS,
  HARD_ROWS_EXPECTED,
  reduceLogits,
  topKFault,
} from "../../tests/decoders/logits-cases.ts";
import { fetchDecoder, floats, loadProbed, runProbed } from "../../tests/decoders/probed-decoder.ts";
import { buildProbe, findResidualStream, OnnxGraphError, ProbeOutput, readOnnxGraph } from "./index.ts";

const WASM = { executionProviders: ["wasm"] };
const MODELS = [13, 17, 18, 20, 21, 23].flatMap((opset) => [`opset${opset}-f32`, `opset${opset}-f16`]);

beforeAll(() => {
  ort.env.wasm.wasmPaths = { mjs: wasmModule, wasm: wasmBinary };
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
});

describe("the probe's reductions on WASM", () => {
  test.each(MODELS)("are exact on hard rows of logits in a graph of %s", async (model) => {
    const givenIds = HARD_ROWS.map(() => [5, 0]);
    const reduced = await reduceLogits(ort, model, WASM, HARD_ROWS, { topK: 2, givenIds });
    HARD_ROWS.forEach((row, index) => {
      const { lse, entropy } = HARD_ROWS_EXPECTED[index] ?? { lse: NaN, entropy: NaN };
      const tolerance = 1e-6 * Math.max(1, Math.abs(lse));
      expect(Math.abs((reduced.lse[index] ?? NaN) - lse)).toBeLessThan(tolerance);
      expect(Math.abs((reduced.entropy[index] ?? NaN) - entropy)).toBeLessThan(1e-5);
      const best = [...row].sort((a, b) => b - a).slice(0, 2);
      expectNats(
        reduced.topLogProbs.slice(2 * index, 2 * index + 2),
        best.map((value) => value - lse),
        tolerance,
      );
      expectNats(
        reduced.givenLogProbs.slice(2 * index, 2 * index + 2),
        [row[5] ?? NaN, row[0] ?? NaN].map((value) => value - lse),
        tolerance,
      );
      reduced.topIds.slice(2 * index, 2 * index + 2).forEach((id, rank) => expect(row[id]).toBe(best[rank]));
    });
  });

  test("show NaN and +∞ among the logits as a log-sum-exp that is not finite", async () => {
    const rows = [
      [0, NaN, 1],
      [0, Infinity, 1],
      [0, 1, 2],
    ];
    const { lse } = await reduceLogits(ort, "opset18-f32", WASM, rows, {
      topK: 1,
      givenIds: rows.map(() => [0]),
    });
    expect(lse.map(Number.isFinite)).toEqual([false, false, true]);
  });

  test("take the rows in the order they are asked for", async () => {
    const rows = [
      [0, 1],
      [5, 5],
      [9, 2],
    ];
    const request = { topK: 1, givenIds: [[0], [1], [0]], rows: [2, 0, 2] };
    const { lse } = await reduceLogits(ort, "opset13-f32", WASM, rows, request);
    const [high, low] = [9 + Math.log1p(Math.exp(-7)), 1 + Math.log1p(Math.exp(-1))];
    expectNats(lse, [high, low, high], 1e-6);
  });

  test.each(["opset13-v3072-f32", "opset18-v3072-f32", "opset21-v50257-f32"])(
    "find the likeliest tokens by groups of neighbours in %s",
    async (model) => {
      const rows = crowdedRows(Number(/v(\d+)/.exec(model)?.[1]));
      const reduced = await reduceLogits(ort, model, WASM, rows, {
        topK: 128,
        givenIds: rows.map(() => [0]),
      });
      expect(topKFault(reduced, rows, 128)).toBe("");
    },
  );

  test("hold for a vocabulary of 262,144 with the likeliest token last", async () => {
    const size = 262_144;
    const row = Array.from({ length: size }, (_, id) => (id === size - 1 ? 12 : Math.sin(id)));
    const reduced = await reduceLogits(ort, "opset18-f32", WASM, [row], {
      topK: 128,
      givenIds: [[size - 1]],
    });
    const weight = row.reduce((sum, value) => sum + Math.exp(value), 0);
    expectNats(reduced.lse, [Math.log(weight)], 2e-5);
    expect(reduced.topIds[0]).toBe(size - 1);
    expectNats(reduced.givenLogProbs, [12 - Math.log(weight)], 2e-5);
  });
});

describe("a probed decoder on WASM", () => {
  test("pools nothing where no rows are asked for, and returns only what is fetched", async () => {
    const { bytes, reference } = await fetchDecoder("llama-genai");
    const decoder = await loadProbed(ort, bytes, reference.layers, WASM);
    const pass = {
      tokens: [
        [1, 5],
        [1, 6],
      ],
      poolRows: [],
      meanWeights: [],
      logitRows: [1, 3],
      topK: 1,
      givenIds: [[], []],
    };
    const outputs = await runProbed(ort, decoder, pass);
    expect(Object.keys(outputs)).not.toContain("logits");
    expect(outputs[ProbeOutput.poolLast]?.dims).toEqual([reference.layers + 1, 0, 32]);
    expect(outputs[ProbeOutput.poolMean]?.dims).toEqual([reference.layers + 1, 0, 32]);
    expect(outputs[ProbeOutput.givenLogProbs]?.dims).toEqual([2, 0]);
    expect(floats(outputs, ProbeOutput.lse)).toHaveLength(2);
    await decoder.session.release();
  });

  test("still measures confidence where the residual stream was not found", async () => {
    const { bytes, reference } = await fetchDecoder("gpt2-optimum");
    const decoder = await loadProbed(ort, bytes, reference.layers + 1, WASM);
    expect(decoder.residual.status).toBe("unavailable");
    expect(decoder.probe.points).toBe(0);
    const prompt = reference.prompts[0]?.tokens ?? [];
    const pass = {
      tokens: [prompt],
      poolRows: [],
      meanWeights: [],
      logitRows: [prompt.length - 1],
      topK: 1,
      givenIds: [[0]],
    };
    const outputs = await runProbed(ort, decoder, pass);
    expect(Object.keys(outputs)).toHaveLength(5);
    expect(Number(outputs[ProbeOutput.topIds]?.data[0])).toBe(reference.prompts[0]?.greedy[0]);
    await decoder.session.release();
  });

  test("is refused for operators older than version 13 and for a second probe", async () => {
    const old = readOnnxGraph(
      new Uint8Array(await (await fetch("/tests/fixtures/logits/opset12-f32.onnx")).arrayBuffer()),
    );
    expect(() => buildProbe(old, findResidualStream(old, 1))).toThrow(OnnxGraphError);
    const { bytes, reference } = await fetchDecoder("llama-genai");
    const graph = readOnnxGraph(bytes);
    const { append } = buildProbe(graph, findResidualStream(graph, reference.layers));
    const probed = readOnnxGraph(Uint8Array.from([...bytes, ...append]));
    expect(() => buildProbe(probed, findResidualStream(probed, reference.layers))).toThrow(/before/);
  });
});

function expectNats(got: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(got).toHaveLength(expected.length);
  expected.forEach((value, index) => {
    if (value === -Infinity) expect(got[index]).toBeLessThan(-1e29);
    else expect(Math.abs((got[index] ?? NaN) - value)).toBeLessThan(tolerance);
  });
}
