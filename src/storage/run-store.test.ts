import { IDBFactory, IDBKeyRange, IDBObjectStore } from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../tests/eventually.ts";
import type { BrokenRecord } from "./record-tables.ts";
import type { RunBundle } from "./records.ts";
import {
  exampleActivation,
  exampleAnalysis,
  exampleBundle,
  exampleGeneration,
  exampleRun,
} from "./run-fixtures.ts";
import { RunStore } from "./run-store.ts";

let engine: { indexedDB: IDBFactory; IDBKeyRange: typeof IDBKeyRange };
let store: RunStore;
let broken: BrokenRecord[];

beforeEach(() => {
  engine = { indexedDB: new IDBFactory(), IDBKeyRange };
  broken = [];
  store = new RunStore({ engine, onBroken: (record) => broken.push(record) });
});

afterEach(() => {
  store.close();
  vi.restoreAllMocks();
});

async function fill(bundle: RunBundle): Promise<void> {
  await store.createRun(bundle.run);
  if (bundle.background !== null) await store.putBackground(bundle.background);
  for (const [index, generation] of bundle.generations.entries()) {
    await store.putGeneration({ generation, activations: bundle.activations.slice(index, index + 1) });
  }
  await store.putScores(bundle.scores);
  await store.putEmbeddings(bundle.embeddings);
}

/** Writes past the store's own checks, as a fault on disk would. */
async function writeRaw(table: string, value: unknown): Promise<void> {
  const database = await openRaw();
  const transaction = database.transaction(table, "readwrite");
  transaction.objectStore(table).put(value);
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = reject;
  });
  database.close();
}

function openRaw(version?: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = engine.indexedDB.open("sago", version);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no error given"));
  });
}

function failPuts(makeError: () => Error): void {
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
    throw makeError();
  });
}

