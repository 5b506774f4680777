import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it } from "vitest";
import {
  FAKE_HIDDEN,
  FAKE_LAYERS,
  FakeEncoder,
  FakeEngine,
  fakeModel,
  type FakeEngineOptions,
} from "../../tests/fixtures/fake-engine.ts";
import { loadBuiltInDataset } from "../datasets/index.ts";
import { RunStore, type LoadedRun, type RunRecord, type RunSpec } from "../storage/index.ts";
import { executeRun, PARTITION_SIZE } from "./execute.ts";
import type { ExecutionProgress } from "./execution-progress.ts";
import { planPrompts } from "./plan.ts";

const BACKGROUND = ["Name a river.", "Count to three.", "What is a hat?", "Describe rain.", "Greet me."];

const spec: RunSpec = {
  schema: "sago-run/1",
  productVersion: "0.0.0",
  model: fakeModel.identity,
  device: fakeModel.device,
  encoder: { id: "fake-encoder", filesHash: "e".repeat(64) },
  dataset: { id: "short-facts", name: "Short facts", kind: "short-answer", contentHash: "d", labels: null },
  template: { kind: "chat", systemPrompt: null },
  decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens: 8, repeats: 1 },
  seed: 7,
  examples: 3,
  variantsPerExample: 3,
  nullEditsPerExample: 3,
  rerunShare: 0.05,
  unrelatedPairs: 10,
  batchRows: fakeModel.batchRows,
};

let names = 0;
let store: RunStore;

beforeEach(() => {
  store = new RunStore({ name: `execute-${++names}` });
});

async function newRun(changes: Partial<RunSpec> = {}): Promise<RunRecord> {
  const ofRun = { ...spec, ...changes };
  const run: RunRecord = {
    id: "run-1",
    spec: ofRun,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    status: "planned",
    message: null,
    prompts: planPrompts(await loadBuiltInDataset("short-facts"), ofRun),
    golds: {},
    elapsedMs: {},
  };
  await store.createRun(run);
  return run;
}

interface Watched {
  readonly progress: ExecutionProgress[];
  readonly groups: (readonly string[])[];
}

async function execute(
  run: RunRecord,
  options: FakeEngineOptions = {},
  signal = new AbortController().signal,
): Promise<Watched> {
  const watched: Watched = { progress: [], groups: [] };
  await executeRun(run, {
    engine: new FakeEngine(options),
    encoder: new FakeEncoder(),
    store,
    model: fakeModel,
    backgroundPrompts: BACKGROUND,
    signal,
    onProgress: (progress) => watched.progress.push(progress),
    onExamplesDone: (exampleIds) => watched.groups.push(exampleIds),
  });
  return watched;
}

async function bundle(): Promise<LoadedRun> {
  const loaded = await store.loadBundle("run-1");
  if (!loaded) throw new Error("The run is not stored.");
  return loaded;
}

