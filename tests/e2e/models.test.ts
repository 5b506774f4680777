import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHub, type HubServer } from "../hub/hub-server.ts";
import {
  tinyDecoder,
  tinyEncoder,
  tinyQuantisedDecoder,
  tinyThinker,
  type Files,
} from "../hub/tiny-models.ts";
import { count, exported, startBuiltPage, type BuiltPage, type ExportedRun } from "./built-page.ts";

let built: BuiltPage;
let hub: HubServer;
let folder: string;

beforeAll(async () => {
  built = await startBuiltPage();
  hub = await startHub({
    "owner/tiny": { files: tinyDecoder(), licence: "cc0-1.0" },
    "owner/encoder": { files: tinyEncoder() },
    "owner/gated": { files: tinyDecoder(), gatedBy: "secret-token" },
    "owner/broken": { files: tinyDecoder(), faults: { "onnx/model.onnx": [{ kind: "corrupt" }] } },
  });
  folder = await mkdtemp(join(tmpdir(), "sago-models-"));
  await write(join(folder, "tiny-folder"), tinyDecoder());
  await write(join(folder, "tiny-encoder"), tinyEncoder());
});

afterAll(async () => {
  await built.close();
  await hub.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

async function modelsPage(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await page.getByRole("heading", { name: "Models", exact: true }).waitFor();
}

async function lookUp(page: Page, name: string): Promise<void> {
  await page.getByRole("textbox", { name: /^Name of a model/ }).fill(name);
  await page.getByRole("button", { name: "Look up" }).click();
}
const row = (page: Page, name: string) => page.getByRole("listitem", { name, exact: true });
const choose = (page: Page, path: string) =>
  page.getByLabel("Choose a folder with a model").setInputFiles(join(folder, path));

/** A run of two questions with the model that the page has in use. */
function run(page: Page): Promise<{ ok: true; runId: string } | { ok: false; message: string }> {
  return page.evaluate(() =>
    globalThis.sago.evaluate(
      { id: "short-facts" },
      { modelId: null, examples: 2, variantsPerExample: 2, maxNewTokens: 3, device: "wasm", seed: 7 },
      () => undefined,
    ),
  );
}

async function specOf(page: Page): Promise<ExportedRun["run"]["spec"] & { model: object; encoder: object }> {
  const outcome = await run(page);
  if (!outcome.ok) throw new Error(outcome.message);
  const { run: stored, analysis } = await exported(page, outcome.runId);
  expect(stored.status).toBe("finished");
  expect(typeof analysis.axes.activation.estimate).toBe("number");
  return stored.spec as ExportedRun["run"]["spec"] & { model: object; encoder: object };
}

describe("a model of the hub", () => {
  it("is looked up, downloaded, checked, run without the hub, and removed", async () => {
    const { page, errors, refused } = await built.open({ hub });
    await modelsPage(page);
    await lookUp(page, "owner/tiny");
    const tiny = row(page, "owner/tiny");
    await tiny.waitFor();
    const shown = await tiny.innerText();
    expect(shown).toContain(`main at ${hub.commitOf("owner/tiny").slice(0, 7)}`);
    expect(shown).toContain("licence cc0-1.0");
    expect(shown).toMatch(/fp32, \d+\skB/);
    expect(shown).toContain("Not downloaded");
    expect(hub.askedOfStore).toEqual([]);

    await tiny.getByRole("button", { name: "Download" }).click();
    await tiny.getByText(/^Available offline/).waitFor();
    await lookUp(page, "owner/encoder");
    await row(page, "owner/encoder").getByRole("button", { name: "Download" }).click();
    await row(page, "owner/encoder")
      .getByText(/^Available offline/)
      .waitFor();
    await tiny.getByRole("button", { name: "Use for runs" }).click();
    await row(page, "owner/encoder").getByRole("button", { name: "Use for runs" }).click();

    await page.getByRole("link", { name: "Run and results" }).click();
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe(
      `owner/tiny@${hub.commitOf("owner/tiny")}`,
    );
    hub.asked.length = 0;
    const spec = await specOf(page);
    expect(hub.asked).toEqual([]);
    expect(spec.model).toMatchObject({
      id: "owner/tiny",
      source: "hub",
      revision: hub.commitOf("owner/tiny"),
      dtype: "fp32",
      layers: 3,
    });
    expect(spec.encoder).toMatchObject({
      id: "owner/encoder",
      source: "hub",
      revision: hub.commitOf("owner/encoder"),
      filesHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });

    await page.reload();
    await page.waitForFunction(() => "sago" in globalThis);
    await modelsPage(page);
    await tiny.getByText(/^Available offline/).waitFor();
    await tiny.getByRole("button", { name: "Remove" }).click();
    await tiny.waitFor({ state: "detached" });
    const left = await page.evaluate(async () => {
      const cache = await globalThis.caches.open("sago-hub-files");
      return (await cache.keys()).map(({ url }) => url).filter((url) => url.includes("owner/tiny"));
    });
    expect(left).toEqual([]);
    expect(errors).toEqual([]);
    expect(refused).toEqual([]);
  });

  it("needs a token where it is gated, says so, and keeps the token nowhere", async () => {
    const { page } = await built.open({ hub });
    await modelsPage(page);
    await lookUp(page, "owner/gated");
    expect(await page.getByRole("alert").innerText()).toMatch(/access token \(401\).*terms/s);
    await page.getByText("Access token, for models that need one").click();
    await page.getByLabel("Access token", { exact: true }).fill("secret-token");
    await page.getByRole("button", { name: "Use it" }).click();
    await lookUp(page, "owner/gated");
    const gated = row(page, "owner/gated");
    await gated.getByRole("button", { name: "Download" }).click();
    await gated.getByText(/^Available offline/).waitFor();
    const stored = await page.evaluate(async () => {
      const texts: string[] = Object.keys(localStorage).map((key) => localStorage.getItem(key) ?? "");
      for (const name of await globalThis.caches.keys()) {
        const cache = await globalThis.caches.open(name);
        for (const request of await cache.keys()) {
          const response = await cache.match(request);
          texts.push(request.url, JSON.stringify([...request.headers]), (await response?.text()) ?? "");
        }
      }
      return texts.some((text) => text.includes("secret-token"));
    });
    expect(stored).toBe(false);
    expect(hub.askedOfStore.some(({ authorised }) => authorised)).toBe(false);
  });

  it("is not said to be available when its bytes are not the ones that were listed", async () => {
    const { page } = await built.open({ hub });
    await modelsPage(page);
    await lookUp(page, "owner/broken");
    const broken = row(page, "owner/broken");
    await broken.getByRole("button", { name: "Download" }).click();
    expect(await broken.getByRole("alert").innerText()).toMatch(/onnx\/model\.onnx.*hash/s);
    expect(await broken.innerText()).not.toContain("Available offline");
    await broken.getByRole("button", { name: /ownload/ }).click();
    await broken.getByText(/^Available offline/).waitFor();
  });

  it("is named when it does not exist, where it was asked for", async () => {
    const { page } = await built.open({ hub });
    await modelsPage(page);
    await lookUp(page, "owner/nothing");
    expect(await page.getByRole("alert").innerText()).toMatch(/no model owner\/nothing/);
    await lookUp(page, "https://elsewhere.example/owner/name");
    await page
      .getByRole("alert")
      .getByText(/nothing was asked of it/)
      .waitFor();
  });
});

describe("a model from a folder", () => {
  it("is run with an encoder from another folder, and asked for again after a reload", async () => {
    const { page, errors } = await built.open({ hub });
    await modelsPage(page);
    await choose(page, "tiny-folder");
    await row(page, "tiny-folder").getByRole("button", { name: "Use for runs" }).click();
    await choose(page, "tiny-encoder");
    await row(page, "tiny-encoder").getByRole("button", { name: "Use for runs" }).click();
    const spec = await specOf(page);
    expect(spec.model).toMatchObject({ id: "tiny-folder", source: "folder", revision: null });
    expect(spec.encoder).toMatchObject({ id: "tiny-encoder", source: "folder", revision: null });
    expect(errors).toEqual([]);
  });

  it("must be opened again to go on with its run, and is recognised by its hashes", async () => {
    const { page } = await built.open({ hub });
    await modelsPage(page);
    await choose(page, "tiny-folder");
    await row(page, "tiny-folder").getByRole("button", { name: "Use for runs" }).click();
    await page.getByRole("link", { name: "Run and results" }).click();
    await page.evaluate(() => {
      void globalThis.sago.evaluate(
        { id: "short-facts" },
        { modelId: null, examples: 32, variantsPerExample: null, maxNewTokens: 16, device: "wasm", seed: 7 },
        () => undefined,
      );
    });
    // Far from its end, whatever the machine.
    await page.waitForFunction(async () => (await globalThis.indexedDB.databases()).length > 0);
    while ((await count(page, "generations")) < 40) await page.waitForTimeout(50);
    await page.reload();
    await page.waitForFunction(() => "sago" in globalThis);
    const go = page.getByRole("button", { name: /^Continue/ }).first();
    await go.click();
    expect(await page.getByRole("alert").innerText()).toMatch(/“tiny-folder”.*Open that folder again/s);
    await modelsPage(page);
    await choose(page, "tiny-folder");
    await row(page, "tiny-folder").waitFor();
    await page.getByRole("link", { name: "Run and results" }).click();
    await page
      .getByRole("button", { name: /^Continue/ })
      .first()
      .click();
    await page.getByText("The run is finished").waitFor({ state: "attached" });
    expect(await count(page, "scores")).toBeGreaterThan(32 * 8);
  });

  it("is refused with the names of what is missing", async () => {
    const { page } = await built.open({ hub });
    const { "tokenizer.json": _tokenizer, ...rest } = tinyDecoder();
    await write(join(folder, "half"), rest);
    await modelsPage(page);
    await choose(page, "half");
    expect(await page.getByRole("alert").innerText()).toMatch(/half.*lacks tokenizer\.json/);
  });
});

describe("a model that thinks", () => {
  it("shows on Try what it thought, apart from the answer", async () => {
    const { page, context } = await built.open();
    await write(join(folder, "tiny-thinker"), tinyThinker());
    await modelsPage(page);
    await choose(page, "tiny-thinker");
    await row(page, "tiny-thinker").getByRole("button", { name: "Use for runs" }).click();
    await page.evaluate(() => (globalThis.location.hash = "#/try?prompt=Why%20is%20the%20sky%20blue%3F"));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const answers = page.getByRole("region", { name: "Answers side by side" });
    const thought = answers.getByRole("group").first();
    await thought.getByText(/^(Thought \d+ tokens first|Never stopped thinking \(\d+ tokens\))$/).click();
    const said = await thought.getByRole("paragraph").innerText();
    expect(said.length).toBeGreaterThan(0);
    const card = answers.getByRole("article").first();
    expect(await card.getByText("(no answer)").count()).toBe(1);
    await context.close();
  });
});

describe("npm run evaluate -- --model", () => {
  function shell(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, ["tools/evaluate.mjs", ...args], (error, stdout, stderr) => {
        resolve({
          code: error === null ? 0 : typeof error.code === "number" ? error.code : 1,
          stdout,
          stderr,
        });
      });
    });
  }
  const few = ["--examples", "2", "--variants", "2", "--max-new-tokens", "3"];

  it("takes a folder", async () => {
    const out = join(folder, "folder.json");
    const model = ["--model", join(folder, "tiny-folder"), "--encoder", join(folder, "tiny-encoder")];
    const { code, stderr } = await shell(...model, ...few, "--out", out);
    expect(stderr).toMatch(/questions/);
    expect(code).toBe(0);
    const { run: stored } = JSON.parse(await readFile(out, "utf8")) as ExportedRun;
    expect(stored.spec).toMatchObject({
      model: { id: "tiny-folder", source: "folder" },
      encoder: { id: "tiny-encoder", source: "folder" },
    });
  });

  it("computes 4-bit weights as 32-bit floats, and says so in the run", async () => {
    const out = join(folder, "quantised.json");
    await write(join(folder, "tiny-q4"), tinyQuantisedDecoder());
    const model = ["--model", join(folder, "tiny-q4"), "--encoder", join(folder, "tiny-encoder")];
    const { code, stdout } = await shell(...model, ...few, "--out", out);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^activation +\d+\.\d+/m);
    const { run: stored } = JSON.parse(await readFile(out, "utf8")) as ExportedRun;
    expect(stored.spec).toMatchObject({
      model: { id: "tiny-q4", dtype: "q4" },
      device: {
        runtime: expect.stringMatching(/, quantised weights as 32-bit floats$/) as string,
        reason: expect.stringMatching(/Its quantised weights were turned into 32-bit floats/) as string,
      },
    });
  });

  it("takes a model of the hub at a revision", async () => {
    const out = join(folder, "hub.json");
    const model = ["--hub", hub.host, "--model", `owner/tiny@${hub.commitOf("owner/tiny")}`];
    const { code, stderr } = await shell(...model, "--encoder", "owner/encoder", ...few, "--out", out);
    expect(stderr).toMatch(/Looking up owner\/tiny/);
    expect(code).toBe(0);
    const { run: stored } = JSON.parse(await readFile(out, "utf8")) as ExportedRun;
    expect(stored.spec).toMatchObject({
      model: { id: "owner/tiny", source: "hub", revision: hub.commitOf("owner/tiny") },
    });
  });

  it("exits with the page's message for a folder that is no model, and for a folder that is not there", async () => {
    await write(join(folder, "photos"), { "a.txt": "x" });
    const out = join(folder, "none.json");
    const photos = await shell("--model", join(folder, "photos"), ...few, "--out", out);
    expect(photos.code).toBe(1);
    expect(photos.stderr).toContain("photos has no config.json");
    const missing = await shell("--model", "./no-such-folder", ...few, "--out", out);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("no folder ./no-such-folder");
  });
});
