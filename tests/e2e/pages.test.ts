import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright";
import { startBuiltPage, type BuiltPage } from "./built-page.ts";

/** What every page of the built site must be: usable by everyone, and unable to ask a stranger. */

let built: BuiltPage;

beforeAll(async () => {
  built = await startBuiltPage();
});

afterAll(async () => {
  await built.close();
});

const PAGES = ["#/", "#/compare", "#/try", "#/models", "#/data", "#/methods", "#/about"];

async function show(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => {
    globalThis.location.hash = next;
  }, hash);
  await page.locator("main h1").first().waitFor();
}

/** Serious and critical findings of axe, each with the first place where it is. */
async function findings(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the page's policy would rightly refuse that.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document);
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.length} ×, ${nodes[0]?.html ?? ""}`);
  });
}

describe("accessibility", () => {
  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
  ] as const)("axe finds nothing serious on any page, %s, %i wide", async (colorScheme, width) => {
    const { page, context } = await built.open({
      example: true,
      colorScheme,
      viewport: { width, height: 900 },
    });
    await page.getByRole("heading", { name: "Instability on four axes" }).waitFor();
    const found: Record<string, string[]> = {};
    for (const hash of PAGES) {
      await show(page, hash);
      found[hash] = await findings(page);
    }
    await show(page, "#/");
    await page.getByRole("region", { name: "Questions" }).getByRole("link").first().click();
    await page.getByRole("heading", { name: /how far each layer moves/ }).waitFor();
    found["one question"] = await findings(page);
    expect(Object.entries(found).filter(([, list]) => list.length > 0)).toEqual([]);
    await context.close();
  });
});

describe("what the page may ask", () => {
  it("is its own host, the hub and this machine: the browser refuses every other, in workers too", async () => {
    // Answers for a stranger, so that only the policy can be what refuses.
    const { page, context } = await built.open();
    await context.unrouteAll();
    const reached: string[] = [];
    await context.route("https://stranger.example/**", (route) => {
      reached.push(route.request().url());
      return route.fulfill({ body: "here", headers: { "access-control-allow-origin": "*" } });
    });
    await context.route("https://huggingface.co/**", (route) =>
      route.fulfill({ body: "hub", headers: { "access-control-allow-origin": "*" } }),
    );
    const ask = (url: string): Promise<string> =>
      fetch(url).then(
        (response) => response.text(),
        () => "refused",
      );
    const worker = page.workers()[0];
    if (worker === undefined) throw new Error("The page has started no worker.");
    expect(await page.evaluate(ask, "https://huggingface.co/x")).toBe("hub");
    expect(await page.evaluate(ask, "https://stranger.example/page")).toBe("refused");
    expect(await worker.evaluate(ask, "https://stranger.example/worker")).toBe("refused");
    expect(reached).toEqual([]);
    await context.close();
  });

  it("stands on About: the list is the browser's own network log", async () => {
    const { page, context } = await built.open({ example: true });
    await page.getByRole("heading", { name: "Instability on four axes" }).waitFor();
    const again = await context.newPage();
    const log: string[] = [];
    context.on("request", (request) => {
      if (request.frame().page() === again && request.url().startsWith("http")) log.push(request.url());
    });
    // Another open tab would report its own requests, too.
    const address = page.url();
    await page.close();
    await again.goto(address);
    await again.getByRole("heading", { name: "Instability on four axes" }).waitFor();
    await show(again, "#/about");
    await again.getByRole("region", { name: "Requests of this page" }).waitFor();
    await expect
      .poll(
        () =>
          again.evaluate(() =>
            [...document.querySelectorAll<HTMLElement>(".requests tbody tr")]
              .flatMap((row) =>
                Array<string>(Number(row.children[2]?.textContent)).fill(
                  row.querySelector("[title]")?.getAttribute("title") ?? "",
                ),
              )
              .sort(),
          ),
        { timeout: 60_000 },
      )
      .toEqual([...log].sort());
    expect(log.length).toBeGreaterThan(10);
    await context.close();
  });
});

describe("the run bar", () => {
  it("says what a run over the paper's families takes, and in which families", async () => {
    const { page, context, errors } = await built.open();
    const bar = page.getByRole("region", { name: "Run" });
    const answers = (): Promise<string> => bar.getByText(/^\d+ answers$/).innerText();
    const own = Number.parseInt(await answers(), 10);
    await bar.getByText(/^Greedy, up to/).click();
    await bar.getByLabel("Kind of wordings").selectOption("both");
    await bar.getByText("politeness, spacing, marks, case, length, form, in several strengths").waitFor();
    // 16 questions, each with up to eight wordings by rule on top of its own seven.
    await expect.poll(async () => Number.parseInt(await answers(), 10)).toBeGreaterThanOrEqual(own + 16 * 8);
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe("the installed page", () => {
  it("has a manifest whose icons are there, in the sizes that it names", async () => {
    const { page, context, errors } = await built.open();
    const href = await page.locator("link[rel=manifest]").getAttribute("href");
    const sizes = await page.evaluate(async (name) => {
      const at = new URL(name, document.baseURI);
      const manifest = (await (await fetch(at)).json()) as { icons: { src: string; sizes: string }[] };
      return Promise.all(
        manifest.icons
          .filter((icon) => icon.sizes !== "any")
          .map(async ({ src, sizes: named }) => {
            const picture = await createImageBitmap(await (await fetch(new URL(src, at))).blob());
            return { named, drawn: `${picture.width}x${picture.height}` };
          }),
      );
    }, href ?? "");
    expect(sizes.map(({ named }) => named)).toEqual(["192x192", "512x512", "512x512"]);
    for (const { named, drawn } of sizes) expect(drawn).toBe(named);
    expect(errors).toEqual([]);
    await context.close();
  });
});
