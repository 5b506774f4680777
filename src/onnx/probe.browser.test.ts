import * as ort from "onnxruntime-web/wasm";
import wasmModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import wasmBinary from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import { commands } from "vitest/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareWithReference, fetchDecoder } from "../../tests/decoders/probed-decoder.ts";

const DECODERS = Object.keys(import.meta.glob("../../tests/fixtures/decoders/*/reference.json"))
  .map((path) => path.split("/").at(-2) ?? "")
  .sort();

/** One row of docs/decoders.json for each fixture, written on demand by tools/make-decoder-table.mjs. */
const rows: object[] = [];
afterAll(async () => {
  if (import.meta.env["VITE_WRITE_DECODERS"] !== "1") return;
  await commands.writeFile("docs/decoders.json", `${JSON.stringify(rows, null, 2)}\n`);
});

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
    const { layersFound, layersExpected, points, reason } = agreement;
    rows.push({
      architecture: reference.architecture,
      export: reference.export,
      precision: "fp32",
      device: "wasm",
      layersFound,
      layersExpected,
      maxRelativeError: points,
      status: layersFound === layersExpected ? "ok" : "unavailable",
      reason,
    });
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
