import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { GenerateRequest, GenerateResult, LoadedModel, ScoreResult } from "../inference/index.ts";
import { EngineClient, isAbortError } from "./index.ts";

/**
 * The real bundled model on WebGPU. In headless Chromium the adapter is software on the CPU, so there are few
 * tokens; WebAssembly's numbers on the same prompts are the reference.
 */
const engines = { webgpu: new EngineClient(), wasm: new EngineClient() };
const models: Partial<Record<"webgpu" | "wasm", LoadedModel>> = {};
const PROMPTS = ["Name three fruits, and nothing else.", "Why?"];
const NEW_TOKENS = 3;
/** Software takes seconds a pass, and more where other work shares the cores. */
vi.setConfig({ testTimeout: 1_800_000 });

beforeAll(async () => {
  for (const device of ["webgpu", "wasm"] as const) {
    models[device] = await engines[device].load(
      {
        source: {
          kind: "bundled",
          id: "SmolLM2-135M-Instruct",
          baseUrl: new URL("/models/SmolLM2-135M-Instruct/", location.href).href,
        },
        device,
        dtype: null,
      },
      () => undefined,
    );
  }
}, 1_800_000);

afterAll(() => {
  engines.webgpu.terminate();
  engines.wasm.terminate();
});

async function requestsFor(maxNewTokens: number): Promise<GenerateRequest[]> {
  const templated = await engines.webgpu.template(PROMPTS, { kind: "chat", systemPrompt: null });
  return templated.map(({ tokenIds, contentRange }, index) => ({
    key: String(index),
    promptTokenIds: tokenIds,
    contentRange,
    decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens, repeats: 1 },
    stream: { seed: 1, exampleId: "example", promptId: String(index), repeat: 0 },
  }));
}

async function generateAll(
  engine: EngineClient,
  requests: readonly GenerateRequest[],
): Promise<GenerateResult[]> {
  const results = new Map<string, GenerateResult>();
  await engine.generate(
    requests,
    (result) => void results.set(result.key, result),
    () => undefined,
  );
  return requests.flatMap(({ key }) => results.get(key) ?? []);
}

function difference(a: Float32Array | null, b: Float32Array | null): number {
  expect(a?.length).toBe(b?.length);
  return (a ?? new Float32Array()).reduce(
    (most, value, i) => Math.max(most, Math.abs(value - (b?.[i] ?? NaN))),
    0,
  );
}

function relativeDifference(a: Float32Array | null, b: Float32Array | null): number {
  const scale = (b ?? new Float32Array()).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return difference(a, b) / scale;
}

/** Tokens up to the first close step: there the two best tokens may change places. */
function certain(result: GenerateResult): number {
  return Math.min(result.closeSteps[0] ?? Infinity, result.tokenIds.length);
}

describe("the bundled model on WebGPU", () => {
  it("names the adapter that it runs on", () => {
    expect(models.webgpu?.device).toMatchObject({ kind: "webgpu" });
    expect(models.webgpu?.device.adapter).not.toBeNull();
  });

  it("gives each prompt the same answer alone and among others, and the answer of WebAssembly", async () => {
    const requests = await requestsFor(NEW_TOKENS);
    const together = await generateAll(engines.webgpu, requests);
    const reference = await generateAll(engines.wasm, requests);
    for (const [i, request] of requests.entries()) {
      const joint = together[i];
      const [alone] = await generateAll(engines.webgpu, [request]);
      const wasm = reference[i];
      if (!joint || !alone || !wasm) throw new Error("A row is missing.");
      const steps = certain(joint);
      for (const other of [alone, wasm]) {
        expect([...joint.tokenIds.subarray(0, steps)]).toEqual([...other.tokenIds.subarray(0, steps)]);
        expect(
          difference(joint.logProbNats.subarray(0, steps), other.logProbNats.subarray(0, steps)),
        ).toBeLessThan(other === alone ? 1e-3 : 1e-2);
      }
      expect(relativeDifference(joint.lastPromptToken, wasm.lastPromptToken)).toBeLessThan(1e-2);
      expect(relativeDifference(joint.promptMean, wasm.promptMean)).toBeLessThan(1e-2);
    }
  });

  it("scores its own answer as it was generated", async () => {
    const [request] = await requestsFor(NEW_TOKENS);
    if (!request) throw new Error("No request.");
    const [answer] = await generateAll(engines.webgpu, [request]);
    if (!answer) throw new Error("No answer.");
    const scores: ScoreResult[] = [];
    await engines.webgpu.score(
      [
        {
          key: "score",
          promptTokenIds: request.promptTokenIds,
          responseTokenIds: answer.tokenIds,
          partition: { mode: "define", size: 128 },
        },
      ],
      (result) => void scores.push(result),
      () => undefined,
    );
    expect(difference(scores[0]?.logProbNats ?? null, answer.logProbNats)).toBeLessThan(1e-3);
  });

  it("stops within two steps", async () => {
    const requests = (await requestsFor(100)).slice(0, 2);
    let decoded = 0;
    let atStop: number | null = null;
    const run = engines.webgpu.generate(
      requests,
      () => undefined,
      (progress) => {
        decoded = progress.decodedTokens;
        if (atStop === null && decoded >= 3) {
          atStop = decoded;
          engines.webgpu.stop();
        }
      },
    );
    await expect(run).rejects.toSatisfy(isAbortError);
    expect(decoded - (atStop ?? 0)).toBeLessThanOrEqual(2 * requests.length);
  });
});
