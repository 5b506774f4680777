/** Runs one graph of a bundled Llama model through onnxruntime-web, with the bundle that transformers.js uses. */

import * as ort from "/ort/ort.webgpu.min.mjs";

export const LAYERS = 30;
const KEY_VALUE_HEADS = 3;
const HEAD_SIZE = 64;
const PAD_TOKEN = 2n;

/** Counts WASM memory: linear memory never shrinks, so its size at the end is its peak. */
const memories = [];
const PlainMemory = WebAssembly.Memory;
WebAssembly.Memory = class extends PlainMemory {
  constructor(descriptor) {
    super(descriptor);
    memories.push(this);
  }
};

export function wasmMemoryBytes() {
  return memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
}

ort.env.wasm.wasmPaths = "/ort/";

async function bytes(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * @param {{folder: string, file: string, dataFiles: string[], device: "wasm" | "webgpu", options: object, verbose: boolean, threads: number}} plan
 */
export async function openSession({ folder, file, dataFiles, device, options, verbose, threads }) {
  ort.env.wasm.numThreads = threads;
  const graph = await bytes(`${folder}/${file}`);
  const externalData = await Promise.all(
    dataFiles.map(async (name) => ({ path: name, data: await bytes(`${folder}/${name}`) })),
  );
  const preferredOutputLocation = {};
  if (device === "webgpu") {
    for (let layer = 0; layer < LAYERS; layer++) {
      preferredOutputLocation[`present.${layer}.key`] = "gpu-buffer";
      preferredOutputLocation[`present.${layer}.value`] = "gpu-buffer";
    }
  }
  if (verbose) ort.env.logLevel = "verbose";
  const logging = verbose ? { logSeverityLevel: 0, logVerbosityLevel: 0 } : {};
  return ort.InferenceSession.create(graph, {
    executionProviders: [device],
    externalData,
    preferredOutputLocation,
    ...logging,
    ...options,
  });
}

export function emptyCache(batch) {
  const cache = {};
  for (let layer = 0; layer < LAYERS; layer++) {
    for (const part of ["key", "value"]) {
      cache[`past_key_values.${layer}.${part}`] = new ort.Tensor("float32", new Float32Array(0), [
        batch,
        KEY_VALUE_HEADS,
        0,
        HEAD_SIZE,
      ]);
    }
  }
  return cache;
}

/** Pads rows of token ids on the left to equal length. */
export function leftPadded(rows) {
  const length = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => {
    const padding = length - row.length;
    return {
      ids: [...Array(padding).fill(PAD_TOKEN), ...row.map(BigInt)],
      mask: [...Array(padding).fill(0n), ...row.map(() => 1n)],
    };
  });
}

/**
 * One pass.
 * @param rows - ids of this pass and the mask over past and pass, equal lengths
 * @returns logits (float32, [batch, kept, vocabulary]) and the cache that the next pass takes
 */
export async function pass(session, rows, cache, keep) {
  const batch = rows.length;
  const sequence = rows[0].ids.length;
  const total = rows[0].mask.length;
  const positions = rows.flatMap(({ mask }) => {
    let next = 0n;
    return mask.map((one) => (one ? next++ : 0n)).slice(total - sequence);
  });
  const int64 = (values, dims) => new ort.Tensor("int64", BigInt64Array.from(values), dims);
  const output = await session.run({
    input_ids: int64(
      rows.flatMap(({ ids }) => ids),
      [batch, sequence],
    ),
    attention_mask: int64(
      rows.flatMap(({ mask }) => mask),
      [batch, total],
    ),
    position_ids: int64(positions, [batch, sequence]),
    num_logits_to_keep: int64([BigInt(keep)], []),
    ...cache,
  });
  const next = {};
  for (const [name, tensor] of Object.entries(output)) {
    if (name.startsWith("present.")) next[name.replace("present", "past_key_values")] = tensor;
  }
  disposeCache(cache);
  return { logits: output.logits.data, vocabulary: output.logits.dims[2], cache: next };
}

export function disposeCache(cache) {
  for (const tensor of Object.values(cache)) tensor.dispose();
}
