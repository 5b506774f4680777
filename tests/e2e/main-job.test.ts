import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBuiltPage, type BuiltPage } from "./built-page.ts";

let built: BuiltPage;

beforeAll(async () => {
  built = await startBuiltPage();
});

afterAll(async () => {
  await built.close();
});

describe("the main job, in the built page, with nothing but loopback reachable", () => {
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
