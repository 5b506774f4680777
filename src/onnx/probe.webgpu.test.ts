import * as ort from "onnxruntime-web/webgpu";
import wasmModule from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url";
import wasmBinary from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import { beforeAll, describe, expect, test } from "vitest";
import {
  crowdedRows,
  HARD_ROWS,
  HARD_ROWS_EXPECTED,
  reduceLogits,
  topKFault,
} from "../../tests/decoders/logits-cases.ts";
import {
  compareWithReference,
  fetchDecoder,
  loadProbed,
  runProbed,
} from "../../tests/decoders/probed-decoder.ts";
import { ProbeOutput, readOnnxGraph } from "./index.ts";

const WEBGPU = { executionProviders: ["webgpu"] };

/**
 * WGSL promises sine and cosine only to an absolute error of 2⁻¹¹ (WebGPU Shading Language, accuracy of built-in
 * functions); 2e-4 was measured on SwiftShader. Graphs that compute rotary angles on the device inherit it,
 * those with a table of them do not.
 */
const DEVICE_ROTATION_TOLERANCE = 1e-3;

const rotatesOnDevice = (bytes: Uint8Array): boolean =>
  readOnnxGraph(bytes).nodes.some(({ op }) => op === "Cos");

beforeAll(() => {
  ort.env.wasm.wasmPaths = { mjs: wasmModule, wasm: wasmBinary };
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
});

describe("the probe on WebGPU", () => {
  test.each(["llama-optimum", "llama-genai", "gpt2-optimum", "gpt_neox-optimum"])(
    "agrees with PyTorch on every layer and every token of %s",
    async (name) => {
      const { bytes, reference } = await fetchDecoder(name);
      const agreement = await compareWithReference(ort, bytes, reference, "webgpu");
      console.info(name, JSON.stringify(agreement));
      expect(agreement.layersFound).toBe(reference.layers);
      const tolerance = rotatesOnDevice(bytes) ? DEVICE_ROTATION_TOLERANCE : 1e-4;
      for (const key of ["points", "means", "lse", "entropy", "topLogProbs", "givenLogProbs"] as const) {
        expect(agreement[key], key).toBeLessThan(tolerance);
      }
      expect(agreement.wrongTop).toBe(0);
    },
  );

  test("pools nothing where no rows are asked for", async () => {
    const { bytes, reference } = await fetchDecoder("llama-genai");
    const decoder = await loadProbed(ort, bytes, reference.layers, WEBGPU);
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
    expect(outputs[ProbeOutput.poolLast]?.dims).toEqual([reference.layers + 1, 0, 32]);
    expect(outputs[ProbeOutput.poolMean]?.dims).toEqual([reference.layers + 1, 0, 32]);
    expect(outputs[ProbeOutput.givenLogProbs]?.dims).toEqual([2, 0]);
    await decoder.session.release();
  });

  test("finds the likeliest tokens by groups of neighbours", async () => {
    const rows = crowdedRows(3_072);
    const request = { topK: 20, givenIds: rows.map(() => [0]) };
    expect(topKFault(await reduceLogits(ort, "opset21-v3072-f32", WEBGPU, rows, request), rows, 20)).toBe("");
  });

  test("is exact on hard rows of logits", async () => {
    const request = { topK: 2, givenIds: HARD_ROWS.map(() => [0]) };
    const reduced = await reduceLogits(ort, "opset21-f32", WEBGPU, HARD_ROWS, request);
    HARD_ROWS_EXPECTED.forEach(({ lse, entropy }, index) => {
      expect(Math.abs((reduced.lse[index] ?? NaN) - lse)).toBeLessThan(1e-5 * Math.max(1, Math.abs(lse)));
      expect(Math.abs((reduced.entropy[index] ?? NaN) - entropy)).toBeLessThan(1e-4);
    });
  });
});
