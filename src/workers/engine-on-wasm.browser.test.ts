import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fixture from "../../tests/fixtures/chat-template-ids.json";
import type {
  GenerateRequest,
  GenerateResult,
  LoadedModel,
  ScoreRequest,
  ScoreResult,
} from "../inference/index.ts";
import { EngineClient, isAbortError } from "./index.ts";

/** The real bundled model in a real worker; loaded once for all tests of this file. */
const engine = new EngineClient();
let model: LoadedModel;

const PROMPTS = [
  "What is the capital of France?",
  "Name three fruits.",
  "Write one sentence about the sea in which a small boat, an old lighthouse and a very patient gull all appear.",
  "Is 7 a prime number? Answer yes or no.",
  "Why?",
];

beforeAll(async () => {
  model = await engine.load(
    {
      source: {
        kind: "bundled",
        id: "SmolLM2-135M-Instruct",
        baseUrl: new URL("/models/SmolLM2-135M-Instruct/", location.href).href,
      },
      device: "wasm",
      dtype: null,
    },
    () => undefined,
  );
}, 600_000);

afterAll(() => engine.terminate());

async function requestsFor(
  prompts: readonly string[],
  maxNewTokens: number,
  sampling: { readonly temperature: number; readonly seed: number } | null = null,
): Promise<GenerateRequest[]> {
  const templated = await engine.template(prompts, { kind: "chat", systemPrompt: null });
  return templated.map(({ tokenIds, contentRange }, index) => ({
    key: `prompt ${index}`,
    promptTokenIds: tokenIds,
    contentRange,
    decoding: {
      kind: sampling ? "sampled" : "greedy",
      temperature: sampling?.temperature ?? null,
      topP: sampling ? 0.95 : null,
      maxNewTokens,
      repeats: 1,
    },
    stream: { seed: sampling?.seed ?? 1, exampleId: "example", promptId: String(index), repeat: 0 },
  }));
}

async function generateAll(requests: readonly GenerateRequest[]): Promise<GenerateResult[]> {
  const results = new Map<string, GenerateResult>();
  await engine.generate(
    requests,
    (result) => void results.set(result.key, result),
    () => undefined,
  );
  return requests.flatMap(({ key }) => results.get(key) ?? []);
}

async function scoreOne(request: ScoreRequest): Promise<ScoreResult> {
  const results: ScoreResult[] = [];
  await engine.score(
    [request],
    (result) => void results.push(result),
    () => undefined,
  );
  const [result] = results;
  if (!result) throw new Error("There was no score.");
  return result;
}

function largestDifference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? NaN))), 0);
}

