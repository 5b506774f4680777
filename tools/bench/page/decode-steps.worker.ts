/**
 * Times steps of decoding on the bundled graph as it is, its likeliest token found in the logits, and with the probe
 * appended, which hands out what the axes need. Both sessions live in this worker and take turns.
 */
import { rowsTogether } from "../../../src/inference/decoding/batch-size.ts";
import {
  disposeBlock,
  packBlock,
  stepMask,
  type CacheBlock,
} from "../../../src/inference/decoding/cache-block.ts";
import { Decoder } from "../../../src/inference/decoding/decoder.ts";
import { KEPT_TOP_K } from "../../../src/inference/decoding/generated-row.ts";
import { externalFiles, graphCandidates } from "../../../src/inference/files/graph-file.ts";
import { readModelConfig } from "../../../src/inference/files/model-config.ts";
import { openModelFolder } from "../../../src/inference/files/open-model-folder.ts";
import { describeDecoder } from "../../../src/inference/graph/decoder-graph.ts";
import { foldForWasm } from "../../../src/inference/graph/folding.ts";
import {
  int64Tensor,
  type GraphSession,
  type HostTensor,
  type ResidentTensor,
} from "../../../src/inference/runtime/tensor.ts";
import { WasmRuntime } from "../../../src/inference/runtime/wasm-runtime.ts";
import { appendProbe, buildProbe, findResidualStream, readOnnxGraph } from "../../../src/onnx/index.ts";

export interface StepsRequest {
  /** `probe`: steps with and without it, in turns. `phases`: reading the prompt, and steps of one row and of many. */
  readonly what: "probe" | "phases";
  readonly folder: string;
  readonly threads: number;
  readonly prompt: readonly number[];
  readonly steps: number;
  readonly rounds: number;
}

/** Milliseconds of each turn. */
export interface StepsTimes {
  readonly rows: number;
  readonly withProbe: readonly number[];
  readonly without: readonly number[];
}

/** Milliseconds of each round. */
export interface PhaseTimes {
  readonly rows: number;
  readonly prefill: readonly number[];
  readonly oneRow: readonly number[];
  readonly manyRows: readonly number[];
}

interface Opened {
  readonly session: GraphSession;
  readonly decoder: Decoder;
}

async function open({ folder: at, threads }: StepsRequest): Promise<{ plain: Opened; probed: Opened }> {
  const folder = openModelFolder({ kind: "bundled", id: at, baseUrl: at });
  const config = readModelConfig(await folder.requiredJson("config.json"), null);
  const [file] = graphCandidates(config, "wasm", null);
  if (!file) throw new Error("The model has no graph for WASM.");
  const [bytes] = await folder.binaries([file.path], () => undefined);
  if (!bytes) throw new Error("The graph could not be read.");
  const stored = readOnnxGraph(bytes);
  const locations = [...stored.initialisers.values()].flatMap(({ external }) =>
    external ? [external.location] : [],
  );
  const weights = externalFiles(file.path, [...new Set(locations)], config.externalData);
  const data = await folder.binaries(
    weights.map(({ path }) => path),
    () => undefined,
  );
  const byLocation = new Map(weights.map(({ location }, i) => [location, data[i] ?? new Uint8Array()]));
  const whole = foldForWasm(bytes, stored, byLocation);
  const probe = buildProbe(whole.graph, findResidualStream(whole.graph, config.layers));
  const runtime = new WasmRuntime();
  const make = async (graph: Uint8Array): Promise<Opened> => {
    const session = await runtime.open(
      { threads },
      {
        graph,
        externalData: [...byLocation].map(([path, content]) => ({ path, data: content })),
        computedData: whole.computedData,
        graphOptimizationLevel: file.graphOptimizationLevel,
        configEntries: file.configEntries,
        residentOutputs: [],
      },
    );
    const width = session.outputs.find(({ name }) => name === "logits")?.dims.at(-1);
    const decoder = new Decoder(session, {
      graph: describeDecoder(whole.graph, session.inputs, {
        heads: config.keyValueHeads,
        width: config.headSize,
      }),
      points: probe.points,
      hiddenSize: config.hiddenSize,
      vocabularySize: Number(width),
      largestTopK: probe.largestTopK,
    });
    return { session, decoder };
  };
  return { plain: await make(whole.bytes), probed: await make(appendProbe(whole.bytes, probe)) };
}

/** Feeds of a step without the probe. All rows are equally long here. */
function plainFeeds(
  { shape }: Decoder,
  tokens: Int32Array,
  block: CacheBlock,
): Parameters<GraphSession["run"]>[0] {
  const rows = tokens.length;
  const { graph } = shape;
  const feeds = new Map<string, HostTensor | ResidentTensor>([
    ["input_ids", int64Tensor(tokens, [rows, 1])],
    ["attention_mask", int64Tensor(stepMask(block, graph.padding), [rows, block.time + 1])],
    ["position_ids", int64Tensor(Int32Array.from(block.lengths), [rows, 1])],
  ]);
  graph.cache.forEach(({ past }, i) => {
    const tensor = block.tensors[i];
    if (tensor) feeds.set(past, tensor);
  });
  if (graph.keepInput !== null) {
    feeds.set(graph.keepInput.name, int64Tensor([1], graph.keepInput.rank === 0 ? [] : [1]));
  }
  return feeds;
}

