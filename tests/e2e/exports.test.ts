import axe from "axe-core";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { parquetReadObjects } from "hyparquet";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Papa from "papaparse";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportRun, RunStore } from "../../src/storage/index.ts";
import { syntheticBundle } from "../fixtures/synthetic-bundle.ts";
import { XSS_CORPUS, XSS_MARK } from "../xss-corpus.ts";
import { startBuiltPage, type BuiltPage } from "./built-page.ts";

/** What leaves the page as files: each download happens, and says what the page shows. */

let built: BuiltPage;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sago-exports-"));
  built = await startBuiltPage();
});

afterAll(async () => {
  await built.close();
  await rm(folder, { recursive: true });
});

type Row = Record<string, unknown>;

/** Presses a button and gives the path of the file that came. */
async function download(page: Page, button: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).click(),
  ]);
  const path = join(folder, file.suggestedFilename());
  await file.saveAs(path);
  return path;
}

async function rowsOf(path: string): Promise<Row[]> {
  if (path.endsWith(".parquet")) {
    const bytes = await readFile(path);
    return parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  }
  const text = await readFile(path, "utf8");
  if (path.endsWith(".csv"))
    return Papa.parse<Row>(text, { header: true, skipEmptyLines: true, dynamicTyping: true }).data;
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);
}

const shown = (value: unknown) => (typeof value === "number" ? value.toFixed(2) : "–");

/** What axe finds in a part of the page, however slight, each with the first place where it is. */
async function violations(page: Page, part: string): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (selector) => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run(selector);
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  }, part);
}

/** The four numbers of the profile, as they are shown. */
function profileOf(page: Page): Promise<string[]> {
  return page.locator(".profile:visible .item .value b").allTextContents();
}

async function openExample(): Promise<Awaited<ReturnType<BuiltPage["open"]>>> {
  const visit = await built.open({ example: true });
  await visit.page.locator(".profile .item .value b").first().waitFor();
  await visit.page.getByRole("button", { name: "Export", exact: true }).click();
  return visit;
}

