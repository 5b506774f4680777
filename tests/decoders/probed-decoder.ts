import type { InferenceSession, Tensor, TypedTensor } from "onnxruntime-web";
import {
  appendProbe,
  buildProbe,
  findResidualStream,
  ProbeInput,
  ProbeOutput,
  readOnnxGraph,
  type OnnxGraph,
  type Probe,
  type ResidualStream,
} from "../../src/onnx/index.ts";
import { parseDecoderReference, type DecoderReference } from "./decoder-reference.ts";

/** The parts of `onnxruntime-web` that the tests use; its builds for WASM and WebGPU have the same. */
export type Runtime = Pick<typeof import("onnxruntime-web"), "InferenceSession" | "Tensor">;

export interface ProbedDecoder {
  readonly graph: OnnxGraph;
  readonly residual: ResidualStream;
  readonly probe: Probe;
  readonly session: InferenceSession;
}

export interface ExternalData {
  readonly path: string;
  readonly data: Uint8Array;
}

/** Reads, probes and loads a model. */
export async function loadProbed(
  runtime: Runtime,
  bytes: Uint8Array,
  layers: number,
  options: InferenceSession.SessionOptions,
): Promise<ProbedDecoder> {
  const graph = readOnnxGraph(bytes);
  const residual = findResidualStream(graph, layers);
  const probe = buildProbe(graph, residual);
  const session = await runtime.InferenceSession.create(appendProbe(bytes, probe), options);
  return { graph, residual, probe, session };
}

/** Rows of token ids, all of one length, without padding. */
export interface Pass {
  readonly tokens: readonly (readonly number[])[];
  /** Rows b·S + s to hand out. */
  readonly poolRows: readonly number[];
  /** [M][B·S]. */
  readonly meanWeights: readonly (readonly number[])[];
  readonly logitRows: readonly number[];
  readonly topK: number;
  /** [R][K]. */
  readonly givenIds: readonly (readonly number[])[];
}

/** Of the fixtures whose graph leaves it open (tools/fixtures/architectures.py: 32 units, 2 heads). */
const HEAD_SIZE = 16;

/** One pass with an empty cache. `fetches` defaults to what the probe adds. */
export async function runProbed(
  runtime: Runtime,
  decoder: ProbedDecoder,
  pass: Pass,
  fetches: readonly string[] = decoder.probe.outputs.map(({ name }) => name),
): Promise<Record<string, Tensor>> {
  const { Tensor } = runtime;
  const batch = pass.tokens.length;
  const time = pass.tokens[0]?.length ?? 0;
  const int64 = (values: readonly number[], dims: readonly number[]): TypedTensor<"int64"> =>
    new Tensor("int64", BigInt64Array.from(values.map(BigInt)), dims);
  const feeds: Record<string, Tensor> = {
    [ProbeInput.logitRows]: int64(pass.logitRows, [pass.logitRows.length]),
    [ProbeInput.topK]: int64([pass.topK], [1]),
    [ProbeInput.givenIds]: new Tensor("int32", Int32Array.from(pass.givenIds.flat()), [
      pass.logitRows.length,
      pass.givenIds[0]?.length ?? 0,
    ]),
  };
  if (decoder.probe.points > 0) {
    feeds[ProbeInput.poolRows] = int64(pass.poolRows, [pass.poolRows.length]);
    feeds[ProbeInput.meanWeights] = new Tensor("float32", Float32Array.from(pass.meanWeights.flat()), [
      pass.meanWeights.length,
      batch * time,
    ]);
  }
  for (const { name, elementType, shape } of decoder.graph.inputs) {
    if (name === "input_ids") feeds[name] = int64(pass.tokens.flat(), [batch, time]);
    else if (name === "attention_mask")
      feeds[name] = int64(new Array<number>(batch * time).fill(1), [batch, time]);
    else if (name === "position_ids") {
      feeds[name] = int64(
        pass.tokens.flatMap((row) => row.map((_, index) => index)),
        [batch, time],
      );
    } else if (name === "num_logits_to_keep") feeds[name] = int64([0], []);
    else if (/^past\.\d+\.conv$/.test(name)) {
      const dims = [batch, ...(shape ?? []).slice(1).map(Number)];
      feeds[name] = new Tensor("float32", new Float32Array(dims.reduce((size, dim) => size * dim, 1)), dims);
    } else if (name.startsWith("past_key_values.")) {
      const dims = (shape ?? []).map((size, axis) =>
        typeof size === "number" ? size : axis === 0 ? batch : axis === 3 ? HEAD_SIZE : 0,
      );
      feeds[name] =
        elementType === 10
          ? new Tensor("float16", new Uint16Array(0), dims)
          : new Tensor("float32", new Float32Array(0), dims);
    } else throw new Error(`The decoder has an input that the test does not know: ${name}`);
  }
  return decoder.session.run(feeds, [...fetches]);
}

export function floats(outputs: Record<string, Tensor>, name: string): Float32Array {
  const data = outputs[name]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`${name} is not float32`);
  return data;
}

