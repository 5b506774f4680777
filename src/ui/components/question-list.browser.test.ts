import { flushSync, mount, tick, unmount } from "svelte";
import { afterEach, beforeEach, expect, it } from "vitest";
import { page } from "vitest/browser";
import { eventually } from "../../../tests/eventually.ts";
import "../index.ts";
import { manyQuestions } from "../dev/hard-case.ts";
import { makeAnalysis } from "../dev/made-up-run.ts";
import { followPrinting } from "../printing.svelte.ts";
import { resultsHome } from "../route.ts";
import QuestionList from "./QuestionList.svelte";

const COUNT = 2_000;
const analysis = manyQuestions(makeAnalysis({ done: 32 }), COUNT);
let list: Record<string, unknown>;

beforeEach(async () => {
  await page.viewport(1280, 900);
  list = mount(QuestionList, {
    target: document.body,
    props: {
      analysis,
      view: { ...resultsHome, sort: "order", ascending: true },
      picked: null,
      onpick: () => undefined,
      onopen: () => undefined,
      onview: () => undefined,
    },
  });
  flushSync();
  await eventually(() => expect(rows().length).toBeGreaterThan(5));
});
afterEach(() => unmount(list));

const rows = () => [...document.querySelectorAll<HTMLTableRowElement>("tr[data-index]")];
const region = () => document.querySelector<HTMLElement>("[role=region]") ?? document.body;
const focused = () => Number(document.activeElement?.closest("tr")?.dataset["index"] ?? NaN);
function press(key: string) {
  (document.activeElement ?? region()).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}

it("draws the questions in view, and says of how many they are and which", () => {
  expect(rows().length).toBeLessThan(80);
  expect(document.querySelector("table")?.ariaRowCount).toBe(String(COUNT + 1));
  expect(rows()[0]?.ariaRowIndex).toBe("2");
  // The bar of the list moves as if all of them were there.
  expect(region().scrollHeight).toBeGreaterThan(COUNT * 35);
});

it("is walked by keys from the first question to the last and back", async () => {
  region().focus();
  press("ArrowDown");
  await eventually(() => expect(focused()).toBe(0));
  press("ArrowDown");
  await eventually(() => expect(focused()).toBe(1));
  press("End");
  await eventually(() => expect(focused()).toBe(COUNT - 1));
  expect(document.activeElement?.textContent).toMatch(/^2000\. /);
  press("ArrowDown");
  press("PageUp");
  await eventually(() => expect(focused()).toBeLessThan(COUNT - 5));
  press("Home");
  await eventually(() => expect(focused()).toBe(0));
});

it("shows a phone eight of them until it asks for all", async () => {
  await page.viewport(390, 844);
  await eventually(() => expect(rows()).toHaveLength(8));
  await page.getByRole("button", { name: "Show all 2000 questions" }).click();
  await eventually(() => expect(rows().length).toBeGreaterThan(8));
  expect(region().scrollHeight).toBeGreaterThan(COUNT * 35);
});

it("is whole on paper", async () => {
  const stop = followPrinting();
  window.dispatchEvent(new Event("beforeprint"));
  expect(rows()).toHaveLength(COUNT);
  window.dispatchEvent(new Event("afterprint"));
  await tick();
  expect(rows().length).toBeLessThan(80);
  stop();
});
