import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendProbe, buildProbe, findResidualStream, readOnnxGraph } from "../../src/onnx/index.ts";
import { runInBrowser } from "../../tools/models/measure/browser.mjs";
import { misplacedProducts, readPlacements } from "../../tools/models/measure/placements.mjs";

const MODEL = resolve("public/models/SmolLM2-135M-Instruct");
const DATA = ["model_q4.onnx_data", "model_q4.onnx_data_1", "model_q4.onnx_data_2"];
const GPU = "WebGpuExecutionProvider";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sago-placement-"));
  const graph = await readFile(join(MODEL, "onnx", "model_q4_webgpu.onnx"));
  const read = readOnnxGraph(graph);
  const probe = buildProbe(read, findResidualStream(read, 30));
  await writeFile(join(folder, "probed.onnx"), appendProbe(graph, probe));
  for (const name of DATA) await symlink(join(MODEL, "onnx", name), join(folder, name));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the bundled model with its probe on WebGPU", () => {
  it("runs every matrix product, the embedding and the probe's reductions on the GPU, by the session's own log", async () => {
    const { log } = (await runInBrowser(`${folder}/`, {
      plan: {
        folder: "/models",
        file: "probed.onnx",
        dataFiles: DATA,
        device: "webgpu",
        options: {},
        verbose: true,
        threads: 1,
      },
      tasks: [],
    })) as { readonly log: readonly string[] };
    const placements = readPlacements(log);
    const operators = (provider: string) =>
      (placements.get(provider) ?? []).map(({ operator }: { operator: string }) => operator);
    const count = (operator: string) => operators(GPU).filter((one) => one === operator).length;
    // Four products a layer and the head.
    expect(count("MatMulNBits")).toBe(4 * 30 + 1);
    expect(count("MatMul")).toBeGreaterThanOrEqual(4 * 30);
    expect(misplacedProducts(placements, GPU)).toEqual([]);
    // Nothing that touches an array over the vocabulary or the hidden size is left to the CPU.
    const onCpu = new Set(operators("CPUExecutionProvider"));
    for (const heavy of [
      "TopK",
      "ReduceLogSumExp",
      "ReduceSum",
      "ReduceMax",
      "Exp",
      "Softmax",
      "LayerNormalization",
    ]) {
      expect(onCpu.has(heavy), `${heavy} on the CPU`).toBe(false);
    }
  });
});