describe("the exports of the example run", () => {
  it.each(["CSV", "JSONL", "Parquet"])("as %s hold the numbers that the page shows", async (format) => {
    const { page, errors, context } = await openExample();
    const axes = await rowsOf(await download(page, `Axes as ${format}`));
    expect(axes.map((row) => row["axis"])).toEqual(["generation", "activation", "confidence", "mirroring"]);
    expect(axes.map((row) => shown(row["estimate"]))).toEqual(await profileOf(page));

    const questions = await rowsOf(await download(page, `Questions as ${format}`));
    expect(questions).toHaveLength(16);
    const listed = await page.getByRole("region", { name: "Questions" }).getByRole("link").allTextContents();
    const prompts = questions.map((row) => String(row["prompt"]));
    expect(listed.length).toBeGreaterThan(3);
    for (const prompt of listed) expect(prompts).toContain(prompt.trim());
    const mean = questions.reduce((sum, row) => sum + Number(row["activation_instability"]), 0) / 16;
    expect(mean).toBeCloseTo(Number(axes[1]?.["estimate"]), 10);

    const path = await download(page, `Answers as ${format}`);
    expect(path).toMatch(
      /sago-instructions-SmolLM2-135M-Instruct-q4-\d{4}-\d\d-\d\d-[0-9a-f]{8}-answers\.\w+$/,
    );
    const answers = await rowsOf(path);
    expect(new Set(answers.map((row) => row["example_id"])).size).toBe(16);
    const correctReasons = new Set(answers.map((row) => row["correct_reason"]));
    expect([...correctReasons]).toEqual(["the set has no right answer for this question"]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("include a report that opens from disk without scripts and shows the same profile", async () => {
    const { page, errors, context } = await openExample();
    const profile = await profileOf(page);
    const path = await download(page, "Report as HTML");
    expect(errors).toEqual([]);
    await context.close();

    for (const [width, colorScheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      const disk = await built.browser.newContext({
        javaScriptEnabled: false,
        colorScheme,
        viewport: { width, height: 900 },
      });
      const report = await disk.newPage();
      const asked: string[] = [];
      report.on("request", (request) => asked.push(request.url()));
      await report.goto(pathToFileURL(path).href);
      expect(await profileOf(report)).toEqual(profile);
      const estimates = await report
        .locator("#findings ~ .scroll tbody tr td:nth-of-type(1)")
        .allTextContents();
      expect(estimates).toEqual(profile);
      expect(await report.locator("article").count()).toBe(16);
      expect(await report.locator("script").count()).toBe(0);
      // The marks lie within the drawing, which they leave where it was measured at another width.
      const scale = await report.locator(".profile:visible .axisrow svg").boundingBox();
      const marks = report.locator(".profile:visible .item .mark");
      for (const mark of await marks.all()) {
        const box = await mark.boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual((scale?.x ?? NaN) - 8);
        expect((box?.x ?? NaN) + (box?.width ?? NaN)).toBeLessThanOrEqual(
          (scale?.x ?? NaN) + (scale?.width ?? NaN) + 8,
        );
      }
      const overflow = await report.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);
      expect(overflow).toBe(0);
      expect(asked).toEqual([pathToFileURL(path).href]);
      await disk.close();
    }
  });

  it("are chosen in a panel, and include a report, in which axe finds nothing, light and dark", async () => {
    const { page, context } = await openExample();
    await page.getByRole("button", { name: "Report as HTML" }).waitFor();
    expect(await violations(page, ".exports")).toEqual([]);
    const path = await download(page, "Report as HTML");
    await context.close();
    for (const colorScheme of ["light", "dark"] as const) {
      const disk = await built.browser.newContext({ colorScheme });
      const report = await disk.newPage();
      await report.goto(pathToFileURL(path).href);
      expect(await violations(report, "html")).toEqual([]);
      await disk.close();
    }
  });

  it("include the comparison's table", async () => {
    const { page, context } = await openExample();
    const profile = await profileOf(page);
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    for (const format of ["CSV", "JSONL", "Parquet"]) {
      const rows = await rowsOf(await download(page, `Comparison as ${format}`));
      expect(rows.map((row) => row["axis"])).toEqual([
        "generation",
        "activation",
        "confidence",
        "mirroring",
        "composite",
      ]);
      expect(rows.slice(0, 4).map((row) => shown(row["estimate"]))).toEqual(profile);
    }
    await context.close();
  });
});

/** A run in which every text of a model or a set is one that would run if anything took it for markup. */
async function hostileRun(): Promise<Buffer> {
  const { run, ...records } = syntheticBundle({ examples: XSS_CORPUS.length, variants: 2 });
  const examples = [...new Set(run.prompts.map(({ exampleId }) => exampleId))];
  const textOf = (exampleId: string) => XSS_CORPUS[examples.indexOf(exampleId)]?.text ?? "";
  const everything = XSS_CORPUS.map(({ text }) => text).join(" ");
  const store = new RunStore({ engine: { indexedDB: new IDBFactory(), IDBKeyRange } });
  const hostile = {
    ...run,
    spec: {
      ...run.spec,
      model: { ...run.spec.model, id: everything },
      dataset: { ...run.spec.dataset, name: everything },
      template: { kind: "chat" as const, systemPrompt: everything },
    },
    prompts: run.prompts.map((prompt) => ({
      ...prompt,
      label: textOf(prompt.exampleId),
      text: `${textOf(prompt.exampleId)} ${prompt.text}`,
    })),
    golds: Object.fromEntries(examples.map((id) => [id, [textOf(id)]])),
  };
  const generations = records.generations.map((generation) => ({
    ...generation,
    text: `${textOf(generation.exampleId)} ${generation.text}`,
  }));
  await store.addBundle({ run: hostile, ...records, generations }, null);
  const file = await exportRun(store, run.id, { productVersion: "test" });
  store.close();
  return Buffer.from(await file.arrayBuffer());
}

describe("the report of a run whose texts are all hostile", () => {
  it("runs none of them, asks for nothing, and shows each as it is", async () => {
    const { page, context, errors } = await built.open();
    const input = page.getByLabel("Open an exported run");
    await input.setInputFiles({ name: "run.json", mimeType: "application/json", buffer: await hostileRun() });
    await page.getByRole("button", { name: "Export", exact: true }).click();
    const path = await download(page, "Report as HTML");
    expect(await page.evaluate((mark) => mark in globalThis, XSS_MARK)).toBe(false);
    expect(errors).toEqual([]);
    await context.close();

    const disk = await built.browser.newContext();
    const report = await disk.newPage();
    const asked: string[] = [];
    const dialogs: string[] = [];
    report.on("request", (request) => asked.push(request.url()));
    report.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await report.goto(pathToFileURL(path).href);
    await report.locator("footer").scrollIntoViewIfNeeded();
    expect(await report.evaluate((mark) => mark in globalThis, XSS_MARK)).toBe(false);
    expect(dialogs).toEqual([]);
    expect(asked).toEqual([pathToFileURL(path).href]);
    const headings = await report.locator("article h3").allTextContents();
    expect(headings).toHaveLength(XSS_CORPUS.length);
    for (const { text } of XSS_CORPUS) {
      expect(
        headings.some((heading) => heading.includes(text)),
        text,
      ).toBe(true);
    }
    // Nothing became an element that the report does not write itself.
    const foreign = await report
      .locator("script, iframe, object, embed, form, input, img, video, base, a, math, details, textarea")
      .count();
    expect(foreign).toBe(0);
    await disk.close();
  });
});