describe("runs", () => {
  it("returns a run's records exactly as they were written", async () => {
    const bundle = exampleBundle();
    await fill(bundle);
    expect(await store.loadBundle("run-1")).toStrictEqual({ ...bundle, broken: [] });
  });

  it("finds the records of one example and leaves those of others out", async () => {
    await fill(exampleBundle());
    await store.putGeneration({ generation: exampleGeneration("g3", { exampleId: "e2" }), activations: [] });
    const loaded = await store.loadExample("run-1", "e2");
    expect(loaded?.generations.map(({ key }) => key)).toEqual(["g3"]);
    expect(loaded?.activations).toEqual([]);
    expect(loaded?.background?.key).toBe("b1");
  });

  it("lists runs newest first, and answers null for a run that is not there", async () => {
    await store.createRun(exampleRun("old", { createdAt: "2026-01-01T00:00:00.000Z" }));
    await store.createRun(exampleRun("new", { createdAt: "2026-02-01T00:00:00.000Z" }));
    expect((await store.listRuns()).map(({ id }) => id)).toEqual(["new", "old"]);
    expect(await store.getRun("absent")).toBeNull();
    expect(await store.loadBundle("absent")).toBeNull();
    expect(await store.loadAnalysis("absent")).toBeNull();
  });

  it("changes only the named fields of a run, and its time of change", async () => {
    await store.createRun(exampleRun());
    await store.updateRun("run-1", { status: "failed", message: "The device was lost." });
    const { updatedAt, ...rest } = (await store.getRun("run-1")) ?? exampleRun();
    const { updatedAt: before, ...expected } = exampleRun("run-1", {
      status: "failed",
      message: "The device was lost.",
    });
    expect(rest).toStrictEqual(expected);
    expect(updatedAt > before).toBe(true);
  });

  it("refuses a second run of the same id and leaves the first as it was", async () => {
    await store.createRun(exampleRun());
    await expect(store.createRun(exampleRun("run-1", { status: "failed" }))).rejects.toMatchObject({
      code: "invalid",
    });
    expect((await store.getRun("run-1"))?.status).toBe("running");
  });

  it("deletes a run with all its records and no record of another run", async () => {
    await fill(exampleBundle());
    await store.saveAnalysis(exampleAnalysis());
    await store.createRun(exampleRun("run-2"));
    await store.putGeneration({ generation: exampleGeneration("g1", { runId: "run-2" }), activations: [] });
    await store.deleteRun("run-1");
    const database = await openRaw();
    const counts = await Promise.all(
      [...database.objectStoreNames].map(
        (name) =>
          new Promise((resolve) => {
            const request = database.transaction(name).objectStore(name).count();
            request.onsuccess = () => resolve([name, request.result]);
          }),
      ),
    );
    database.close();
    expect(counts).toEqual([
      ["activations", 0],
      ["analyses", 0],
      ["backgrounds", 0],
      ["datasetContents", 0],
      ["datasets", 0],
      ["embeddings", 0],
      ["generations", 1],
      ["runs", 1],
      ["scores", 0],
    ]);
  });

  it("deletes everything", async () => {
    await fill(exampleBundle());
    await store.deleteEverything();
    expect(await store.listRuns()).toEqual([]);
    await store.createRun(exampleRun());
    expect((await store.loadBundle("run-1"))?.generations).toEqual([]);
  });

  it("refuses records of a run that is not stored, so that a deleted run leaves no orphans", async () => {
    const write = store.putGeneration({ generation: exampleGeneration("g1"), activations: [] });
    await expect(write).rejects.toMatchObject({ code: "missing" });
    await expect(store.updateRun("run-1", { status: "stopped" })).rejects.toMatchObject({ code: "missing" });
    await expect(store.saveAnalysis(exampleAnalysis())).rejects.toMatchObject({ code: "missing" });
  });

  it("keeps one analysis and one background a run: the latest", async () => {
    const bundle = exampleBundle();
    await fill(bundle);
    await store.saveAnalysis(exampleAnalysis("run-1", "z"));
    await store.saveAnalysis(exampleAnalysis("run-1", "a"));
    expect((await store.loadAnalysis("run-1"))?.key).toBe("a");
    if (bundle.background !== null) await store.putBackground({ ...bundle.background, key: "a-later-one" });
    expect((await store.loadBundle("run-1"))?.background?.key).toBe("a-later-one");
  });
});

describe("resuming", () => {
  it("names the keys that exist, by table", async () => {
    await fill(exampleBundle());
    expect(await store.existingKeys("run-1")).toEqual({
      backgrounds: new Set(["b1"]),
      generations: new Set(["g1", "g2"]),
      activations: new Set(["a1", "a2"]),
      scores: new Set(["s1", "s2"]),
      embeddings: new Set(["m1", "m2"]),
    });
  });

  it("counts a broken record as missing, so that it is computed again, and lets it be replaced", async () => {
    await fill(exampleBundle());
    await writeRaw("generations", { ...exampleGeneration("g1"), entropyNats: Float32Array.of(1) });
    expect((await store.existingKeys("run-1")).generations).toEqual(new Set(["g2"]));
    await store.putGeneration({ generation: exampleGeneration("g1"), activations: [] });
    expect((await store.existingKeys("run-1")).generations).toEqual(new Set(["g1", "g2"]));
  });

  it("reads more records than fit in one batch", async () => {
    await store.createRun(exampleRun());
    const embedding = exampleBundle().embeddings[0];
    const embeddings = Array.from({ length: 300 }, (_, index) => ({
      ...embedding,
      ...{ key: `m${String(index).padStart(3, "0")}`, runId: "run-1", exampleId: "e1", promptId: "v" },
      ...{ repeat: 0, vector: Float32Array.of(index) },
    }));
    await store.putEmbeddings(embeddings);
    const read = [];
    const snapshot = await store.openSnapshot("run-1");
    for await (const batch of snapshot?.read("embeddings") ?? []) read.push(...batch);
    expect(read).toStrictEqual(embeddings);
  });
});

