import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventually } from "../../tests/eventually.ts";
import {
  exampleActivation,
  exampleAnalysis,
  exampleBundle,
  exampleGeneration,
  exampleRun,
} from "./run-fixtures.ts";
import { exportRun } from "./run-export.ts";
import { importRun, parseRunFile } from "./run-import.ts";
import { RunStore } from "./run-store.ts";
import { sameValue } from "./same-value.ts";
import { estimateStorage } from "./storage-space.ts";

declare global {
  interface Navigator {
    /** Storage with a quota of its own, bytes (Chromium 122 and later). TypeScript does not know it yet. */
    readonly storageBuckets: {
      open(name: string, options: { quota: number }): Promise<{ readonly indexedDB: IDBFactory }>;
      delete(name: string): Promise<void>;
    };
  }
}

let name: string;
const opened: RunStore[] = [];

beforeEach(() => {
  name = `sago-test-${crypto.randomUUID()}`;
});

afterEach(async () => {
  for (const store of opened.splice(0)) store.close();
  await settled(indexedDB.deleteDatabase(name));
  await navigator.storageBuckets.delete(name);
});

function open(options: ConstructorParameters<typeof RunStore>[0] = {}): RunStore {
  const store = new RunStore({ name, ...options });
  opened.push(store);
  return store;
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no error given"));
  });
}

/** A version 1 database as the browser's own interface makes it. */
async function createVersion1(): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 10);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("runs", { keyPath: "id" }).createIndex("createdAt", "createdAt");
    for (const table of ["backgrounds", "generations", "activations", "scores", "embeddings"]) {
      request.result.createObjectStore(table, { keyPath: ["runId", "key"] });
    }
  };
  const database = await settled(request);
  const transaction = database.transaction(["runs", "generations"], "readwrite");
  const { message: _message, ...run } = exampleRun();
  const { closeSteps: _closeSteps, ...generation } = exampleGeneration("g1");
  transaction.objectStore("runs").add({ ...run, elapsedMs: 1500, error: "Stopped." });
  await settled(transaction.objectStore("generations").add(generation));
  return database;
}

it("brings a version 1 database up to date without losing a record", async () => {
  (await createVersion1()).close();
  const store = open();
  expect(await store.getRun("run-1")).toStrictEqual(
    exampleRun("run-1", { message: "Stopped.", elapsedMs: { total: 1500 } }),
  );
  expect((await store.loadExample("run-1", "e1"))?.generations).toStrictEqual([
    exampleGeneration("g1", { closeSteps: [] }),
  ]);
});

it("waits for an older tab, says that it is blocked, and opens when that tab closes", async () => {
  const older = await createVersion1();
  const onBlocked = vi.fn();
  const store = open({ onBlocked, blockedAfterMs: 20 });
  await expect(store.listRuns()).rejects.toMatchObject({ code: "blocked" });
  expect(onBlocked).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "blocked" }));
  older.close();
  await eventually(async () => expect((await store.listRuns()).length).toBe(1));
});

it("lets a newer tab upgrade the database, and refuses to write from then on", async () => {
  const onSuperseded = vi.fn();
  const store = open({ onSuperseded });
  await store.createRun(exampleRun());
  (await settled(indexedDB.open(name, 990))).close();
  expect(onSuperseded).toHaveBeenCalledOnce();
  await expect(store.updateRun("run-1", { status: "stopped" })).rejects.toMatchObject({ code: "version" });
  await expect(open().listRuns()).rejects.toMatchObject({ code: "version" });
});

it("stores and loads a run exactly, and shows it to a live value of another connection", async () => {
  const seen: string[] = [];
  const stop = open()
    .watchRuns()
    .subscribe((state) => seen.push(state.state === "ready" ? String(state.value.length) : state.state));
  await eventually(() => expect(seen).toEqual(["loading", "0"]));
  const store = open();
  await store.addBundle(exampleBundle(), exampleAnalysis());
  expect(await store.loadBundle("run-1")).toStrictEqual({ ...exampleBundle(), broken: [] });
  await eventually(() => expect(seen.at(-1)).toBe("1"));
  stop();
});

it("reports a quota that the browser refuses, and keeps what was written before", async () => {
  const bucket = await navigator.storageBuckets.open(name, { quota: 20_000_000 });
  const store = open({ engine: { indexedDB: bucket.indexedDB, IDBKeyRange } });
  await store.createRun(exampleRun());
  await store.putGeneration({ generation: exampleGeneration("g0"), activations: [] });
  const shape = { layers: 1_000, hiddenSize: 12_000, scales: new Float32Array(1_000) };
  const activations = [exampleActivation("big", { ...shape, values: randomBits(12_000_000) })];
  const write = store.putGeneration({ generation: exampleGeneration("g1"), activations });
  await expect(write).rejects.toMatchObject({ name: "StorageError", code: "quota" });
  const keys = await store.existingKeys("run-1");
  expect([[...keys.generations], keys.activations.size]).toEqual([["g0"], 0]);
  await store.putGeneration({ generation: exampleGeneration("g1"), activations: [] });
  expect((await store.existingKeys("run-1")).generations.size).toBe(2);
});

/** Chromium compresses what it stores, and this it cannot. */
function randomBits(length: number): Uint16Array {
  const values = new Uint16Array(length);
  const atOnce = 32_768;
  for (let start = 0; start < length; start += atOnce) {
    crypto.getRandomValues(values.subarray(start, start + atOnce));
  }
  return values;
}

it("reports a transaction that the browser aborts for want of space as a refused quota", async () => {
  const store = open();
  await store.createRun(exampleRun());
  const put = IDBObjectStore.prototype.put;
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (this: IDBObjectStore, ...args) {
    const request = put.apply(this, args);
    // As browsers do when space runs out at commit: the transaction aborts, its error says why.
    Object.defineProperty(this.transaction, "error", {
      get: () => new DOMException("The quota has been exceeded.", "QuotaExceededError"),
    });
    request.addEventListener("success", () => this.transaction.abort());
    return request;
  });
  const write = store.putGeneration({ generation: exampleGeneration("g1"), activations: [] });
  await expect(write).rejects.toMatchObject({ code: "quota", message: expect.stringContaining("is safe") });
  vi.restoreAllMocks();
  expect((await store.existingKeys("run-1")).generations.size).toBe(0);
});

it("exports and imports a run of real size, plain and compressed, without a difference", async () => {
  const activations = Array.from({ length: 200 }, (_, index) => ({
    ...{ key: `a${String(index).padStart(3, "0")}`, runId: "run-1", exampleId: "e1", promptId: "original" },
    ...{ pooling: "prompt-mean" as const, layers: 30, hiddenSize: 576 },
    values: Uint16Array.from({ length: 30 * 576 }, (_value, place) => (place * 31 + index) % 65_536),
    scales: new Float32Array(30).fill(index / 7),
  }));
  const bundle = { ...exampleBundle(), activations };
  const source = open();
  await source.addBundle(bundle, null);
  for (const compress of [false, true]) {
    const file = await exportRun(source, "run-1", { productVersion: "0.1.0", compress });
    expect(sameValue((await parseRunFile(file)).bundle, bundle)).toBe(true);
    expect(await importRun(source, file)).toEqual({ outcome: "recognised", runId: "run-1" });
  }
});

it("tells how much space there is", async () => {
  const estimate = await estimateStorage();
  expect(estimate).toMatchObject({ available: true, persisted: expect.any(Boolean) });
  if (estimate.available) expect(estimate.quotaBytes).toBeGreaterThan(estimate.usageBytes);
});