describe("the bundled model on WebAssembly", () => {
  it("says what was loaded, and on which device and why", () => {
    expect(model.identity).toMatchObject({
      layers: 30,
      hiddenSize: 576,
      vocabularySize: 49152,
      source: "bundled",
    });
    expect(model.identity.filesHash).toMatch(/^[0-9a-f]{64}$/);
    expect(model.device.kind).toBe("wasm");
    expect(model.device.reason).toContain("WebAssembly");
    expect(model.device.threads).toBe(crossOriginIsolated ? Math.min(8, navigator.hardwareConcurrency) : 1);
    expect(model.activations).toEqual({ available: true, layers: 30 });
    expect(model.chatTemplate?.defaultSystemPrompt).toContain("SmolLM");
    expect(model.batchInvariant).toBe(true);
  });

  it("passed the test after loading: PyTorch's likeliest tokens, at once and token by token", () => {
    const { selfTest } = model;
    console.info("SmolLM2 on WASM after loading", JSON.stringify(selfTest));
    expect(selfTest).toMatchObject({ positions: 10, cacheSameTop: 10, referenceSameTop: 10 });
    expect(selfTest.cacheDifferenceNats).toBeLessThan(1e-3);
    expect(selfTest.referenceDifferenceNats).toBeLessThan(1e-2);
  });

  it("templates single questions to the token ids of Python", async () => {
    const single = fixture.cases.filter(
      ({ messages, addGenerationPrompt }) =>
        addGenerationPrompt && messages.length === 1 && messages[0]?.role === "user",
    );
    expect(single.length).toBeGreaterThan(3);
    const templated = await engine.template(
      single.map(({ messages }) => messages[0]?.content ?? ""),
      { kind: "chat", systemPrompt: null },
    );
    expect(templated.map(({ tokenIds }) => [...tokenIds])).toEqual(single.map(({ ids }) => ids));
  });

  it("gives each prompt the same answer alone and among others", async () => {
    const requests = await requestsFor(PROMPTS, 12);
    const together = await generateAll(requests);
    const alone = (await Promise.all(requests.map((request) => generateAll([request])))).flat();
    expect(together.map(({ tokenIds }) => tokenIds.length)).not.toContain(0);
    together.forEach((result, i) => {
      const other = alone[i];
      if (!other) throw new Error("A row is missing.");
      expect(result.lastPromptToken).toEqual(other.lastPromptToken);
      expect(result.promptMean).toEqual(other.promptMean);
      const steps = Math.min(result.closeSteps[0] ?? Infinity, result.tokenIds.length);
      expect([...result.tokenIds.subarray(0, steps)]).toEqual([...other.tokenIds.subarray(0, steps)]);
      expect(
        largestDifference(result.logProbNats.subarray(0, steps), other.logProbNats.subarray(0, steps)),
      ).toBeLessThan(1e-3);
    });
  });

  it("scores a model's own answer as it was generated", async () => {
    const [request] = await requestsFor(PROMPTS.slice(0, 1), 12);
    if (!request) throw new Error("No request.");
    const [answer] = await generateAll([request]);
    if (!answer) throw new Error("No answer.");
    const shared = {
      key: "score",
      promptTokenIds: request.promptTokenIds,
      responseTokenIds: answer.tokenIds,
    };
    const defined = await scoreOne({ ...shared, partition: { mode: "define", size: 128 } });
    expect(largestDifference(defined.logProbNats, answer.logProbNats)).toBeLessThan(1e-3);
    expect(largestDifference(defined.entropyNats, answer.entropyNats)).toBeLessThan(1e-3);
    const used = await scoreOne({
      ...shared,
      partition: { mode: "use", size: 128, ids: defined.partitionIds },
    });
    expect(largestDifference(used.partitionLogProbs, defined.partitionLogProbs)).toBeLessThan(1e-4);
    expect(largestDifference(used.logProbNats, defined.logProbNats)).toBeLessThan(1e-4);
  });

  it("gives probabilities that sum to one over the whole vocabulary", async () => {
    const [request] = await requestsFor(PROMPTS.slice(0, 1), 1);
    const { partitionLogProbs, entropyNats } = await scoreOne({
      key: "sum",
      promptTokenIds: request?.promptTokenIds ?? new Int32Array(0),
      responseTokenIds: Int32Array.of(100),
      partition: {
        mode: "use",
        size: model.identity.vocabularySize,
        ids: Int32Array.from({ length: model.identity.vocabularySize }, (_, id) => id),
      },
    });
    const probabilities = Float64Array.from(partitionLogProbs, Math.exp);
    expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 3);
    const entropy = probabilities.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
    expect(entropyNats[0]).toBeCloseTo(entropy, 3);
  });

  it("samples the same tokens for a seed in any company, and others for another seed", async () => {
    const requests = await requestsFor(PROMPTS, 10, { temperature: 1.2, seed: 7 });
    const together = await generateAll(requests);
    const third = await generateAll(requests.slice(2, 3));
    expect(third[0]?.tokenIds).toEqual(together[2]?.tokenIds);
    const otherSeed = await generateAll(await requestsFor(PROMPTS, 10, { temperature: 1.2, seed: 8 }));
    expect(otherSeed.map(({ text }) => text)).not.toEqual(together.map(({ text }) => text));
  });

  it("stops long before its end when asked to, and works again afterwards", async () => {
    const requests = await requestsFor(PROMPTS.slice(0, 3), 200);
    let decoded = 0;
    let atStop: number | null = null;
    const run = engine.generate(
      requests,
      () => undefined,
      (progress) => {
        decoded = progress.decodedTokens;
        if (atStop === null && decoded >= 9) {
          atStop = decoded;
          engine.stop();
        }
      },
    );
    const failure: unknown = await run.then(
      () => null,
      (error: unknown) => error,
    );
    expect(isAbortError(failure)).toBe(true);
    expect(atStop).not.toBeNull();
    // That it stops between two steps is tested in the engine. Here messages cross threads, which a busy machine
    // may keep waiting for any time.
    expect(decoded).toBeLessThan((requests.length * 200) / 2);
    const [answer] = await generateAll(await requestsFor(PROMPTS.slice(0, 1), 3));
    expect(answer?.tokenIds).toHaveLength(3);
  });

  it("stops for an abort signal too", async () => {
    const controller = new AbortController();
    const run = engine.generate(
      await requestsFor(PROMPTS.slice(0, 2), 200),
      () => undefined,
      ({ decodedTokens }) => {
        if (decodedTokens >= 4) controller.abort();
      },
      controller.signal,
    );
    await expect(run).rejects.toSatisfy(isAbortError);
  });

  it("holds no more memory after 50 runs than after the first few", async () => {
    const requests = await requestsFor(PROMPTS.slice(0, 2), 2);
    for (let run = 0; run < 5; run += 1) await generateAll(requests);
    const before = await engine.heldBytes();
    for (let run = 0; run < 50; run += 1) await generateAll(requests);
    const after = await engine.heldBytes();
    expect(before).not.toBeNull();
    // The heap never shrinks, so leaked caches (3 MB a run) would show as growth of 150 MB.
    expect((after ?? Infinity) - (before ?? 0)).toBeLessThan(32 * 2 ** 20);
  }, 600_000);
});
