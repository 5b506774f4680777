/**
 * Makes the example run that comes with the page from a run's export:
 *
 *   npm run evaluate -- --dataset instructions --examples 16 --max-new-tokens 32 --out run.json
 *   node tools/make-example.mjs run.json
 *
 * Writes public/example/run.json.gz and public/example/index.json. The analysis is left out, since the page
 * computes it from the results; so are activations pooled over the prompt, which no headline figure uses and
 * which would double the file.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const FOLDER = join("public", "example");
const FILE = "run.json.gz";

/** The export's lines (docs/run-format.md: one member or record a line) without what the example leaves out. */
function exampleText(text) {
  const run = JSON.parse(text).run;
  if (run.status !== "finished") throw new Error(`The run is ${run.status}; an example must be finished.`);
  const lines = text.split("\n").flatMap((line) => {
    if (line.startsWith('"analysis":') || line.startsWith('"analysisRecord":')) return [];
    if (line.startsWith('"run":')) return [`"run":${JSON.stringify({ ...run, stored: true })},`];
    return isLeftOut(line) ? [] : [line];
  });
  // What was the last record of its list may be gone: no comma stands before the end of a list.
  const tidy = lines.map((line, i) => (/^\]/.test(lines[i + 1] ?? "") ? line.replace(/,$/, "") : line));
  const example = tidy.join("\n");
  JSON.parse(example);
  return { runId: run.id, example };
}

function isLeftOut(line) {
  if (!line.includes('"pooling":"prompt-mean"')) return false;
  return JSON.parse(line.replace(/,$/, "")).pooling === "prompt-mean";
}

async function main() {
  const [path, ...rest] = process.argv.slice(2);
  if (path === undefined || rest.length > 0) throw new Error("Usage: node tools/make-example.mjs run.json");
  const { runId, example } = exampleText(await readFile(path, "utf8"));
  const bytes = gzipSync(example, { level: 9 });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, FILE), bytes);
  const index = { runId, file: FILE, bytes: bytes.length, sha256 };
  await writeFile(join(FOLDER, "index.json"), `${JSON.stringify(index, null, 2)}\n`);
  console.log(`${FOLDER}: run ${runId}, ${(bytes.length / 1e6).toFixed(1)} MB`);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
