import { Dexie } from "dexie";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { expect, it } from "vitest";
import { exampleAnalysis, exampleGeneration, exampleRun } from "./run-fixtures.ts";
import { DatasetStore } from "./dataset-store.ts";
import { RunStore } from "./run-store.ts";

/**
 * The stores of each released version as the browser reports them: name, primary key, indexes. Frozen: a
 * change of the schema adds a version here and never edits one.
 */
const RELEASED = {
  1: {
    activations: ["runId+key"],
    backgrounds: ["runId+key"],
    embeddings: ["runId+key"],
    generations: ["runId+key"],
    runs: ["id", "createdAt"],
    scores: ["runId+key"],
  },
  2: {
    activations: ["runId+key", "runId+exampleId"],
    analyses: ["runId+key"],
    backgrounds: ["runId+key"],
    embeddings: ["runId+key", "runId+exampleId"],
    generations: ["runId+key", "runId+exampleId"],
    runs: ["id", "createdAt"],
    scores: ["runId+key", "runId+exampleId"],
  },
  3: {
    activations: ["runId+key", "runId+exampleId"],
    analyses: ["runId+key"],
    backgrounds: ["runId+key"],
    datasetContents: ["id"],
    datasets: ["id", "createdAt"],
    embeddings: ["runId+key", "runId+exampleId"],
    generations: ["runId+key", "runId+exampleId"],
    runs: ["id", "createdAt"],
    scores: ["runId+key", "runId+exampleId"],
  },
} as const;

/** Written out by hand, so that a change of the declared versions cannot change what "old" means. */
const VERSION_1_STORES = {
  runs: "id, createdAt",
  backgrounds: "[runId+key]",
  generations: "[runId+key]",
  activations: "[runId+key]",
  scores: "[runId+key]",
  embeddings: "[runId+key]",
};

const VERSION_2_STORES = {
  ...VERSION_1_STORES,
  generations: "[runId+key], [runId+exampleId]",
  activations: "[runId+key], [runId+exampleId]",
  scores: "[runId+key], [runId+exampleId]",
  embeddings: "[runId+key], [runId+exampleId]",
  analyses: "[runId+key]",
};

function newEngine() {
  return { indexedDB: new IDBFactory(), IDBKeyRange };
}

async function structure(engine: { indexedDB: IDBFactory }): Promise<{ version: number; stores: unknown }> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = engine.indexedDB.open("sago");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no error given"));
  });
  const names = [...database.objectStoreNames];
  const transaction = database.transaction(names);
  const stores = Object.fromEntries(
    names.map((name) => {
      const store = transaction.objectStore(name);
      const paths = [store.keyPath, ...[...store.indexNames].map((index) => store.index(index).keyPath)];
      return [name, paths.map((path) => (Array.isArray(path) ? path.join("+") : path))];
    }),
  );
  database.close();
  return { version: database.version / 10, stores };
}

async function createVersion1(engine: { indexedDB: IDBFactory; IDBKeyRange: typeof IDBKeyRange }) {
  const old = new Dexie("sago", engine);
  old.version(1).stores(VERSION_1_STORES);
  const { message: _message, elapsedMs: _elapsedMs, ...run } = exampleRun();
  const { closeSteps: _closeSteps, ...generation } = exampleGeneration("g1");
  await old.table("runs").bulkAdd([
    { ...run, id: "run-1", elapsedMs: 1500 },
    {
      ...run,
      id: "run-2",
      elapsedMs: 20,
      error: "The device was lost.",
      createdAt: "2026-01-01T00:00:00.000Z",
    },
  ]);
  await old.table("generations").add(generation);
  old.close();
}

it("creates a version 1 as it was released", async () => {
  const engine = newEngine();
  await createVersion1(engine);
  expect(await structure(engine)).toEqual({ version: 1, stores: RELEASED[1] });
});

it("creates the current version as it was released", async () => {
  const engine = newEngine();
  const store = new RunStore({ engine });
  await store.listRuns();
  store.close();
  expect(await structure(engine)).toEqual({ version: 3, stores: RELEASED[3] });
});

it("brings a version 1 database up to date without losing a record", async () => {
  const engine = newEngine();
  await createVersion1(engine);
  const store = new RunStore({ engine });
  expect(await store.listRuns()).toStrictEqual([
    exampleRun("run-1", { message: null, elapsedMs: { total: 1500 } }),
    exampleRun("run-2", {
      message: "The device was lost.",
      elapsedMs: { total: 20 },
      createdAt: "2026-01-01T00:00:00.000Z",
    }),
  ]);
  const generation = exampleGeneration("g1", { closeSteps: [] });
  expect((await store.loadExample("run-1", "e1"))?.generations).toStrictEqual([generation]);
  await store.saveAnalysis(exampleAnalysis());
  expect((await store.loadAnalysis("run-1"))?.key).toBe("analysis-1");
  store.close();
  expect(await structure(engine)).toEqual({ version: 3, stores: RELEASED[3] });
});

it("brings a version 2 database up to date: its runs as they were, and room for sets of the reader's own", async () => {
  const engine = newEngine();
  const old = new Dexie("sago", engine);
  old.version(1).stores(VERSION_1_STORES);
  old.version(2).stores(VERSION_2_STORES);
  await old.table("runs").add(exampleRun("run-1"));
  await old.table("generations").add(exampleGeneration("g1"));
  expect(await structure(engine)).toEqual({ version: 2, stores: RELEASED[2] });
  old.close();

  const datasets = new DatasetStore({ engine });
  expect(await datasets.list()).toEqual([]);
  await datasets.add(
    { id: "tea", name: "Tea", description: "", kind: "free-text", examples: 0, variants: 0 },
    {},
  );
  datasets.close();
  const store = new RunStore({ engine });
  expect(await store.listRuns()).toStrictEqual([exampleRun("run-1")]);
  expect((await store.loadBundle("run-1"))?.generations).toStrictEqual([exampleGeneration("g1")]);
  store.close();
  expect(await structure(engine)).toEqual({ version: 3, stores: RELEASED[3] });
});
