import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  begin,
  count,
  evaluate,
  exported,
  startBuiltPage,
  type BuiltPage,
  type ExportedRun,
} from "./built-page.ts";

let built: BuiltPage;

beforeAll(async () => {
  built = await startBuiltPage();
});

afterAll(async () => {
  await built.close();
});

const choices = { examples: 3, variants: 2, tokens: 6 };

/** What must be equal: every record but for the run's own id and the time things took. */
function comparable({ background, generations, activations, scores, embeddings }: ExportedRun) {
  const plain = (record: object) => ({ ...record, runId: null, elapsedMs: null, key: null });
  const byKey = (records: readonly { key: string }[]) =>
    [...records]
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map((record) => ({ ...plain(record), id: record.key }));
  return {
    background: plain(background),
    generations: byKey(generations),
    activations: byKey(activations),
    scores: byKey(scores),
    embeddings: byKey(embeddings),
  };
}

describe("a run whose page is killed", () => {
  it("continues five times, once in mid-batch, and ends exactly as an uninterrupted one", async () => {
    const whole = await built.open();
    const uninterrupted = await exported(whole.page, await evaluate(whole.page, choices));
    await whole.context.close();
    const answers = uninterrupted.generations.length;

    const visit = await built.open();
    let page = visit.page;
    await begin(page, choices);
    // After the first answer, in the midst of a batch, late in it, before the scores, and among the scores.
    const points: readonly (readonly [string, number])[] = [
      ["generations", 1],
      ["generations", 5],
      ["generations", 12],
      ["embeddings", 1],
      ["scores", 4],
    ];
    for (const [table, least] of points) {
      while ((await count(page, table)) < least) {
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      }
      await page.close({ runBeforeUnload: false });
      page = await visit.again();
      await page
        .getByText("A run was interrupted")
        .or(page.getByRole("button", { name: "Continue" }))
        .first()
        .waitFor();
      await page
        .getByRole("button", { name: /^Continue/ })
        .first()
        .click();
    }
    await page.getByRole("button", { name: "Run", exact: true }).and(page.locator(".solid")).waitFor();
    const runId = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const open = indexedDB.open("sago");
          open.onsuccess = () => {
            const request = open.result.transaction("runs").objectStore("runs").getAllKeys();
            request.onsuccess = () => resolve(String(request.result[0]));
          };
        }),
    );
    const continued = await exported(page, runId);
    expect(continued.run.status).toBe("finished");
    expect(continued.generations).toHaveLength(answers);
    expect(comparable(continued)).toEqual(comparable(uninterrupted));
  });

  it("stops on request, keeps what is done, and continues", async () => {
    const { page } = await built.open();
    await begin(page, choices);
    while ((await count(page, "generations")) < 3) {
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Continue", exact: true }).waitFor();
    const stored = await count(page, "generations");
    expect(stored).toBeGreaterThanOrEqual(3);
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.getByRole("button", { name: "Run", exact: true }).and(page.locator(".solid")).waitFor();
    expect(await count(page, "generations")).toBeGreaterThan(stored);
  });
});
