/**
 * `npm run bench`: Sago beside what one would use instead, in a real Chromium, on this machine.
 *
 *   npm run bench -- [--gguf FILE] [--native PYTHON] [--examples 8] [--tokens 64] [--rounds 2] [--only NAME,…]
 *                    [--out docs/benchmarks.json]
 *
 * Each comparison takes its sides in turn (A B A B), each time in a fresh page, and gives the medians and their
 * ratio. Loading is not counted for anyone. What each side does is in `page/` and `native.py`. With --out, results
 * of the same name in the file are replaced and the others stay, so that the table can be made in several goes.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { median } from "d3-array";
import { chromium } from "playwright";
import { build } from "vite";
import { chromiumLaunch, ensureChromium } from "../chromium.mjs";
import { startServer } from "../serve.mjs";
import { MEASURES } from "./measures.mjs";

const MODEL = "SmolLM2-135M-Instruct";
const DATASET = "short-facts";
const PARALLEL = 4;

const { values: options } = parseArgs({
  options: {
    gguf: { type: "string" },
    native: { type: "string" },
    examples: { type: "string", default: "8" },
    tokens: { type: "string", default: "64" },
    rounds: { type: "string", default: "2" },
    only: { type: "string" },
    out: { type: "string" },
  },
});
const examples = Number(options.examples);
const tokens = Number(options.tokens);
const rounds = Number(options.rounds);
const only = options.only?.split(",") ?? null;
const wanted = (id) => only === null || only.includes(id);
const PEERS = ["transformers", "naive", "wllama", "wllama-alone", "alone"];
const log = (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

/** The built page, the page of `page/` beside it, and the GGUF file, in a folder of their own. */
async function prepareSite() {
  const site = mkdtempSync(join(tmpdir(), "sago-bench-"));
  if (!existsSync("dist/index.html")) await build({ logLevel: "warn" });
  cpSync("dist", site, { recursive: true });
  await build({
    configFile: false,
    root: "tools/bench/page",
    base: "./",
    publicDir: false,
    logLevel: "error",
    define: { __SAGO_VERSION__: JSON.stringify("bench") },
    worker: { format: "es" },
    build: { outDir: join(site, "bench"), emptyOutDir: true, target: "es2022", chunkSizeWarningLimit: 4000 },
  });
  if (options.gguf) {
    try {
      linkSync(resolve(options.gguf), join(site, "model.gguf"));
    } catch {
      cpSync(options.gguf, join(site, "model.gguf"));
    }
  }
  return site;
}

const threads = cpus().length;

async function main() {
  ensureChromium();
  const site = await prepareSite();
  const server = await startServer({ directory: site, port: 0 });
  const browser = await chromium.launch({ ...chromiumLaunch("wasm"), headless: true });
  /** Work in a fresh page, whose storage is gone afterwards. */
  const inPage = async (path, work) => {
    const context = await browser.newContext();
    context.setDefaultTimeout(0);
    const page = await context.newPage();
    page.on("pageerror", (error) => console.error(error.message));
    try {
      await page.goto(new URL(path, server.url).href);
      return await work(page);
    } finally {
      await context.close();
    }
  };
  const inBench = (work) =>
    inPage("bench/index.html", async (page) => {
      await page.waitForFunction(() => "bench" in globalThis);
      return work(page);
    });
  try {
    const where = environment(browser);
    const comparisons = [];
    const keep = (comparison) => {
      comparisons.push({ ...comparison, environment: where });
      // At once: a later side that fails must not take this one with it.
      if (options.out) writeResults(options.out, comparisons);
    };
    for (const measure of MEASURES) {
      if (!wanted(measure.id)) continue;
      for (const one of await measure.take({ inPage, inBench, options, rounds, threads, log })) keep(one);
    }
    if (PEERS.some(wanted)) {
      const { run, prompts, pairs } = await firstRun(inPage, inBench);
      log(`${prompts.length} prompts, ${pairs.length} scored pairs, ${run.answers} answers in a run`);
      for (const plan of plansOf(sidesOf(inPage, inBench, prompts, pairs))) {
        if (!wanted(plan.id)) continue;
        if (plan.needs && !options.gguf) log(`${plan.name}: left out, needs --gguf FILE`);
        else keep(await compare(plan));
      }
    }
    report(where, comparisons);
  } finally {
    await browser.close();
    await server.close();
    rmSync(site, { recursive: true, force: true });
  }
}

