import * as ort from "onnxruntime-web/wasm";
import wasmModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import wasmBinary from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import * as v from "valibot";
import { beforeAll, describe, expect, test } from "vitest";
import { fetchBytes, floats, loadProbed, runProbed } from "../../tests/decoders/probed-decoder.ts";
import { findResidualStream, ProbeOutput, readOnnxGraph } from "./index.ts";

const FOLDER = "/models/SmolLM2-135M-Instruct/onnx";
const LAYERS = 30;

const residualReference = v.object({
  dims: v.tuple([v.number(), v.number(), v.number()]),
  residualFloat32Base64: v.string(),
  prompts: v.array(v.object({ ids: v.array(v.number()), topIds: v.array(v.number()) })),
});

beforeAll(() => {
  ort.env.wasm.wasmPaths = { mjs: wasmModule, wasm: wasmBinary };
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
});

describe("the bundled SmolLM2-135M-Instruct", () => {
  test.each(["model_q4.onnx", "model_q4_webgpu.onnx"])("shows all its layers in %s", async (file) => {
    const residual = findResidualStream(readOnnxGraph(await fetchBytes(`${FOLDER}/${file}`)), LAYERS);
    expect(residual).toMatchObject({ status: "found", additionsPerLayer: 2, hiddenSums: [] });
    expect(residual.status === "found" && residual.points.length).toBe(LAYERS + 1);
  });

  test("has PyTorch's residual stream on WASM in every layer, after subtracting the mean over prompts", async () => {
    const response = await fetch("/tests/fixtures/smollm2-residual.json");
    const { dims, residualFloat32Base64, prompts } = v.parse(residualReference, await response.json());
    const [count, points, width] = dims;
    expect([count, points]).toEqual([10, LAYERS + 1]);
    const raw = Uint8Array.from(atob(residualFloat32Base64), (character) => character.charCodeAt(0));
    const expected = new Float32Array(raw.buffer);
    const bytes = await fetchBytes(`${FOLDER}/model_q4.onnx`);
    const paths = ["model_q4.onnx_data", "model_q4.onnx_data_1", "model_q4.onnx_data_2"];
    const externalData = await Promise.all(
      paths.map(async (path) => ({ path, data: await fetchBytes(`${FOLDER}/${path}`) })),
    );
    const decoder = await loadProbed(ort, bytes, LAYERS, {
      executionProviders: ["wasm"],
      externalData,
      extra: { session: { disable_quant_qdq: "1" } },
    });
    const got = new Float32Array(expected.length);
    let sameTop = 0;
    for (const [index, { ids, topIds }] of prompts.entries()) {
      const last = ids.length - 1;
      const outputs = await runProbed(ort, decoder, {
        tokens: [ids],
        poolRows: [last],
        meanWeights: [],
        logitRows: [last],
        topK: 1,
        givenIds: [[]],
      });
      got.set(floats(outputs, ProbeOutput.poolLast), index * points * width);
      if (Number(outputs[ProbeOutput.topIds]?.data[0]) === topIds[0]) sameTop += 1;
    }
    await decoder.session.release();
    const layers = Array.from({ length: points }, (_, point) => {
      const rows = (all: Float32Array): Float32Array[] =>
        prompts.map((_prompt, index) =>
          all.subarray((index * points + point) * width, (index * points + point + 1) * width),
        );
      const [a, b] = [rows(got), rows(expected)];
      const error = a.map((row, index) => relativeL2(row, b[index] ?? row));
      return { cosine: smallestCosine(centred(a), centred(b)), relativeL2: Math.max(...error) };
    });
    console.info("SmolLM2 on WASM, per layer", JSON.stringify(layers), "same top token", sameTop);
    // The embedding of the last prompt token, which is the same in all prompts, leaves nothing after centring.
    expect(layers[0]?.relativeL2).toBeLessThan(1e-3);
    for (const { cosine } of layers.slice(1)) expect(cosine).toBeGreaterThan(0.99);
    expect(sameTop).toBeGreaterThanOrEqual(9);
  });
});

function centred(rows: readonly Float32Array[]): Float32Array[] {
  return rows.map((row) =>
    row.map(
      (value, column) => value - rows.reduce((sum, other) => sum + (other[column] ?? NaN), 0) / rows.length,
    ),
  );
}

function smallestCosine(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  const dot = (x: Float32Array, y: Float32Array): number =>
    x.reduce((sum, value, i) => sum + value * (y[i] ?? NaN), 0);
  return Math.min(
    ...a.map((row, index) => {
      const other = b[index] ?? new Float32Array(0);
      return dot(row, other) / Math.sqrt(dot(row, row) * dot(other, other));
    }),
  );
}

function relativeL2(got: Float32Array, expected: Float32Array): number {
  const difference = got.reduce((sum, value, i) => sum + (value - (expected[i] ?? NaN)) ** 2, 0);
  return Math.sqrt(difference / expected.reduce((sum, value) => sum + value ** 2, 0));
}
