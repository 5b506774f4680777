import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseDecoderReference } from "../../tests/decoders/decoder-reference.ts";
import { diskFolder, NodeRuntime, PLAIN_SURROUNDINGS } from "../../tests/inference-in-node.ts";
import { disposeBlock } from "./decoding/cache-block.ts";
import { SharedPrefixes } from "./decoding/shared-prefix.ts";
import { EngineError, LocalEngine } from "./index.ts";
import { loadDecoder } from "./load-decoder.ts";
import type { GenerateRequest, GenerateResult, ScoreRequest, ScoreResult } from "./index.ts";
import type { GraphSession, SessionRequest } from "./runtime/tensor.ts";

const DECODERS = "tests/fixtures/decoders";
/** Each test loads a model; many test files share the machine's cores. */
vi.setConfig({ testTimeout: 120_000 });
const engines: LocalEngine[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.dispose()));
});

/** Loading the runtime takes longer than any of these models: one serves all tests. */
const sharedRuntime = new NodeRuntime();

/** A tiny random model of a known architecture and export, run by ONNX Runtime in Node. */
async function loadTiny(name: string, maxRows = 4, runtime: Pick<NodeRuntime, "open"> = sharedRuntime) {
  const engine = new LocalEngine({
    device: PLAIN_SURROUNDINGS,
    openFolder: () => diskFolder(`${DECODERS}/${name}`),
    runtime,
    maxRows,
  });
  engines.push(engine);
  const model = await engine.load(
    { source: { kind: "bundled", id: name, baseUrl: "" }, device: "auto", dtype: null },
    () => undefined,
  );
  return { engine, model };
}

/** Prompts of unequal lengths, in ids that are neither special nor beyond the tiny vocabulary. */
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

async function scoreOne(engine: LocalEngine, request: ScoreRequest): Promise<ScoreResult> {
  const results: ScoreResult[] = [];
  await engine.score(
    [request],
    (result) => void results.push(result),
    () => undefined,
  );
  const [only] = results;
  if (!only) throw new Error("There was no score.");
  return only;
}

function difference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? NaN))), 0);
}

