import { afterAll, beforeAll, expect, it } from "vitest";
import { startBuiltPage, type BuiltPage } from "./built-page.ts";

/** Reading the example run: the tour, the list by keys, and the page on paper. */

let built: BuiltPage;

beforeAll(async () => {
  built = await startBuiltPage();
});

afterAll(async () => {
  await built.close();
});

it("the tour leads through the example run by keys, points at each part, and ends where it began", async () => {
  const { page, context, errors } = await built.open({ example: true, reducedMotion: "reduce" });
  await page.getByRole("button", { name: "Show me around" }).click();
  const tour = page.getByRole("region", { name: "Tour" });
  const titles: string[] = [];
  for (let step = 1; step <= 7; step += 1) {
    await tour.getByText(`${step} of 7`).waitFor();
    const title = tour.getByRole("heading");
    titles.push((await title.textContent()) ?? "");
    const marked = page.locator("[data-tour-on]");
    await marked.waitFor();
    expect(await marked.count()).toBe(1);
    // What it points at is in view, and the card has the focus, so that keys go on working.
    await page.waitForFunction(() => {
      const box = document.querySelector("[data-tour-on]")?.getBoundingClientRect();
      return box !== undefined && box.top >= 0 && box.top < globalThis.innerHeight / 2;
    });
    await page.waitForFunction(() => document.activeElement === document.querySelector(".tour h2"));
    await page.keyboard.press("ArrowRight");
  }
  expect(new Set(titles).size).toBe(7);
  await tour.waitFor({ state: "detached" });
  expect(await page.locator("[data-tour-on]").count()).toBe(0);
  await page.getByRole("button", { name: "Show me around" }).click();
  await tour.getByText("1 of 7").waitFor();
  await page.getByRole("link", { name: "Models" }).first().click();
  await tour.waitFor({ state: "detached" });
  expect(errors).toEqual([]);
  await context.close();
});

it("the list of questions is walked by keys and opens one with Enter", async () => {
  const { page, context } = await built.open({ example: true });
  const list = page.getByRole("region", { name: "Questions" });
  await list.getByRole("link").first().waitFor();
  await list.focus();
  await page.keyboard.press("End");
  await page.waitForFunction(
    () => document.activeElement?.closest("tr")?.getAttribute("aria-rowindex") === "17",
  );
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(
    () => document.activeElement?.closest("tr")?.getAttribute("aria-rowindex") === "16",
  );
  const prompt = await page.evaluate(() => document.activeElement?.textContent ?? "");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: prompt }).waitFor();
  await context.close();
});

it("on paper every chart has the width of the sheet, every question is there, and the theme is light", async () => {
  const { context, again } = await built.open({ example: true });
  // As in a browser that prints: the sheet is laid out, and no script learns how wide it is.
  await context.addInitScript(() => {
    const Observer = globalThis.ResizeObserver;
    const isFrozen = () => "frozen" in document.documentElement.dataset;
    globalThis.ResizeObserver = class extends Observer {
      constructor(callback: ResizeObserverCallback) {
        super((entries, observer) => {
          if (!isFrozen()) callback(entries, observer);
        });
      }
    };
    globalThis.addEventListener("resize", (event) => isFrozen() && event.stopImmediatePropagation(), true);
  });
  const page = await again();
  await page.getByRole("heading", { name: "Instability on four axes" }).waitFor();
  await page.locator(".profile .item svg").first().waitFor();
  await page.evaluate(() => {
    document.documentElement.dataset["theme"] = "dark";
    document.documentElement.dataset["frozen"] = "";
  });
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 718, height: 1000 });
  await page.evaluate(() => globalThis.dispatchEvent(new Event("beforeprint")));
  const paper = await page.evaluate(() => {
    const text = document.querySelector("main")?.getBoundingClientRect();
    const right = [...document.querySelectorAll("main svg")].map((svg) => svg.getBoundingClientRect().right);
    const rows = [...document.querySelectorAll(".profile .item")].map((row) => {
      const part = (name: string) => row.querySelector(name)?.getBoundingClientRect();
      return { plotEnd: part(".plotcell line")?.bottom ?? NaN, sentence: part(".say")?.top ?? NaN };
    });
    return {
      edge: text?.right ?? NaN,
      right: Math.max(...right),
      rows,
      questions: document.querySelectorAll("tr[data-index]").length,
      theme: document.documentElement.dataset["theme"],
    };
  });
  expect(paper.right).toBeLessThanOrEqual(paper.edge + 1);
  expect(paper.rows).toHaveLength(4);
  for (const { plotEnd, sentence } of paper.rows) expect(plotEnd).toBeLessThanOrEqual(sentence + 4);
  expect(paper.questions).toBe(16);
  expect(paper.theme).toBe("light");
  await page.evaluate(() => globalThis.dispatchEvent(new Event("afterprint")));
  expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  await context.close();
});
