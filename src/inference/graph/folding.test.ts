import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { diskFolder, NodeRuntime, PLAIN_SURROUNDINGS } from "../../../tests/inference-in-node.ts";
import { readOnnxGraph } from "../../onnx/index.ts";
import { LocalEngine, type GenerateResult } from "../index.ts";
import { foldForWasm } from "./folding.ts";

vi.setConfig({ testTimeout: 120_000 });

const ROOT = "tests/fixtures/block-quantised";
const CASES = readdirSync(ROOT).sort();
const runtime = new NodeRuntime();

/** Greedy answers of 8 tokens to two prompts, and their activations. */
async function answers(name: string, mostWeightBytes: number) {
  const engine = new LocalEngine({
    device: { ...PLAIN_SURROUNDINGS, mostWeightBytes },
    openFolder: () => diskFolder(`${ROOT}/${name}`),
    runtime,
    maxRows: 2,
  });
  const source = { kind: "bundled", id: name, baseUrl: "" } as const;
  const model = await engine.load({ source, device: "wasm", dtype: "q4" }, () => undefined);
  const results: GenerateResult[] = [];
  await engine.generate(
    [5, 9].map((length, index) => ({
      key: String(index),
      promptTokenIds: Int32Array.from({ length }, (_, i) => 10 + ((i * 37 + index * 11) % 90)),
      contentRange: [1, length] as const,
      decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens: 8, repeats: 1 } as const,
      stream: { seed: 1, exampleId: "e", promptId: String(index), repeat: 0 },
    })),
    (result) => void results.push(result),
    () => undefined,
  );
  await engine.dispose();
  return { model, results: results.sort((a, b) => a.key.localeCompare(b.key)) };
}

const largest = (values: Iterable<number>): number => Math.max(...Array.from(values, Math.abs));

function largestDifference(a: Float32Array | null, b: Float32Array | null): number {
  if (a === null || b === null || a.length !== b.length) return Infinity;
  return largest(a.map((value, index) => value - (b[index] ?? NaN)));
}

describe("block-quantised weights on WASM", () => {
  test.each(CASES)("answer alike folded and through the runtime's own kernels, in %s", async (name) => {
    const folded = await answers(name, 1e9);
    const slow = await answers(name, 0);
    expect(folded.model.device.runtime).toBe(
      `${slow.model.device.runtime}, quantised weights as 32-bit floats`,
    );
    expect(folded.model.device.reason).toMatch(/turned into 32-bit floats/);
    expect(slow.model.device.reason).toMatch(
      /slow kernel for few bits, because 32-bit floats would need 1 MB and there is room for 0 MB/,
    );
    expect(folded.model.identity).toEqual(slow.model.identity);
    expect(folded.model.activations).toEqual({ available: true, layers: folded.model.identity.layers });
    expect(folded.model.selfTest.toleranceNats).toBeLessThan(slow.model.selfTest.toleranceNats);
    folded.results.forEach((result, index) => {
      const other = slow.results[index];
      if (!other) throw new Error("an answer is missing");
      expect([...result.tokenIds]).toEqual([...other.tokenIds]);
      expect(largestDifference(result.logProbNats, other.logProbNats)).toBeLessThan(1e-4);
      const scale = largest(other.lastPromptToken ?? []);
      expect(largestDifference(result.lastPromptToken, other.lastPromptToken) / scale).toBeLessThan(1e-4);
      expect(largestDifference(result.promptMean, other.promptMean) / scale).toBeLessThan(1e-4);
    });
  });

  test("are refused by name where their file is cut off", () => {
    const path = `${ROOT}/zero-points/onnx/model_q4.onnx`;
    const bytes = new Uint8Array(readFileSync(path));
    const data = new Uint8Array(readFileSync(`${path}_data`)).subarray(0, 4_000);
    const load = () => foldForWasm(bytes, readOnnxGraph(bytes), new Map([["model_q4.onnx_data", data]]));
    expect(load).toThrow(/are not where the graph says/);
  });
});