const settings = (count, maxNewTokens) => ({
  modelId: null,
  examples: count,
  variantsPerExample: null,
  maxNewTokens,
  device: "wasm",
  seed: 7,
});

const evaluate = (page, count, maxNewTokens) =>
  page.evaluate(
    async ([dataset, choices]) => {
      const started = performance.now();
      const outcome = await globalThis.sago.evaluate({ id: dataset }, choices, () => undefined);
      if (!outcome.ok) throw new Error(outcome.message);
      return { runId: outcome.runId, seconds: (performance.now() - started) / 1000 };
    },
    [DATASET, settings(count, maxNewTokens)],
  );

/** One run, for the prompts and the pairs that it scores. */
async function firstRun(inPage, inBench) {
  log(`a first run of ${examples} questions, for its prompts`);
  const run = await inPage("?example=none", async (page) => {
    await page.waitForFunction(() => "sago" in globalThis);
    const { runId } = await evaluate(page, examples, tokens);
    const text = await page.evaluate(async (id) => {
      await globalThis.sago.prepareExport(id);
      return globalThis.sago.exportText();
    }, runId);
    return JSON.parse(text);
  });
  const asked = run.generations.filter(
    ({ promptId, repeat }) => repeat === 0 && !promptId.startsWith("null:"),
  );
  const place = new Map(asked.map(({ exampleId, promptId }, index) => [`${exampleId} ${promptId}`, index]));
  const originals = new Map(
    asked
      .filter(({ promptId }) => promptId === "original")
      .map((one) => [one.exampleId, place.get(`${one.exampleId} original`)]),
  );
  // A pair of which one prompt is a null edit has no place among the peers' prompts: they are let off it.
  const pairs = run.scores.flatMap(({ exampleId, promptExampleId, promptId }) => {
    const prompt = place.get(`${promptExampleId} ${promptId}`);
    const whose = originals.get(exampleId);
    return prompt === undefined || whose === undefined ? [] : [[prompt, whose]];
  });
  const ids = asked.map(({ promptTokenIds }) => int32(promptTokenIds));
  const texts = await inBench((page) =>
    page.evaluate(([id, all]) => globalThis.bench.transformers.texts("../models/", id, all), [MODEL, ids]),
  );
  const prompts = ids.map((tokenIds, index) => ({ tokenIds, text: texts[index] }));
  return { run: { answers: run.generations.length }, prompts, pairs };
}

function int32({ base64 }) {
  const bytes = Buffer.from(base64, "base64");
  return [...new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))];
}

/** Each side as a function that gives `{seconds, tokens}`. */
function sidesOf(inPage, inBench, prompts, pairs) {
  const folder = `../models/${MODEL}/`;
  const engine = (together) => () =>
    inBench(async (page) => {
      await page.evaluate((at) => globalThis.bench.engine.load(at), folder);
      return page.evaluate(
        ([all, most, how]) => globalThis.bench.engine.generate(all, most, how),
        [prompts, tokens, together],
      );
    });
  const transformers = (work, more) => () =>
    inBench(async (page) => {
      await page.evaluate(
        ([id, count]) => globalThis.bench.transformers.load("../models/", id, count),
        [MODEL, threads],
      );
      return page.evaluate(
        ([name, all, rest]) => globalThis.bench.transformers[name](all, ...rest),
        [work, prompts, more],
      );
    });
  const wllama = (parallel) => () =>
    inBench(async (page) => {
      await page.evaluate(
        ([count, many]) => globalThis.bench.wllama.load("../model.gguf", count, many),
        [threads, parallel],
      );
      return page.evaluate(
        ([all, most, many]) => globalThis.bench.wllama.generate(all, most, many),
        [prompts, tokens, parallel],
      );
    });
  return {
    run: () =>
      inPage("?example=none", async (page) => {
        await page.waitForFunction(() => "sago" in globalThis);
        // Loads model and encoder, which nobody's time includes.
        await evaluate(page, 1, 1);
        const { seconds } = await evaluate(page, examples, tokens);
        return { seconds, tokens: null };
      }),
    engineTogether: engine(true),
    engineAlone: engine(false),
    transformers: transformers("generate", [tokens]),
    naive: transformers("naiveAxes", [pairs, tokens]),
    wllamaTogether: wllama(PARALLEL),
    wllamaAlone: wllama(1),
  };
}

