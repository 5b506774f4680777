import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportRun, RunStore } from "../../src/storage/index.ts";
import { syntheticBundle } from "../fixtures/synthetic-bundle.ts";
import { startBuiltPage, type BuiltPage } from "./built-page.ts";

let built: BuiltPage;

beforeAll(async () => {
  built = await startBuiltPage();
});

afterAll(async () => {
  await built.close();
});

/** An exported run of a made-up model: how far its answers lie apart is planted. */
async function exportedRun(model: string, generation: number): Promise<Buffer> {
  const bundle = syntheticBundle({
    examples: 12,
    layers: 4,
    planted: { generation, activation: 0.25, confidence: 0.3, mirroring: 0 },
  });
  const id = `run-of-${model}`;
  const owned = <T extends { readonly runId: string; readonly key: string }>(records: readonly T[]): T[] =>
    records.map((record) => ({ ...record, runId: id, key: `${id}/${record.key}` }));
  const store = new RunStore({ engine: { indexedDB: new IDBFactory(), IDBKeyRange } });
  await store.createRun({
    ...bundle.run,
    id,
    spec: { ...bundle.run.spec, model: { ...bundle.run.spec.model, id: model } },
  });
  const activations = owned(bundle.activations);
  for (const generation of owned(bundle.generations)) {
    await store.putGeneration({
      generation,
      activations: activations.filter(
        (it) => it.exampleId === generation.exampleId && it.promptId === generation.promptId,
      ),
    });
  }
  await store.putScores(owned(bundle.scores));
  await store.putEmbeddings(owned(bundle.embeddings));
  const file = await exportRun(store, id, { productVersion: "test" });
  store.close();
  return Buffer.from(await file.arrayBuffer());
}

describe("the page Compare", () => {
  it("opens exported runs, compares them, keeps the choice in its address, and has a table for each chart", async () => {
    const { page, errors, context } = await built.open();
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    await page.getByText("No run is stored in this browser.").waitFor();
    const files = await Promise.all(
      [
        ["steady", 0.2],
        ["shaky", 0.6],
      ].map(async ([model, apart]) => ({
        name: `${String(model)}.json`,
        mimeType: "application/json",
        buffer: await exportedRun(String(model), Number(apart)),
      })),
    );
    await page.getByLabel("Open exported runs").setInputFiles(files);
    await page.getByRole("heading", { name: "2 models, one dataset", exact: false }).waitFor();
    await page.waitForURL(/#\/compare\?runs=/);

    const noise = page.locator('[data-finding="noise"]');
    expect(await noise.locator(".big").innerText()).toMatch(/^\d of \d$/);
    // One dataset cannot show a reversal, and that is what it says.
    await page
      .locator('[data-finding="reversals"]')
      .getByText("Two datasets with at least 8 questions")
      .waitFor();
    await page.getByText("Over all datasets: steady, then shaky").waitFor();

    await page.getByRole("button", { name: "Table: Every estimate with its interval" }).click();
    const rows = page.getByRole("region", { name: "Every estimate with its interval, as a table" });
    const generation = (model: string) =>
      rows
        .getByRole("row", { name: new RegExp(`^${model} .* Generation `) })
        .locator("td")
        .nth(2)
        .innerText();
    expect(Number(await generation("steady"))).toBeLessThan(Number(await generation("shaky")));

    // The address restores the choice: one of the two, without the other.
    await page.goto(page.url().replace(/runs=.*/, "runs=run-of-shaky"));
    await page.reload();
    await page.getByRole("heading", { name: "One model, one dataset", exact: false }).waitFor();
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(1);
    expect(errors).toEqual([]);
    await context.close();
  });
});