describe.each(readdirSync(DECODERS))("decoding %s", (name) => {
  it("gives every row the same result alone and in any company", async () => {
    const { engine, model } = await loadTiny(name);
    const wanted = requests([3, 9, 17, 5, 5, 1, 12], 10);
    const together = await generateAll(engine, wanted);
    expect(together).toHaveLength(wanted.length);
    for (const [i, request] of wanted.entries()) {
      const [alone] = await generateAll(engine, [request]);
      const joint = together[i];
      if (!alone || !joint) throw new Error("A row is missing.");
      expect(joint.lastPromptToken).toEqual(alone.lastPromptToken);
      expect(joint.promptMean).toEqual(alone.promptMean);
      const steps = joint.closeSteps[0] ?? joint.tokenIds.length;
      expect([...joint.tokenIds.subarray(0, steps)]).toEqual([...alone.tokenIds.subarray(0, steps)]);
      expect(
        difference(joint.logProbNats.subarray(0, steps), alone.logProbNats.subarray(0, steps)),
      ).toBeLessThan(1e-4);
      expect(
        difference(joint.entropyNats.subarray(0, steps), alone.entropyNats.subarray(0, steps)),
      ).toBeLessThan(1e-4);
      if (joint.finish !== "eos") expect(joint.tokenIds).toHaveLength(10);
    }
    expect(model.activations.available).toBe(true);
  });

  it("decodes PyTorch's greedy tokens", async () => {
    const { engine } = await loadTiny(name);
    const reference = parseDecoderReference(
      JSON.parse(readFileSync(`${DECODERS}/${name}/reference.json`, "utf8")),
    );
    const wanted = reference.prompts.map(({ tokens, greedy }, index) => ({
      ...(requests([1], greedy.length)[0] ?? fail()),
      key: String(index),
      promptTokenIds: Int32Array.from(tokens),
    }));
    const answers = await generateAll(engine, wanted);
    expect(answers.map(({ tokenIds }) => [...tokenIds])).toEqual(
      reference.prompts.map(({ greedy }) => upToEnd(greedy)),
    );
  });

  it("reads on behind a prefix that was read before, as if it had read everything at once", async () => {
    const { decoder } = await loadDecoder(
      diskFolder(`${DECODERS}/${name}`),
      { source: { kind: "bundled", id: name, baseUrl: "" }, device: "wasm", dtype: null },
      PLAIN_SURROUNDINGS,
      sharedRuntime,
      "test",
      () => undefined,
    );
    const prefixes = new SharedPrefixes(decoder);
    const checkpoint = (): Promise<void> => Promise.resolve();
    const tokenIds = requests([14], 1)[0]?.promptTokenIds ?? fail();
    const shared = {
      tokenIds,
      distributionsFrom: 9,
      topK: 4,
      givenIds: new Int32Array(0),
      pool: { contentRange: [7, 12] },
      lastLogits: true,
    } as const;
    const whole = await decoder.sequence({ ...shared, prefix: null }, checkpoint);
    prefixes.announce(tokenIds.slice(0, 6));
    const prefix = await prefixes.cacheFor(tokenIds, 7, checkpoint);
    expect(prefix === null).toBe(decoder.shape.graph.padding === "right");
    const behind = await decoder.sequence({ ...shared, prefix }, checkpoint);
    expect(difference(behind.next.entropyNats, whole.next.entropyNats)).toBeLessThan(1e-5);
    expect(difference(behind.next.topLogProbNats, whole.next.topLogProbNats)).toBeLessThan(1e-5);
    expect(difference(behind.lastToken ?? fail(), whole.lastToken ?? fail())).toBeLessThan(1e-4);
    expect(difference(behind.mean ?? fail(), whole.mean ?? fail())).toBeLessThan(1e-4);
    expect(difference(behind.lastLogits ?? fail(), whole.lastLogits ?? fail())).toBeLessThan(1e-4);
    expect(await prefixes.cacheFor(tokenIds, 5, checkpoint)).toBeNull();
    expect(await prefixes.cacheFor(tokenIds.slice(1), 7, checkpoint)).toBeNull();
    for (const { cache } of [whole, behind]) disposeBlock(cache);
    prefixes.dispose();
    await decoder.session.dispose();
  });

  it("scores its own answers as it generated them, so the cache holds what a fresh pass computes", async () => {
    const { engine } = await loadTiny(name);
    const wanted = requests([4, 11, 7], 8);
    for (const [i, answer] of (await generateAll(engine, wanted)).entries()) {
      const scored = await scoreOne(engine, {
        key: "s",
        promptTokenIds: wanted[i]?.promptTokenIds ?? new Int32Array(0),
        responseTokenIds: answer.tokenIds,
        partition: { mode: "define", size: 5 },
      });
      expect(difference(scored.logProbNats, answer.logProbNats)).toBeLessThan(1e-4);
      expect(difference(scored.entropyNats, answer.entropyNats)).toBeLessThan(1e-4);
      expect(scored.partitionIds).toHaveLength(5 * answer.tokenIds.length);
    }
  });
});