describe("the execution of a run", () => {
  it("stores an answer, activations, an embedding and a score for every prompt", async () => {
    const run = await newRun();
    await execute(run);
    const { generations, activations, scores, embeddings, background, broken } = await bundle();
    expect(broken).toEqual([]);
    const first = generations.filter((generation) => generation.repeat === 0);
    expect(first).toHaveLength(run.prompts.length);
    expect(generations.length - first.length).toBe(1);
    expect(activations).toHaveLength(2 * run.prompts.length);
    expect(embeddings).toHaveLength(run.prompts.length);
    // Four wordings a question make 6 pairs, and three originals 3 more.
    const matched = embeddings.flatMap(({ tokenMatches }) => tokenMatches ?? []);
    expect(matched).toHaveLength(run.prompts.filter(({ role }) => role !== "null-edit").length);
    expect(matched.reduce((sum, { others }) => sum + others.length, 0)).toBe(3 * 6 + 3);
    for (const { others, precision } of matched) expect(precision).toHaveLength(others.length);
    expect(background?.layers).toBe(FAKE_LAYERS);
    expect(background?.lastPromptTokenMean).toHaveLength(FAKE_LAYERS * FAKE_HIDDEN);
    const count = (relation: string) => scores.filter((score) => score.relation === relation).length;
    expect(count("original")).toBe(3);
    expect(count("variant")).toBe(9);
    expect(count("null-edit")).toBe(9);
    expect(count("unrelated")).toBe(10);
    expect(count("rerun")).toBe(1);
  });

  it("scores the original's response under every prompt over the original's partition", async () => {
    await execute(await newRun());
    const { generations, scores } = await bundle();
    for (const score of scores) {
      const response = generations.find(
        (generation) => generation.exampleId === score.exampleId && generation.promptId === "original",
      );
      expect(score.logProbNats).toHaveLength(response?.tokenIds.length ?? -1);
      expect(score.partitionLogProbs).toHaveLength((response?.tokenIds.length ?? -1) * PARTITION_SIZE);
      expect(score.partitionIds === null).toBe(score.relation !== "original");
    }
  });

  it("reports progress that never falls and ends at its constant total, and every example once", async () => {
    const { progress, groups } = await execute(await newRun());
    const totals = new Set(progress.map(({ total }) => total));
    expect(totals.size).toBe(1);
    progress.forEach(({ done }, index) =>
      expect(done).toBeGreaterThanOrEqual(progress[index - 1]?.done ?? 0),
    );
    expect(progress.at(-1)?.done).toBeCloseTo(progress.at(-1)?.total ?? -1, 9);
    expect(progress.at(-1)?.examplesDone).toBe(3);
    expect(groups.flat()).toHaveLength(3);
  });

  it("repeats each prompt with its own stream when answers are sampled, and needs no re-run", async () => {
    const decoding = { kind: "sampled", temperature: 0.7, topP: null, maxNewTokens: 8, repeats: 4 } as const;
    const run = await newRun({ decoding });
    await execute(run);
    const { generations, activations } = await bundle();
    expect(generations).toHaveLength(4 * run.prompts.length);
    expect(activations).toHaveLength(2 * run.prompts.length);
    const originals = generations.filter(
      (generation) =>
        generation.exampleId === run.prompts[0]?.exampleId && generation.promptId === "original",
    );
    expect(new Set(originals.map((generation) => generation.text)).size).toBeGreaterThan(1);
  });

  // The made-up engine delivers 22 answers and 33 scores here: early, mid-batch, between batches, late.
  for (const failAfter of [0, 2, 8, 23, 50]) {
    it(`ends in exactly the records of an uninterrupted run after breaking at result ${failAfter}`, async () => {
      await execute(await newRun());
      const whole = await bundle();
      store = new RunStore({ name: `execute-${++names}` });
      const run = await newRun();
      await expect(execute(run, { failAfter: failAfter + BACKGROUND.length })).rejects.toThrow("broke");
      const before = await bundle();
      await execute(run);
      const after = await bundle();
      expect(after).toEqual(whole);
      // What was there before the continuation was not written anew under another key.
      const keys = new Set(after.generations.map(({ key }) => key));
      expect(before.generations.every(({ key }) => keys.has(key))).toBe(true);
    });
  }

  it("forms the same batches when it continues, and skips those that are whole", async () => {
    const run = await newRun();
    const all: string[] = [];
    await execute(run, { onBatch: (keys) => all.push(keys.join()) });
    const again: string[] = [];
    await execute(run, { onBatch: (keys) => again.push(keys.join()) });
    expect(again).toEqual([]);
    store = new RunStore({ name: `execute-${++names}` });
    const second = await newRun();
    await expect(execute(second, { failAfter: BACKGROUND.length + 6 })).rejects.toThrow("broke");
    const continued: string[] = [];
    await execute(second, { onBatch: (keys) => continued.push(keys.join()) });
    expect(continued.every((batch) => all.includes(batch))).toBe(true);
    expect(continued.length).toBeLessThan(all.length);
  });

  it("rejects with AbortError when it is stopped, and has stored what was finished", async () => {
    const abort = new AbortController();
    const run = await newRun();
    const reason = new DOMException("Stopped by the user.", "AbortError");
    await expect(
      execute(
        run,
        {
          onDeliver: (delivered) => {
            if (delivered === BACKGROUND.length + 9) abort.abort(reason);
          },
        },
        abort.signal,
      ),
    ).rejects.toThrow(reason);
    const { generations } = await bundle();
    expect(generations.length).toBeGreaterThanOrEqual(9);
    expect(generations.length).toBeLessThan(run.prompts.length);
  });

  it("computes an answer again when its activations are missing", async () => {
    const run = await newRun();
    await execute(run);
    const whole = await bundle();
    const broken = new RunStore({ name: `execute-${++names}` });
    await broken.addBundle(
      { ...whole, activations: whole.activations.filter((_, index) => index % 5 !== 0) },
      null,
    );
    store = broken;
    await execute(run);
    expect((await bundle()).activations).toEqual(whole.activations);
  });
});
