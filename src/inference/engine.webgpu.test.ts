import { afterAll, describe, expect, it } from "vitest";
import { LocalEngine } from "./index.ts";
import type { GenerateRequest, GenerateResult, ScoreResult } from "./index.ts";

/** Tiny random models of both export styles; WebAssembly's results on the same requests are the reference. */
const DECODERS = ["llama-optimum", "llama-genai", "gpt2-optimum", "qwen3-genai"];
const engines: LocalEngine[] = [];

afterAll(async () => {
  for (const engine of engines) await engine.dispose();
});

async function loadTiny(name: string, device: "wasm" | "webgpu"): Promise<LocalEngine> {
  const engine = new LocalEngine({ maxRows: 3 });
  engines.push(engine);
  const baseUrl = new URL(`/tests/fixtures/decoders/${name}/`, location.href).href;
  const model = await engine.load(
    { source: { kind: "bundled", id: name, baseUrl }, device, dtype: "fp32" },
    () => undefined,
  );
  expect(model.device.kind).toBe(device);
  return engine;
}

function requests(lengths: readonly number[], maxNewTokens: number): GenerateRequest[] {
  return lengths.map((length, index) => ({
    key: `row ${index}`,
    promptTokenIds: Int32Array.from({ length }, (_, i) => 10 + ((i * 37 + index * 11) % 90)),
    contentRange: [1, length],
    decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens, repeats: 1 },
    stream: { seed: 1, exampleId: "e", promptId: String(index), repeat: 0 },
  }));
}

async function generateAll(
  engine: LocalEngine,
  wanted: readonly GenerateRequest[],
): Promise<GenerateResult[]> {
  const results = new Map<string, GenerateResult>();
  await engine.generate(
    wanted,
    (result) => void results.set(result.key, result),
    () => undefined,
  );
  return wanted.flatMap(({ key }) => results.get(key) ?? []);
}

function difference(a: Float32Array | null, b: Float32Array | null): number {
  expect(a?.length).toBe(b?.length);
  return (a ?? new Float32Array()).reduce(
    (most, value, i) => Math.max(most, Math.abs(value - (b?.[i] ?? NaN))),
    0,
  );
}

/** Relative to the largest value: the residual stream's scale differs from model to model. */
function relativeDifference(a: Float32Array | null, b: Float32Array | null): number {
  const scale = (b ?? new Float32Array()).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return difference(a, b) / scale;
}

describe.each(DECODERS)("decoding %s on WebGPU", (name) => {
  it("gives every row the result of WebAssembly, alone and in any company, and scores it the same", async () => {
    const engine = await loadTiny(name, "webgpu");
    const wanted = requests([3, 9, 17, 5, 2], 6);
    const together = await generateAll(engine, wanted);
    const reference = await generateAll(await loadTiny(name, "wasm"), wanted);
    for (const [i, request] of wanted.entries()) {
      const [alone] = await generateAll(engine, [request]);
      const joint = together[i];
      if (!joint || !alone) throw new Error("A row is missing.");
      const steps = Math.min(joint.closeSteps[0] ?? Infinity, joint.tokenIds.length);
      for (const other of [alone, reference[i] ?? alone]) {
        expect([...joint.tokenIds.subarray(0, steps)]).toEqual([...other.tokenIds.subarray(0, steps)]);
        expect(
          difference(joint.logProbNats.subarray(0, steps), other.logProbNats.subarray(0, steps)),
        ).toBeLessThan(1e-3);
        expect(relativeDifference(joint.lastPromptToken, other.lastPromptToken)).toBeLessThan(1e-3);
        expect(relativeDifference(joint.promptMean, other.promptMean)).toBeLessThan(1e-3);
      }
      const scores: ScoreResult[] = [];
      await engine.score(
        [
          {
            key: "s",
            promptTokenIds: request.promptTokenIds,
            responseTokenIds: joint.tokenIds,
            partition: { mode: "define", size: 5 },
          },
        ],
        (score) => void scores.push(score),
        () => undefined,
      );
      expect(difference(scores[0]?.logProbNats ?? null, joint.logProbNats)).toBeLessThan(1e-3);
    }
  });
});