describe("the engine on a tiny model", () => {
  it("scores the ids of another pass on the same scale", async () => {
    const { engine } = await loadTiny("llama-optimum");
    const promptTokenIds = Int32Array.of(10, 20, 30);
    const responseTokenIds = Int32Array.of(40, 50);
    const request = { key: "s", promptTokenIds, responseTokenIds };
    const defined = await scoreOne(engine, { ...request, partition: { mode: "define", size: 112 } });
    const used = await scoreOne(engine, {
      ...request,
      partition: { mode: "use", size: 112, ids: defined.partitionIds },
    });
    expect(difference(used.partitionLogProbs, defined.partitionLogProbs)).toBeLessThan(1e-6);
    for (const row of [0, 1]) {
      const probabilities = Array.from(
        defined.partitionLogProbs.subarray(row * 112, (row + 1) * 112),
        Math.exp,
      );
      expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 5);
      const place = defined.partitionIds
        .subarray(row * 112, (row + 1) * 112)
        .indexOf(responseTokenIds[row] ?? -1);
      expect(defined.logProbNats[row]).toBeCloseTo(defined.partitionLogProbs[row * 112 + place] ?? NaN, 6);
    }
  });

  it("scores an empty response as nothing, without running the model", async () => {
    const { engine } = await loadTiny("llama-optimum");
    const scored = await scoreOne(engine, {
      key: "s",
      promptTokenIds: Int32Array.of(10),
      responseTokenIds: new Int32Array(0),
      partition: { mode: "define", size: 8 },
    });
    expect(scored.logProbNats).toHaveLength(0);
    expect(scored.partitionSize).toBe(8);
  });

  it("ends an answer at the context's end and says so", async () => {
    const { engine, model } = await loadTiny("llama-optimum");
    const answers = await generateAll(engine, requests([58, 59, 60, 61, 62], 50));
    const full = answers.filter(({ finish }) => finish !== "eos");
    expect(full.length).toBeGreaterThan(0);
    for (const { key, finish, tokenIds } of full) {
      expect(finish).toBe("context");
      expect(tokenIds).toHaveLength(model.contextLength - 58 - Number(key.slice("row ".length)));
    }
  });

  it("refuses a prompt that leaves no room for an answer, naming it", async () => {
    const { engine } = await loadTiny("llama-optimum");
    await expect(generateAll(engine, requests([3, 64], 5))).rejects.toMatchObject({
      code: "prompt-too-long",
      details: { key: "row 1", tokens: 64, contextLength: 64 },
    });
  });

  it("hands out activations alone where nothing is to be decoded", async () => {
    const { engine } = await loadTiny("gpt2-optimum");
    const [row] = await generateAll(
      engine,
      requests([6], 5).map((request) => ({ ...request, prefillOnly: true })),
    );
    expect(row?.tokenIds).toHaveLength(0);
    expect(row?.lastPromptToken?.length).toBeGreaterThan(0);
    expect(row?.lastPromptToken?.length).toBe(row?.promptMean?.length);
  });

  it("gives the same results for the same calls, bit by bit", async () => {
    const { engine } = await loadTiny("qwen2-genai");
    const wanted = requests([3, 9, 17, 5], 6);
    expect((await generateAll(engine, wanted)).map(withoutTime)).toEqual(
      (await generateAll(engine, wanted)).map(withoutTime),
    );
  });

  it("rejects calls before a model is loaded", async () => {
    await expect(
      new LocalEngine({ device: PLAIN_SURROUNDINGS }).template(["x"], { kind: "raw", systemPrompt: null }),
    ).rejects.toMatchObject({
      code: "not-loaded",
    });
  });

  it("reports progress that only rises and ends at the total", async () => {
    const { engine } = await loadTiny("llama-optimum");
    const seen: { decodedTokens: number; finishedRows: number; totalRows: number }[] = [];
    await engine.generate(
      requests([3, 4, 5], 5),
      () => undefined,
      (progress) => void seen.push(progress),
    );
    for (const [i, progress] of seen.entries()) {
      expect(progress.totalRows).toBe(3);
      expect(progress.decodedTokens).toBeGreaterThanOrEqual(seen[i - 1]?.decodedTokens ?? 0);
      expect(progress.finishedRows).toBeGreaterThanOrEqual(seen[i - 1]?.finishedRows ?? 0);
    }
    expect(seen.at(-1)?.finishedRows).toBe(3);
  });

  it("stops between two steps and leaves the next call unharmed", async () => {
    const { engine } = await loadTiny("llama-optimum");
    const delivered: string[] = [];
    const decoded: number[] = [];
    const run = engine.generate(
      requests([3, 4], 50),
      ({ key }) => void delivered.push(key),
      ({ decodedTokens }) => {
        decoded.push(decodedTokens);
        if (decodedTokens >= 1) engine.stop();
      },
    );
    await expect(run).rejects.toMatchObject({ name: "AbortError" });
    expect(delivered).toEqual([]);
    // Two rows: whoever stops it after a step sees at most one more.
    const atStop = decoded.find((tokens) => tokens >= 1);
    expect(atStop).toBeDefined();
    expect((decoded.at(-1) ?? Infinity) - (atStop ?? 0)).toBeLessThanOrEqual(2);
    expect(await generateAll(engine, requests([3], 2))).toHaveLength(1);
  });

  it("rejects the whole call when a result cannot be delivered", async () => {
    const { engine } = await loadTiny("llama-optimum");
    const run = engine.generate(
      requests([3], 2),
      () => Promise.reject(new Error("disk full")),
      () => undefined,
    );
    await expect(run).rejects.toThrow("disk full");
    expect(await generateAll(engine, requests([3], 2))).toHaveLength(1);
  });

  it("frees every tensor, also when it is stopped or a run fails", async () => {
    const runtime = new CountingRuntime();
    const { engine } = await loadTiny("llama-optimum", 3, runtime);
    await generateAll(engine, requests([3, 9, 17, 5, 1], 6));
    expect(runtime.made).toBeGreaterThan(50);
    expect(runtime.live).toBe(0);
    let results = 0;
    await expect(
      engine.generate(
        requests([3, 9, 17, 5, 1], 40),
        () => void (results += 1),
        () => engine.stop(),
      ),
    ).rejects.toMatchObject({ name: "AbortError" });
    expect(runtime.live).toBe(0);
    for (const failAt of [1, 2, 4, 7]) {
      runtime.failAt = runtime.runs + failAt;
      await expect(generateAll(engine, requests([3, 9, 17, 5, 1], 6))).rejects.toBeInstanceOf(EngineError);
      expect(runtime.live).toBe(0);
    }
  });
});

