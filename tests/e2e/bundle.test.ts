import { readdir, readFile, stat } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ASSETS = join("dist", "assets");

/** The scripts that the page itself loads before a run: the entry and what it imports, workers aside. */
async function pageScripts(): Promise<Map<string, string>> {
  const html = await readFile(join("dist", "index.html"), "utf8");
  const scripts = new Map<string, string>();
  const queue = [...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+\.js)"/g)].map((match) => match[1] ?? "");
  while (queue.length > 0) {
    const name = queue.pop();
    if (name === undefined || name === "" || scripts.has(name)) continue;
    const text = await readFile(join(ASSETS, name), "utf8");
    scripts.set(name, text);
    const imported = /(?:import|from|import\()\s*[`"']\.\/([\w.-]+\.js)[`"']/g;
    for (const match of text.matchAll(imported)) queue.push(match[1] ?? "");
  }
  return scripts;
}

describe("the built page's scripts", () => {
  it("hold no metric, no resampling and no inference: those live in the workers", async () => {
    const scripts = [...(await pageScripts()).entries()].filter(([name]) => !name.includes("worker"));
    expect(scripts.length).toBeGreaterThan(0);
    // Messages of these modules survive minification. Each is found in a worker, so the search can fail.
    const marks = {
      "Jensen–Shannon over the partition": "were scored over different partitions",
      "sentence embedding distance": "an empty response is null",
      "the engine": "No model is loaded",
      "the bootstrap": "replications",
    };
    const workers = (await readdir(ASSETS)).filter((name) => /worker.*\.js$/.test(name));
    const workerText = (
      await Promise.all(workers.map((name) => readFile(join(ASSETS, name), "utf8")))
    ).join();
    for (const [what, mark] of Object.entries(marks)) {
      expect(workerText, `${what} is in a worker`).toContain(mark);
      for (const [name, text] of scripts) expect(text.includes(mark), `${what} in ${name}`).toBe(false);
    }
  });

  it("are under 200 kB gzipped before a run starts", async () => {
    // Sets are fetched when they are run, and these pages and panels when they are opened.
    const later =
      /worker|short-facts|instructions|judgements|background|(Compare|Data|Methods|Try)Page|ExportPanel|report-/;
    const scripts = [...(await pageScripts()).entries()].filter(([name]) => !later.test(name));
    const bytes = scripts.reduce((sum, [, text]) => sum + gzipSync(text).length, 0);
    expect(bytes).toBeLessThan(200_000);
  });

  it("hold one copy of ONNX Runtime, served from the page itself, and name no other host to fetch from", async () => {
    const names = await readdir(ASSETS);
    const scripts = names.filter((name) => /\.m?js$/.test(name));
    for (const name of scripts) {
      const text = await readFile(join(ASSETS, name), "utf8");
      expect(text, name).not.toMatch(/https?:\/\/(cdn|[\w.]*jsdelivr|unpkg|esm\.sh)/);
    }
    const largest = await Promise.all(names.map(async (name) => (await stat(join(ASSETS, name))).size));
    expect(Math.max(...largest)).toBeLessThan(48_000_000);
  });
});
