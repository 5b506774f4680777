import { afterEach, describe, expect, it } from "vitest";
import { EngineClient } from "./index.ts";

const FOLDER = "/tests/fixtures/decoders/llama-genai";
const FILES = [
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
  "onnx/model.onnx",
];

const engine = new EngineClient();
afterEach(() => engine.replace());

/** A dropped folder with a tiny real decoder, its graph's bytes changed. */
async function loadFolder(change: (bytes: Uint8Array<ArrayBuffer>) => void) {
  const files = await Promise.all(
    FILES.map(async (path) => {
      const response = await fetch(`${FOLDER}/${path}`);
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (path.endsWith(".onnx")) change(bytes);
      return { path, file: new Blob([bytes]) };
    }),
  );
  return engine.load(
    { source: { kind: "folder", id: "tiny", files }, device: "wasm", dtype: null },
    () => undefined,
  );
}

/** Overwrites the untied head: [32 × 112] float32 values, at once behind its name in the file. */
function overwriteWeights(bytes: Uint8Array<ArrayBuffer>, value: number): void {
  const name = new TextEncoder().encode("lm_head.MatMul.weight");
  const at = bytes.findIndex(
    (_, start) =>
      name.every((letter, i) => bytes[start + i] === letter) && bytes[start + name.length] === 0x4a,
  );
  if (at < 0) throw new Error("The fixture's head has another name.");
  const start = at + name.length + 3;
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < 32 * 112; i += 1) view.setFloat32(start + 4 * i, value, true);
}

describe("a folder on WebAssembly, tested after loading", () => {
  it("is loaded where it is sound", async () => {
    const { selfTest } = await loadFolder(() => undefined);
    expect(selfTest).toMatchObject({ positions: 10, cacheSameTop: 10, referenceSameTop: null });
    expect(selfTest.cacheDifferenceNats).toBeLessThan(1e-3);
  });

  it("is refused where a weight is not a number, with the reason and what to do", async () => {
    await expect(loadFolder((bytes) => overwriteWeights(bytes, NaN))).rejects.toMatchObject({
      code: "self-test-failed",
      message: expect.stringMatching(/not finite.*fp32 on WASM.*choose another model/),
    });
  });

  it("is refused where it says the same whatever it reads", async () => {
    await expect(loadFolder((bytes) => overwriteWeights(bytes, 0))).rejects.toMatchObject({
      code: "self-test-failed",
      message: expect.stringContaining("different texts give exactly the same probabilities"),
    });
  });
});
