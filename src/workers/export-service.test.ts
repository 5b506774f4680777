import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { syntheticBundle } from "../../tests/fixtures/synthetic-bundle.ts";
import { analyseRun } from "../evaluation/analysis/index.ts";
import { productVersion } from "../version.ts";
import { RunStore } from "../storage/index.ts";
import { ExportService } from "./export-service.ts";

const bundle = syntheticBundle({ examples: 4 });
const runId = bundle.run.id;
const analysis = { ...analyseRun(bundle, { replications: 20 }), productVersion };
let store: RunStore;

beforeEach(async () => {
  store = new RunStore({ engine: { indexedDB: new IDBFactory(), IDBKeyRange } });
  await store.addBundle(bundle, null);
});

afterEach(() => store.close());

async function linesOf(file: Blob): Promise<unknown[]> {
  const text = await file.text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

describe("ExportService", () => {
  it("writes every stored answer", async () => {
    const file = await new ExportService(store).table(runId, "answers", "jsonl", analysis);
    expect(await linesOf(file)).toHaveLength(bundle.generations.length);
  });

  it("takes the stored analysis, and the shown one only where none is stored", async () => {
    const other = { ...analysis, bootstrapReplications: 99 };
    const service = new ExportService(store);
    expect((await linesOf(await service.table(runId, "axes", "jsonl", other)))[0]).toMatchObject({
      bootstrap_replications: 99,
    });
    await store.saveAnalysis({ key: "a", runId, createdAt: "2026-01-01T00:00:00.000Z", analysis });
    expect((await linesOf(await service.table(runId, "axes", "jsonl", other)))[0]).toMatchObject({
      bootstrap_replications: 20,
    });
  });

  it("says what to do where there is no analysis, and that a run is gone", async () => {
    const service = new ExportService(store);
    await expect(service.table(runId, "axes", "csv", null)).rejects.toThrow("Open it, and export it");
    await expect(service.table("gone", "axes", "csv", null)).rejects.toThrow("no longer in the browser");
  });
});
