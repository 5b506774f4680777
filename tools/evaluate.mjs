/**
 * Runs an evaluation from the shell: drives the built page in headless Chromium through the same controller
 * as the page's Run button, and writes the run's export.
 *
 *   npm run evaluate -- [--model ID] [--dataset ID|FILE] [--examples N] [--variants N] [--max-new-tokens N]
 *                       [--device wasm|webgpu] [--seed N] --out run.json
 */
import { createWriteStream, existsSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { chromium } from "playwright";
import { chromiumLaunch, findChromium } from "./chromium.mjs";
import { startServer } from "./serve.mjs";

const USAGE = `Usage: npm run evaluate -- [options] --out run.json
  --model ID            a bundled model (default: the first)
  --dataset ID|FILE     a built-in set or a dataset file (default: short-facts)
  --examples N          how many examples (default: 16)
  --variants N          wordings of each example (default: all)
  --max-new-tokens N    longest answer (default: 64)
  --device wasm|webgpu  (default: wasm)
  --seed N              (default: 7)
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
        dataset: { type: "string", default: "short-facts" },
        examples: { type: "string", default: "16" },
        variants: { type: "string" },
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
  return {
    out: values.out,
    dataset: values.dataset,
    choices: {
      modelId: values.model ?? null,
      examples: wholeNumber("examples", values.examples, 1),
      variantsPerExample: values.variants === undefined ? null : wholeNumber("variants", values.variants, 1),
      maxNewTokens: wholeNumber("max-new-tokens", values["max-new-tokens"], 1),
      device: values.device,
      seed: wholeNumber("seed", values.seed, 0),
    },
  };
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
    await page.goto(`${server.url}?example=none`);
    await page.waitForFunction(() => "sago" in globalThis);
    const outcome = await page.evaluate(
      ({ dataset, choices }) => globalThis.sago.evaluate(dataset, choices, globalThis.sagoProgress),
      { dataset: datasetChoice(options.dataset), choices: options.choices },
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