function plansOf(sides) {
  const rate = ({ seconds, tokens: written }) => written / seconds;
  const time = ({ seconds }) => seconds;
  const perSecond = { unit: "tokens/s", better: "higher", of: rate };
  const inSeconds = { unit: "s", better: "lower", of: time };
  return [
    {
      id: "transformers",
      name: `a run with all four axes, against transformers.js writing the answers alone, one at a time`,
      ...{ ours: sides.run, theirs: sides.transformers, goal: 0.5, ...inSeconds },
    },
    {
      id: "naive",
      name: "a run with all four axes, against transformers.js with a pass of its own for each number",
      ...{ ours: sides.run, theirs: sides.naive, goal: 0.25, ...inSeconds },
    },
    {
      id: "wllama",
      name: `answers to many prompts, against wllama, ${PARALLEL} at a time`,
      ...{ ours: sides.engineTogether, theirs: sides.wllamaTogether, goal: 1, needs: true, ...perSecond },
    },
    {
      id: "wllama-alone",
      name: "answers one at a time, against wllama",
      ...{ ours: sides.engineAlone, theirs: sides.wllamaAlone, goal: 1, needs: true, ...perSecond },
    },
    {
      id: "alone",
      name: "answers one at a time, against transformers.js",
      ...{ ours: sides.engineAlone, theirs: sides.transformers, goal: 1, ...perSecond },
    },
  ];
}

async function compare({ name, unit, better, goal, of, ours, theirs }) {
  const runs = [];
  for (let round = 0; round < rounds; round += 1) {
    const mine = await ours();
    const peer = await theirs();
    runs.push({ ours: of(mine), theirs: of(peer), tokens: { ours: mine.tokens, theirs: peer.tokens } });
    log(`${name}: ${of(mine).toFixed(1)} and ${of(peer).toFixed(1)} ${unit}`);
  }
  const [ourMedian, theirMedian] = [
    median(runs.map((run) => run.ours)),
    median(runs.map((run) => run.theirs)),
  ];
  return {
    name,
    unit,
    ours: ourMedian,
    theirs: theirMedian,
    ratio: ourMedian / theirMedian,
    better,
    goal,
    runs,
  };
}

function environment(browser) {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
  return {
    date: new Date().toISOString().slice(0, 10),
    commit,
    cpu: `${cpus()[0]?.model.trim()}, ${threads} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    browser: `Chromium ${browser.version()}`,
    model: MODEL,
    dataset: `${DATASET}, ${examples} questions, at most ${tokens} new tokens`,
    peers: `transformers.js ${version("@huggingface/transformers")}, wllama ${version("@wllama/wllama")}`,
  };
}

function writeResults(path, comparisons) {
  const before = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).comparisons : [];
  const fresh = new Set(comparisons.map(({ name }) => name));
  const all = [...before.filter(({ name }) => !fresh.has(name)), ...comparisons];
  writeFileSync(path, `${JSON.stringify({ comparisons: all }, null, 2)}\n`);
}

function report(where, comparisons) {
  console.log(`\n${Object.values(where).join("; ")}`);
  for (const { name, unit, ours, theirs, ratio, goal, better } of comparisons) {
    if (goal === null) {
      console.log(`${ratio.toFixed(2)} ${name}: ${ours.toFixed(1)} and ${theirs.toFixed(1)} ${unit}`);
      continue;
    }
    const met = better === "lower" ? ratio <= goal : ratio >= goal;
    console.log(
      `${ratio.toFixed(2)} (goal ${better === "lower" ? "at most" : "at least"} ${goal}: ${met ? "met" : "missed"}) ${name}: ${ours.toFixed(1)} and ${theirs.toFixed(1)} ${unit}`,
    );
  }
}

await main();
