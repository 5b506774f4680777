import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exported, startBuiltPage, type BuiltPage } from "./built-page.ts";

let built: BuiltPage;

beforeAll(async () => {
  built = await startBuiltPage();
});

afterAll(async () => {
  await built.close();
});

describe("the main job, in the built page, with nothing but loopback reachable", () => {
  it("ends in four finite scores with intervals after pressing Run, and shows them", async () => {
    const { page, refused, errors } = await built.open();
    await page.getByLabel("Questions", { exact: true }).selectOption("4");
    await page.getByLabel("Wordings", { exact: true }).selectOption("3");
    await page.locator("details.more-choices summary").click();
    await page.getByLabel("Longest answer, tokens").fill("12");
    await page.getByLabel("Longest answer, tokens").press("Tab");
    await page.getByRole("button", { name: "Run", exact: true }).click();

    // While it runs: one bar that never falls, and a Stop button.
    await page.getByRole("button", { name: "Stop" }).waitFor();
    const bar = page.getByRole("progressbar");
    let highest = 0;
    for (;;) {
      const done = await page.getByRole("button", { name: "Run", exact: true }).isVisible();
      if (done) break;
      const now = Number((await bar.getAttribute("aria-valuenow").catch(() => null)) ?? highest);
      expect(now).toBeGreaterThanOrEqual(highest);
      highest = now;
      // The bar stands still while the last analysis is made; then the button changes.
      await page.waitForFunction(
        (shown) =>
          document.querySelector('[role="progressbar"]')?.getAttribute("aria-valuenow") !== String(shown) ||
          document.querySelector(".act .solid")?.textContent?.trim() === "Run",
        now,
      );
    }

    const runId = await page.evaluate(
      () =>
        new Promise<string>((resolve, reject) => {
          const open = indexedDB.open("sago");
          open.onerror = () => reject(new Error("The database cannot be opened."));
          open.onsuccess = () => {
            const request = open.result.transaction("runs").objectStore("runs").getAllKeys();
            request.onsuccess = () => resolve(String(request.result[0]));
          };
        }),
    );
    const { analysis, run } = await exported(page, runId);
    expect(run.status).toBe("finished");
    for (const [axis, { estimate, low, high, reason }] of Object.entries(analysis.axes)) {
      expect(estimate, axis).not.toBeNull();
      expect(low, `${axis}: ${reason}`).not.toBeNull();
      expect(high, axis).not.toBeNull();
      expect(Number(low)).toBeLessThanOrEqual(Number(estimate));
      expect(Number(high)).toBeGreaterThanOrEqual(Number(estimate));
    }
    // The page says the same number as the export, with two decimals.
    const shown = analysis.axes.generation.estimate?.toFixed(2) ?? "";
    await page.getByRole("heading", { name: "Instability on four axes" }).waitFor();
    expect(await page.locator("main").innerText()).toContain(shown);

    // The example's page: answers side by side, layers, certainty, and how each number came about.
    await page.getByRole("link", { name: /\?|\./ }).first().click();
    await page.getByRole("heading", { name: "How each number came about" }).waitFor();
    await page.getByRole("heading", { name: /how far each layer moves/ }).waitFor();
    expect(errors).toEqual([]);
    expect(refused).toEqual([]);
  });

  it("compares the wordings of a prompt that the reader types", async () => {
    const { page, errors } = await built.open();
    await page.getByRole("link", { name: "Try one prompt" }).click();
    await page.getByRole("textbox").first().fill("Why is the sky blue?");
    const remove = page.getByRole("button", { name: /remove/i });
    await remove.first().waitFor();
    while ((await remove.count()) > 2) await remove.last().click();
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.waitForFunction(
      () => /\d\.\d\d/.test(document.querySelector("main")?.textContent ?? ""),
      null,
      {
        timeout: 300_000,
      },
    );
    expect(errors).toEqual([]);
  });

  it("works without cross-origin isolation, on one thread, and says so", async () => {
    const { page, context } = await built.open();
    await context.route("**/*", async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers() };
      delete headers["cross-origin-opener-policy"];
      delete headers["cross-origin-embedder-policy"];
      await route.fulfill({ response, headers });
    });
    await page.reload();
    await page.waitForFunction(() => "sago" in globalThis);
    expect(await page.evaluate(() => globalThis.crossOriginIsolated)).toBe(false);
    const outcome = await page.evaluate(() =>
      globalThis.sago.evaluate(
        { id: "short-facts" },
        {
          modelId: null,
          examples: 1,
          variantsPerExample: 1,
          maxNewTokens: 2,
          device: "wasm",
          seed: 7,
        },
        () => undefined,
      ),
    );
    expect(outcome.ok).toBe(true);
    expect(await page.locator("header").innerText()).toMatch(/1 thread/);
  });

  it("names the file that is missing when a model's file is not there", async () => {
    const { page, context } = await built.open();
    await context.route("**/onnx/model_q4.onnx_data_1", (route) => route.fulfill({ status: 404, body: "" }));
    const outcome = await page.evaluate(() =>
      globalThis.sago.evaluate(
        { id: "short-facts" },
        { modelId: null, examples: 1, variantsPerExample: 1, maxNewTokens: 2, device: "wasm", seed: 7 },
        () => undefined,
      ),
    );
    expect(outcome.ok).toBe(false);
    expect(outcome.ok ? "" : outcome.message).toContain("model_q4.onnx_data_1");
    expect(await page.getByRole("alert").innerText()).toContain("model_q4.onnx_data_1");
  });
});
