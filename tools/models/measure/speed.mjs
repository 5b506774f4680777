/**
 * Measures the variants that variants.py wrote: `node tools/models/measure/speed.mjs FOLDER [wasm|webgpu] [file ...]`.
 *
 * Prints a Markdown table. Tokens per second are given by the clock and by processor time, which other work on the
 * machine disturbs less. THREADS sets the number of WASM threads, by default 1.
 */
import { readdirSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { runInBrowser } from "./browser.mjs";

const [folder, device = "wasm", ...named] = process.argv.slice(2);
const absolute = resolve(folder);
const all = readdirSync(absolute);
const dataFiles = all.filter((name) => name.includes(".onnx_data")).toSorted();
const files = named.length > 0 ? named : all.filter((name) => name.endsWith(".onnx")).toSorted();

const TASKS = [
  { task: "speed", batch: 1, promptTokens: 32, decodeSteps: 12, repeats: 1 },
  { task: "speed", batch: 8, promptTokens: 32, decodeSteps: 6, repeats: 1 },
  { task: "speed", batch: 32, promptTokens: 16, decodeSteps: 4, repeats: 1 },
];
// Two threads that share busy cores wait for each other in loops: one thread is the comparable measurement.
const threads = Number(process.env.THREADS ?? 1);
const number = (value) => (Number.isFinite(value) ? value.toPrecision(3) : "n/a");
const megabytes = (bytes) => (bytes === undefined ? "n/a" : (bytes / 1e6).toFixed(0));

console.log(
  "| graph | threads | load s | WASM MB | renderer MB | GPU process MB | batch | prefill tok/s | decode tok/s | prefill tok/CPU s | decode tok/CPU s |",
);
console.log("|---|---|---|---|---|---|---|---|---|---|---|");
for (const file of files) {
  const { results, loadMs, wasmMemoryBytes, peakProcessBytes } = await runInBrowser(dirname(absolute), {
    plan: {
      folder: `/models/${basename(absolute)}`,
      file,
      dataFiles,
      device,
      threads,
      verbose: false,
      options: device === "wasm" ? { extra: { session: { disable_quant_qdq: "1" } } } : {},
    },
    tasks: TASKS,
  });
  for (const result of results) {
    const cells = [
      file,
      threads,
      (loadMs / 1000).toFixed(1),
      megabytes(wasmMemoryBytes),
      megabytes(peakProcessBytes.renderer),
      megabytes(peakProcessBytes["gpu-process"]),
      result.batch,
      number(result.prefillTokensPerSecond),
      number(result.decodeTokensPerSecond),
      number(result.prefillTokensPerCpuSecond),
      number(result.decodeTokensPerCpuSecond),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