describe("broken records", () => {
  it("leaves a broken record out, reports it with its place, and loads the rest", async () => {
    await fill(exampleBundle());
    await writeRaw("activations", { ...exampleActivation("a2"), values: new Uint8Array(6) });
    const loaded = await store.loadBundle("run-1");
    expect(loaded?.activations.map(({ key }) => key)).toEqual(["a1"]);
    expect(loaded?.broken).toEqual(broken);
    expect(broken).toEqual([
      {
        table: "activations",
        runId: "run-1",
        key: "a2",
        problems: [{ path: "activations.values", message: "expected Uint16Array, found Uint8Array" }],
      },
    ]);
  });

  it("leaves a broken run out of the list and reports it", async () => {
    await store.createRun(exampleRun());
    await writeRaw("runs", { id: "run-2", createdAt: "2026" });
    expect((await store.listRuns()).map(({ id }) => id)).toEqual(["run-1"]);
    expect(broken.map(({ table, runId }) => [table, runId])).toEqual([["runs", "run-2"]]);
    expect(await store.getRun("run-2")).toBeNull();
  });

  it("refuses to save a record whose arrays do not fit each other, and names the field", async () => {
    await store.createRun(exampleRun());
    const generation = exampleGeneration("g1", { topIds: Int32Array.of(1) });
    const write = store.putGeneration({ generation, activations: [] });
    await expect(write).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("generations.topIds: expected 4 entries (topK a token), found 1"),
    });
  });

  it("saves neither a generation nor its activations when one of them is broken", async () => {
    await store.createRun(exampleRun());
    const activations = [exampleActivation("a1"), exampleActivation("a2", { runId: "run-2" })];
    const write = store.putGeneration({ generation: exampleGeneration("g1"), activations });
    await expect(write).rejects.toMatchObject({ code: "invalid" });
    const keys = await store.existingKeys("run-1");
    expect([keys.generations.size, keys.activations.size]).toEqual([0, 0]);
  });
});