/** One step without the probe: the grown cache and each row's likeliest token, found here. */
async function plainPass(one: Opened, tokens: Int32Array, rows: number, block: CacheBlock) {
  const presents = one.decoder.shape.graph.cache.map(({ present }) => present);
  const { host, resident } = await one.session.run(plainFeeds(one.decoder, tokens, block), {
    host: ["logits"],
    resident: presents,
  });
  const logits = host.get("logits");
  if (logits?.type !== "float32") throw new Error("There are no logits.");
  const width = one.decoder.shape.vocabularySize;
  const likeliest = Int32Array.from({ length: rows }, (_, row) => {
    let best = row * width;
    for (let i = best; i < (row + 1) * width; i += 1) {
      if ((logits.data[i] ?? 0) > (logits.data[best] ?? 0)) best = i;
    }
    return best - row * width;
  });
  const grown: CacheBlock = {
    tensors: presents.flatMap((name) => resident.get(name) ?? []),
    time: block.time + 1,
    lengths: block.lengths.map((length) => length + 1),
  };
  return { block: grown, likeliest };
}

/** The prompt's cache in so many rows, and the first token of each. */
async function start(
  one: Opened,
  prompt: Int32Array,
  rows: number,
): Promise<{ block: CacheBlock; tokens: Int32Array }> {
  const read = await sequence(one, prompt);
  const sources = Array.from({ length: rows }, () => ({ block: read.cache, row: 0 }));
  const block = packBlock(one.session, one.decoder.shape.graph.padding, sources);
  disposeBlock(read.cache);
  return { block, tokens: new Int32Array(rows).fill(read.next.topIds[0] ?? 0) };
}

const sequence = ({ decoder }: Opened, prompt: Int32Array) =>
  decoder.sequence(
    {
      tokenIds: prompt,
      prefix: null,
      distributionsFrom: prompt.length - 1,
      topK: KEPT_TOP_K,
      givenIds: new Int32Array(0),
      pool: { contentRange: [0, prompt.length] },
      lastLogits: false,
    },
    () => Promise.resolve(),
  );

/** Milliseconds that so many steps take. */
async function timeSteps(
  one: Opened,
  from: { readonly block: CacheBlock; readonly tokens: Int32Array },
  steps: number,
): Promise<number> {
  let { block, tokens } = from;
  const rows = tokens.length;
  const began = performance.now();
  for (let i = 0; i < steps; i += 1) {
    const { block: grown, next } = await one.decoder.step(block, tokens, KEPT_TOP_K, false);
    block = grown;
    tokens = Int32Array.from({ length: rows }, (_, row) => next.topIds[row * next.k] ?? 0);
  }
  const took = performance.now() - began;
  disposeBlock(block);
  return took;
}

async function timePlainSteps(
  one: Opened,
  from: { readonly block: CacheBlock; readonly tokens: Int32Array },
  steps: number,
): Promise<number> {
  let { block, tokens } = from;
  const rows = tokens.length;
  const began = performance.now();
  for (let i = 0; i < steps; i += 1) {
    const { block: grown, likeliest } = await plainPass(one, tokens, rows, block);
    disposeBlock(block);
    block = grown;
    tokens = likeliest;
  }
  const took = performance.now() - began;
  disposeBlock(block);
  return took;
}

/** The first passes of each make room and fill caches; they are not counted. */
const WARM_STEPS = 2;

async function probeTimes(request: StepsRequest): Promise<StepsTimes> {
  const { plain, probed } = await open(request);
  const rows = rowsTogether(probed.decoder, "wasm");
  const prompt = Int32Array.from(request.prompt);
  await timeSteps(probed, await start(probed, prompt, rows), WARM_STEPS);
  await timePlainSteps(plain, await start(probed, prompt, rows), WARM_STEPS);
  const withProbe: number[] = [];
  const without: number[] = [];
  for (let round = 0; round < request.rounds; round += 1) {
    withProbe.push(await timeSteps(probed, await start(probed, prompt, rows), request.steps));
    without.push(await timePlainSteps(plain, await start(probed, prompt, rows), request.steps));
  }
  return { rows, withProbe, without };
}

async function phaseTimes(request: StepsRequest): Promise<PhaseTimes> {
  const { probed } = await open(request);
  const rows = rowsTogether(probed.decoder, "wasm");
  const prompt = Int32Array.from(request.prompt);
  await timeSteps(probed, await start(probed, prompt, rows), WARM_STEPS);
  const prefill: number[] = [];
  const oneRow: number[] = [];
  const manyRows: number[] = [];
  for (let round = 0; round < request.rounds; round += 1) {
    const began = performance.now();
    const read = await sequence(probed, prompt);
    prefill.push(performance.now() - began);
    disposeBlock(read.cache);
    oneRow.push(await timeSteps(probed, await start(probed, prompt, 1), request.steps));
    manyRows.push(await timeSteps(probed, await start(probed, prompt, rows), request.steps));
  }
  return { rows, prefill, oneRow, manyRows };
}

self.addEventListener("message", ({ data }: MessageEvent<StepsRequest>) => {
  const work: Promise<StepsTimes | PhaseTimes> = data.what === "probe" ? probeTimes(data) : phaseTimes(data);
  work.then(
    (result) => self.postMessage({ result }),
    (error: unknown) => self.postMessage({ error: String(error) }),
  );
});
