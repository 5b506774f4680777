/**
 * Checks the bundled SmolLM2 in headless Chromium: `node tools/models/measure/check.mjs wasm|webgpu [prompts]`.
 *
 * Compares logits with PyTorch's top five (tests/fixtures/smollm2-residual.json), a prompt alone with the same prompt in
 * a left-padded batch and in pieces, and on WebGPU asserts that no matrix product runs on the CPU.
 */
import { readFileSync } from "node:fs";
import { runInBrowser } from "./browser.mjs";
import { misplacedProducts, readPlacements } from "./placements.mjs";

const LARGEST_DIFFERENCE = 2e-3;
const repository = new URL("../../../", import.meta.url).pathname;
const model = "SmolLM2-135M-Instruct";
const [device = "wasm", count = "10"] = process.argv.slice(2);

const config = JSON.parse(readFileSync(`${repository}public/models/${model}/config.json`, "utf8"));
const { use_external_data_format: chunks, sago } = config["transformers.js_config"];
const [[base, number]] = Object.entries(chunks);
const { file, sessionOptions } = sago.graphs[device];
const fixture = JSON.parse(readFileSync(`${repository}tests/fixtures/smollm2-residual.json`, "utf8"));

const { results, log, loadMs, wasmMemoryBytes, peakProcessBytes } = await runInBrowser(
  `${repository}public/models/`,
  {
    plan: {
      folder: `/models/${model}/onnx`,
      file: file.replace("onnx/", ""),
      dataFiles: Array.from({ length: number }, (_, i) => `${base}_data${i === 0 ? "" : `_${i}`}`),
      device,
      options: sessionOptions,
      verbose: true,
      threads: 2,
    },
    tasks: [{ task: "agreement", prompts: fixture.prompts.slice(0, Number(count)) }],
  },
);

const { pytorchTop5, leftPadding, sequenceAfterPast, decodeAfterPast } = results[0];
const differences = { pytorchTop5, leftPadding, sequenceAfterPast, decodeAfterPast };
console.log(`agreement on ${device}, largest logit differences:`, differences);
console.log({ loadMs, wasmMemoryBytes, peakProcessBytes });
const placements = readPlacements(log);
for (const [provider, nodes] of placements) {
  const counts = {};
  for (const { operator } of nodes) counts[operator] = (counts[operator] ?? 0) + 1;
  console.log(provider, counts);
}

const failures = Object.entries(differences).filter(([, value]) => !(value <= LARGEST_DIFFERENCE));
const wanted = device === "webgpu" ? "WebGpuExecutionProvider" : "CPUExecutionProvider";
if (!placements.has(wanted)) failures.push(["no placement on", wanted]);
failures.push(...misplacedProducts(placements, wanted).map(({ operator, name }) => [operator, name]));
if (failures.length > 0) {
  console.error("failed:", failures);
  process.exitCode = 1;
}