describe("faults", () => {
  const quota = () => new DOMException("full", "QuotaExceededError");

  it.each<[string, () => Promise<unknown>]>([
    ["createRun", () => store.createRun(exampleRun("run-2"))],
    ["updateRun", () => store.updateRun("run-1", { status: "stopped" })],
    ["putGeneration", () => store.putGeneration({ generation: exampleGeneration("g9"), activations: [] })],
    ["putScores", () => store.putScores(exampleBundle().scores)],
    ["putEmbeddings", () => store.putEmbeddings(exampleBundle().embeddings)],
    ["putBackground", () => fill({ ...exampleBundle(), run: exampleRun("run-3") })],
    ["saveAnalysis", () => store.saveAnalysis(exampleAnalysis())],
    ["addBundle", () => store.addBundle({ ...exampleBundle(), run: exampleRun("run-4") }, null)],
  ])("says that the quota is used up when %s is refused, and keeps what was there", async (name, write) => {
    await fill(exampleBundle());
    failPuts(quota);
    vi.spyOn(IDBObjectStore.prototype, "add").mockImplementation(() => {
      throw quota();
    });
    const refused = name === "addBundle" ? store.addBundle(renamed("run-4"), null) : write();
    await expect(refused).rejects.toMatchObject({
      name: "StorageError",
      code: "quota",
      message: expect.stringContaining("is safe"),
    });
    vi.restoreAllMocks();
    expect(await store.loadBundle("run-1")).toStrictEqual({ ...exampleBundle(), broken: [] });
  });

  it("leaves no half of a variant behind when the second of its writes is refused", async () => {
    await store.createRun(exampleRun());
    let writes = 0;
    const put = IDBObjectStore.prototype.put;
    vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (this: IDBObjectStore, ...args) {
      writes += 1;
      if (writes === 2) throw quota();
      return put.apply(this, args);
    });
    const write = store.putGeneration({
      generation: exampleGeneration("g1"),
      activations: [exampleActivation("a1")],
    });
    await expect(write).rejects.toMatchObject({ code: "quota" });
    expect(writes).toBe(2);
    vi.restoreAllMocks();
    const keys = await store.existingKeys("run-1");
    expect([keys.generations.size, keys.activations.size]).toEqual([0, 0]);
  });

  it("says what failed when a write fails for an unknown cause, and keeps the cause", async () => {
    await store.createRun(exampleRun());
    failPuts(() => new DOMException("disk on fire", "DataError"));
    const write = store.putGeneration({ generation: exampleGeneration("g1"), activations: [] });
    await expect(write).rejects.toMatchObject({
      code: "unknown",
      message: expect.stringContaining("could not save the results: "),
      cause: expect.anything(),
    });
  });

  it("says that there is no storage where there is no IndexedDB", async () => {
    // Dexie takes the global engine where none is named, and Node has none.
    const without = new RunStore({ name: "no-engine" });
    await expect(without.listRuns()).rejects.toMatchObject({ code: "unavailable" });
    await expect(without.createRun(exampleRun())).rejects.toMatchObject({ code: "unavailable" });
  });

  it("reports storage that cannot be used to a subscriber", async () => {
    const states: unknown[] = [];
    const stop = new RunStore({ name: "no-engine" })
      .watchRun("run-1")
      .subscribe((state) => states.push(state));
    expect(states).toEqual([{ state: "loading" }]);
    await eventually(() =>
      expect(states.at(-1)).toMatchObject({ state: "failed", error: { code: "unavailable" } }),
    );
    stop();
  });

  it.each(["SecurityError", "InvalidStateError", "UnknownError"])(
    "says that storage is unavailable when opening fails with %s",
    async (name) => {
      vi.spyOn(engine.indexedDB, "open").mockImplementation(() => {
        throw new DOMException("refused", name);
      });
      await expect(store.listRuns()).rejects.toMatchObject({ code: "unavailable" });
    },
  );

  it("rejects with `blocked` while an older tab holds the database, and works once that tab is closed", async () => {
    const older = await openRaw(5);
    const onBlocked = vi.fn();
    const waiting = new RunStore({ engine, onBlocked, blockedAfterMs: 10 });
    await expect(waiting.listRuns()).rejects.toMatchObject({ code: "blocked" });
    await expect(waiting.listRuns()).rejects.toMatchObject({ code: "blocked" });
    expect(onBlocked).toHaveBeenCalledOnce();
    older.close();
    await eventually(async () => expect(await waiting.listRuns()).toEqual([]));
    waiting.close();
  });

  it("lets a newer tab have the database, and says so on every later call", async () => {
    const onSuperseded = vi.fn();
    const older = new RunStore({ engine, onSuperseded });
    await older.createRun(exampleRun());
    const newer = await openRaw(999);
    expect(onSuperseded).toHaveBeenCalledWith(expect.objectContaining({ code: "version" }));
    await expect(older.listRuns()).rejects.toMatchObject({ code: "version" });
    await expect(older.updateRun("run-1", { status: "stopped" })).rejects.toMatchObject({ code: "version" });
    newer.close();
  });

  it("does not touch a database that a newer version wrote", async () => {
    (await openRaw(999)).close();
    await expect(store.listRuns()).rejects.toMatchObject({ code: "version" });
    await expect(store.createRun(exampleRun())).rejects.toMatchObject({ code: "version" });
    const after = await openRaw();
    expect(after.version).toBe(999);
    after.close();
  });
});

function renamed(runId: string): RunBundle {
  const bundle = exampleBundle();
  const rename = <T extends { readonly runId: string }>(records: readonly T[]) =>
    records.map((record) => ({ ...record, runId }));
  return {
    run: exampleRun(runId),
    background: null,
    generations: rename(bundle.generations),
    activations: rename(bundle.activations),
    scores: rename(bundle.scores),
    embeddings: rename(bundle.embeddings),
  };
}