export interface Agreement {
  readonly layersFound: number | null;
  readonly layersExpected: number;
  /** Largest difference over the largest magnitude, over all points; null without a residual stream. */
  readonly points: number | null;
  /** The same for the means over positions. */
  readonly means: number | null;
  /** Largest absolute difference in nats: log-sum-exp, entropy, top-k and given log-probabilities. */
  readonly lse: number;
  readonly entropy: number;
  readonly topLogProbs: number;
  readonly givenLogProbs: number;
  /** Steps whose likeliest token is not PyTorch's. */
  readonly wrongTop: number;
  readonly reason: string;
}

const TOP_K = 5;

/** Runs every prompt of a fixture alone and compares each output of the probe with PyTorch's. */
export async function compareWithReference(
  runtime: Runtime,
  bytes: Uint8Array,
  reference: DecoderReference,
  provider: "wasm" | "webgpu",
): Promise<Agreement> {
  const decoder = await loadProbed(runtime, bytes, reference.layers, { executionProviders: [provider] });
  const worst = { points: 0, means: 0, lse: 0, entropy: 0, topLogProbs: 0, givenLogProbs: 0, wrongTop: 0 };
  const raise = (key: keyof typeof worst, value: number): void => {
    worst[key] = Number.isNaN(value) ? Infinity : Math.max(worst[key], value);
  };
  for (const prompt of reference.prompts) {
    const steps = prompt.tokens.map((_, index) => index);
    const givenIds = steps.map((step) => [0, 3 + step, 111 - step, 50]);
    const weights = [steps.map(() => 1 / steps.length), steps.map((step) => (step === 1 ? 1 : 0))];
    const outputs = await runProbed(runtime, decoder, {
      tokens: [prompt.tokens],
      poolRows: steps,
      meanWeights: weights,
      logitRows: steps,
      topK: TOP_K,
      givenIds,
    });
    if (decoder.probe.points > 0) {
      raise("points", relativeError(floats(outputs, ProbeOutput.poolLast), prompt.points.flat(2)));
      const means = prompt.points.flatMap((point) => weights.flatMap((row) => weightedMean(point, row)));
      raise("means", relativeError(floats(outputs, ProbeOutput.poolMean), means));
    }
    const topIds = outputs[ProbeOutput.topIds]?.data ?? [];
    prompt.logits.forEach((logits, step) => {
      const { lse, entropy } = logSumExpAndEntropy(logits);
      const likeliest = logits.map((value, id) => ({ value, id })).sort((a, b) => b.value - a.value);
      raise("lse", Math.abs((floats(outputs, ProbeOutput.lse)[step] ?? NaN) - lse));
      raise("entropy", Math.abs((floats(outputs, ProbeOutput.entropy)[step] ?? NaN) - entropy));
      for (let rank = 0; rank < TOP_K; rank += 1) {
        const got = floats(outputs, ProbeOutput.topLogProbs)[step * TOP_K + rank] ?? NaN;
        raise("topLogProbs", Math.abs(got - ((likeliest[rank]?.value ?? NaN) - lse)));
      }
      if (Number(topIds[step * TOP_K]) !== likeliest[0]?.id) worst.wrongTop += 1;
      (givenIds[step] ?? []).forEach((id, index) => {
        const got = floats(outputs, ProbeOutput.givenLogProbs)[step * 4 + index] ?? NaN;
        raise("givenLogProbs", Math.abs(got - ((logits[id] ?? NaN) - lse)));
      });
    });
  }
  await decoder.session.release();
  const found = decoder.residual.status === "found";
  return {
    ...worst,
    points: found ? worst.points : null,
    means: found ? worst.means : null,
    layersFound: found ? decoder.probe.points - 1 : null,
    layersExpected: reference.layers,
    reason: decoder.residual.status === "found" ? "" : decoder.residual.reason,
  };
}

export async function fetchDecoder(
  name: string,
): Promise<{ bytes: Uint8Array; reference: DecoderReference }> {
  const folder = `/tests/fixtures/decoders/${name}`;
  return {
    bytes: await fetchBytes(`${folder}/onnx/model.onnx`),
    reference: parseDecoderReference(await (await fetch(`${folder}/reference.json`)).json()),
  };
}

export async function fetchBytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Natural logarithms, in double precision. */
export function logSumExpAndEntropy(logits: readonly number[]): { lse: number; entropy: number } {
  const max = logits.reduce((largest, value) => Math.max(largest, value), -Infinity);
  const weights = logits.map((value) => Math.exp(value - max));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const lse = max + Math.log(sum);
  const entropy = logits.reduce((total, value) => {
    const probability = Math.exp(value - lse);
    return probability === 0 ? total : total - probability * (value - lse);
  }, 0);
  return { lse, entropy };
}

function relativeError(got: ArrayLike<number>, expected: readonly number[]): number {
  if (got.length !== expected.length) return Infinity;
  const scale = Math.max(...expected.map(Math.abs));
  return Math.max(...expected.map((value, index) => Math.abs((got[index] ?? NaN) - value))) / scale;
}

function weightedMean(rows: readonly (readonly number[])[], weights: readonly number[]): number[] {
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, column) =>
    rows.reduce((sum, row, index) => sum + (row[column] ?? NaN) * (weights[index] ?? NaN), 0),
  );
}
