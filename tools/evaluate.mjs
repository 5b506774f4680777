/**
 * Runs an evaluation from the shell: drives the built page in headless Chromium through the same controller
 * as the page's Run button, and writes the run's export.
 *
 *   npm run evaluate -- [--model ID|FOLDER|OWNER/NAME[@REVISION]] [--dtype FORMAT] [--encoder …] [--dataset ID|FILE] [--examples N] [--variants N] [--max-new-tokens N]
 *                       [--wordings own|paper|both] [--device wasm|webgpu] [--seed N] --out run.json
 */
import { createWriteStream, existsSync, readFileSync, statSync } from "node:fs";
import { once } from "node:events";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright";
import { chromiumLaunch, findChromium } from "./chromium.mjs";
import { startServer } from "./serve.mjs";

const USAGE = `Usage: npm run evaluate -- [options] --out run.json
  --model MODEL         a bundled model's id, a folder (./path), or a model of the hub: owner/name[@revision]
                        (default: the first bundled one); a token for gated models is read from $HF_TOKEN
  --dtype FORMAT        its number format: fp32, q8, q4, … (default: the sensible one)
  --encoder MODEL       the sentence encoder, as --model (default: the bundled one)
  --dataset ID|FILE     a built-in set or a dataset file (default: short-facts)
  --examples N          how many examples (default: 16)
  --variants N          wordings of each example (default: all)
  --wordings own|paper|both
                        the set's own wordings, the paper's families made by rule, or both (default: own)
  --max-new-tokens N    longest answer (default: 64)
  --device wasm|webgpu  (default: wasm)
  --seed N              (default: 7)
  --hub ORIGIN          another hub on this machine, for tests
  --out FILE            where the run's export goes`;

class UsageError extends Error {}

function wholeNumber(name, text, least) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) {
    throw new UsageError(`--${name} needs a whole number from ${least} up, not "${text}".`);
  }
  return value;
}

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        model: { type: "string" },
        dtype: { type: "string" },
        encoder: { type: "string" },
        hub: { type: "string" },
        dataset: { type: "string", default: "short-facts" },
        examples: { type: "string", default: "16" },
        variants: { type: "string" },
        wordings: { type: "string", default: "own" },
        "max-new-tokens": { type: "string", default: "64" },
        device: { type: "string", default: "wasm" },
        seed: { type: "string", default: "7" },
        out: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    throw new UsageError(error.message);
  }
  if (values.help) throw new UsageError("");
  if (!values.out) throw new UsageError("--out is missing: say where the run's export shall be written.");
  if (!["wasm", "webgpu"].includes(values.device)) {
    throw new UsageError(`--device must be wasm or webgpu, not "${values.device}".`);
  }
  if (!["own", "paper", "both"].includes(values.wordings)) {
    throw new UsageError(`--wordings must be own, paper or both, not "${values.wordings}".`);
  }
  return {
    out: values.out,
    dataset: values.dataset,
    hub: values.hub ?? null,
    model: modelChoice("model", values.model),
    encoder: modelChoice("encoder", values.encoder),
    choices: {
      dtype: values.dtype ?? null,
      token: process.env.HF_TOKEN ?? null,
      examples: wholeNumber("examples", values.examples, 1),
      variantsPerExample: values.variants === undefined ? null : wholeNumber("variants", values.variants, 1),
      wordings: values.wordings,
      maxNewTokens: wholeNumber("max-new-tokens", values["max-new-tokens"], 1),
      device: values.device,
      seed: wholeNumber("seed", values.seed, 0),
    },
  };
}

/**
 * A folder is what is one on disk, or is written like a path; anything else is left to the page, which knows its
 * bundled models and asks the hub for owner/name.
 */
function modelChoice(option, name) {
  if (name === undefined) return { kind: "default" };
  const folder = resolve(name);
  if (existsSync(folder) && statSync(folder).isDirectory()) return { kind: "folder", folder };
  if (/^(\.{0,2}\/|~)/u.test(name) || name.includes("\\")) {
    throw new UsageError(`--${option}: there is no folder ${name}.`);
  }
  return { kind: "named", id: name };
}

/** Gives a folder to the page as its own file input does, and returns what the page calls it. */
async function modelId(page, choice) {
  if (choice.kind !== "folder") return choice.kind === "named" ? choice.id : null;
  await page.evaluate(() => (globalThis.location.hash = "#/models"));
  await page.locator("input[type=file][webkitdirectory]").setInputFiles(choice.folder);
  const opened = await page.evaluate(() => globalThis.sago.openedFolder());
  if (!opened.ok) throw new Error(opened.message);
  return opened.id;
}

/** A dataset named by an existing file is sent to the page as text; else it is a built-in set's id. */
function datasetChoice(name) {
  if (!existsSync(name)) return { id: name };
  return { file: name, text: readFileSync(name, "utf8") };
}

function showProgress(line) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
  else process.stderr.write(`${line}\n`);
}

async function main() {
  const options = readOptions();
  if (!existsSync("dist/index.html")) {
    throw new Error("The page is not built yet. Run `npm run build` first.");
  }
  if (!findChromium()) {
    throw new Error(
      "No Chromium found. Install one (Debian: apt-get install chromium) or set CHROMIUM_PATH.",
    );
  }
  const server = await startServer({ directory: "dist", port: 0 });
  const browser = await chromium.launch({ ...chromiumLaunch(options.choices.device), headless: true });
  try {
    const page = await browser.newPage({ serviceWorkers: "block" });
    let shown = "";
    await page.exposeFunction("sagoProgress", (line) => {
      if (line !== shown) showProgress((shown = line));
    });
    page.on("crash", () => process.stderr.write("\nThe browser's page crashed (out of memory?).\n"));
    const address = new URL(server.url);
    address.searchParams.set("example", "none");
    if (options.hub !== null) address.searchParams.set("hub", options.hub);
    await page.goto(address.href);
    await page.waitForFunction(
      () => "sago" in globalThis || globalThis.document.querySelector('main [role="alert"]') !== null,
    );
    const problem = await page.evaluate(() =>
      "sago" in globalThis ? null : globalThis.document.querySelector("main")?.innerText,
    );
    if (problem !== null) throw new Error(problem);
    const choices = {
      ...options.choices,
      modelId: await modelId(page, options.model),
      encoderId: await modelId(page, options.encoder),
    };
    const outcome = await page.evaluate(
      ({ dataset, choices }) => globalThis.sago.evaluate(dataset, choices, globalThis.sagoProgress),
      { dataset: datasetChoice(options.dataset), choices },
    );
    if (process.stderr.isTTY) process.stderr.write("\n");
    if (!outcome.ok) throw new Error(outcome.message);
    await writeExport(page, outcome.runId, options.out);
    process.stdout.write(`${outcome.summary.join("\n")}\nWritten to ${options.out}\n`);
  } finally {
    await browser.close();
    await server.close();
  }
}

/** The export crosses in pieces, so that a large run needs no single giant string. */
async function writeExport(page, runId, path) {
  const size = await page.evaluate((id) => globalThis.sago.prepareExport(id), runId);
  const file = createWriteStream(path);
  const CHUNK = 4_000_000;
  for (let start = 0; start < size; start += CHUNK) {
    const base64 = await page.evaluate(
      ([from, to]) => globalThis.sago.exportChunk(from, to),
      [start, Math.min(size, start + CHUNK)],
    );
    if (!file.write(Buffer.from(base64, "base64"))) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}

main().catch((error) => {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message ? `${error.message}\n\n` : ""}${USAGE}\n`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
});
