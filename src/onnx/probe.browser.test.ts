import * as ort from "onnxruntime-web/wasm";
import wasmModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import wasmBinary from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import { beforeAll, describe, expect, test } from "vitest";
import { compareWithReference, fetchDecoder } from "../../tests/decoders/probed-decoder.ts";

const DECODERS = Object.keys(import.meta.glob("../../tests/fixtures/decoders/*/reference.json"))
  .map((path) => path.split("/").at(-2) ?? "")
  .sort();

beforeAll(() => {
  ort.env.wasm.wasmPaths = { mjs: wasmModule, wasm: wasmBinary };
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
});

describe("the probe on WASM", () => {
  test.each(DECODERS)("agrees with PyTorch on every layer and every token of %s", async (name) => {
    const { bytes, reference } = await fetchDecoder(name);
    const agreement = await compareWithReference(ort, bytes, reference, "wasm");
    console.info(name, JSON.stringify(agreement));
    expect(agreement.layersFound).toBe(reference.layers);
    expect(agreement.points).toBeLessThan(1e-4);
    expect(agreement.means).toBeLessThan(1e-4);
    expect(agreement.lse).toBeLessThan(1e-4);
    expect(agreement.entropy).toBeLessThan(1e-4);
    expect(agreement.topLogProbs).toBeLessThan(1e-4);
    expect(agreement.givenLogProbs).toBeLessThan(1e-4);
    expect(agreement.wrongTop).toBe(0);
  });
});