/** The fixtures' end token. */
const END_TOKEN = 2;

function upToEnd(tokens: readonly number[]): readonly number[] {
  const end = tokens.indexOf(END_TOKEN);
  return end < 0 ? tokens : tokens.slice(0, end);
}

function fail(): never {
  throw new Error("A row is missing.");
}

function withoutTime(result: GenerateResult): Omit<GenerateResult, "elapsedMs"> {
  const { elapsedMs, ...rest } = result;
  expect(elapsedMs).toBeGreaterThanOrEqual(0);
  return rest;
}

/** Counts resident tensors that are alive, and fails the run of a given number. */
class CountingRuntime {
  made = 0;
  live = 0;
  runs = 0;
  failAt = Infinity;
  readonly #inner = sharedRuntime;

  async open(device: unknown, request: SessionRequest): Promise<GraphSession> {
    const session = await this.#inner.open(device, request);
    const counted = new Set<object>();
    const count = <T extends { dispose(): void }>(tensor: T): T => {
      this.made += 1;
      this.live += 1;
      counted.add(tensor);
      const dispose = tensor.dispose.bind(tensor);
      tensor.dispose = () => {
        if (counted.delete(tensor)) this.live -= 1;
        dispose();
      };
      return tensor;
    };
    return {
      inputs: session.inputs,
      outputs: session.outputs,
      run: async (feeds, wanted) => {
        this.runs += 1;
        if (this.runs === this.failAt) throw new EngineError("runtime-failed", "It was made to fail.");
        const outputs = await session.run(feeds, wanted);
        outputs.resident.forEach(count);
        return outputs;
      },
      packRows: (rows, time) => count(session.packRows(rows, time)),
      heldBytes: () => session.heldBytes(),
      dispose: () => session.dispose(),
    };
  }
}
