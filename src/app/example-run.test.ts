import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exportRun, importRun, RunStore } from "../storage/index.ts";
import { exampleBundle, exampleRun } from "../storage/run-fixtures.ts";
import { ensureExampleRun } from "./example-run.ts";

const BASE = "https://host.example/sago/";
let store: RunStore;
let answers: Map<string, () => Response>;
const fetched: string[] = [];

const newStore = () => new RunStore({ engine: { indexedDB: new IDBFactory(), IDBKeyRange } });
const analyses = { importFile: (file: Blob) => importRun(store, file) };

async function exampleFile(runId: string): Promise<Blob> {
  const source = newStore();
  const run = exampleRun(runId, { status: "finished", stored: true });
  const none = { background: null, generations: [], activations: [], scores: [], embeddings: [] };
  await source.addBundle({ run, ...none }, null);
  const file = await exportRun(source, runId, { productVersion: "0.1.0" });
  source.close();
  return file;
}

async function serveExample(runId: string): Promise<void> {
  const file = await exampleFile(runId);
  const index = { runId, file: "run.json.gz", bytes: file.size };
  answers = new Map([
    [`${BASE}example/index.json`, () => Response.json(index)],
    [`${BASE}example/run.json.gz`, () => new Response(file)],
  ]);
}

beforeEach(() => {
  store = newStore();
  fetched.length = 0;
  vi.stubGlobal("fetch", (url: URL) => {
    fetched.push(url.href);
    return Promise.resolve(answers.get(url.href)?.() ?? new Response("", { status: 404 }));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  store.close();
});

describe("the example run", () => {
  it("is stored on the first visit and fetched only once", async () => {
    await serveExample("one");
    expect(await ensureExampleRun(store, analyses, BASE)).toBe("one");
    expect(await store.listRuns()).toMatchObject([{ id: "one", stored: true }]);
    expect(await ensureExampleRun(store, analyses, BASE)).toBe("one");
    expect(fetched.filter((url) => url.endsWith("run.json.gz"))).toHaveLength(1);
  });

  it("makes room for that of a newer page, and leaves the reader's own runs alone", async () => {
    await store.addBundle(exampleBundle(), null);
    await serveExample("one");
    await ensureExampleRun(store, analyses, BASE);
    await serveExample("two");
    await ensureExampleRun(store, analyses, BASE);
    expect((await store.listRuns()).map(({ id }) => id).sort()).toEqual(["run-1", "two"]);
  });

  it("names the file that is missing or wrong, and stores nothing", async () => {
    answers = new Map();
    await expect(ensureExampleRun(store, analyses, BASE)).rejects.toThrow(
      "/sago/example/index.json answered 404",
    );
    answers = new Map([[`${BASE}example/index.json`, () => new Response("<!doctype html>")]]);
    await expect(ensureExampleRun(store, analyses, BASE)).rejects.toThrow(
      "/sago/example/index.json does not describe",
    );
    await serveExample("one");
    answers.set(`${BASE}example/run.json.gz`, () => new Response("{}"));
    await expect(ensureExampleRun(store, analyses, BASE)).rejects.toThrow("cannot be imported");
    expect(await store.listRuns()).toEqual([]);
  });
});
