import type { InferenceSession } from "onnxruntime-web";
import {
  appendProbe,
  buildProbe,
  findResidualStream,
  ProbeInput,
  ProbeOutput,
  readOnnxGraph,
} from "../../src/onnx/index.ts";
import { fetchBytes, floats, logSumExpAndEntropy, type Runtime } from "./probed-decoder.ts";

export interface Reduced {
  readonly lse: readonly number[];
  readonly entropy: readonly number[];
  readonly topIds: readonly number[];
  readonly topLogProbs: readonly number[];
  readonly givenLogProbs: readonly number[];
}

/** Reduces rows of logits, one time step each, by the probe of a graph that does nothing else. */
export async function reduceLogits(
  runtime: Runtime,
  model: string,
  options: InferenceSession.SessionOptions,
  rows: readonly (readonly number[])[],
  request: {
    readonly topK: number;
    readonly givenIds: readonly (readonly number[])[];
    readonly rows?: readonly number[];
  },
): Promise<Reduced> {
  const { InferenceSession, Tensor } = runtime;
  const bytes = await fetchBytes(`/tests/fixtures/logits/${model}.onnx`);
  const graph = readOnnxGraph(bytes);
  const probe = buildProbe(graph, findResidualStream(graph, 1));
  const session = await InferenceSession.create(appendProbe(bytes, probe), options);
  const dims = [rows.length, 1, rows[0]?.length ?? 0];
  const wanted = request.rows ?? rows.map((_, index) => index);
  const values = rows.flat();
  const outputs = await session.run(
    {
      x: model.endsWith("f16")
        ? new Tensor("float16", Uint16Array.from(values.map(toFloat16)), dims)
        : new Tensor("float32", Float32Array.from(values), dims),
      [ProbeInput.logitRows]: new Tensor("int64", BigInt64Array.from(wanted.map(BigInt)), [wanted.length]),
      [ProbeInput.topK]: new Tensor("int64", BigInt64Array.of(BigInt(request.topK)), [1]),
      [ProbeInput.givenIds]: new Tensor("int32", Int32Array.from(request.givenIds.flat()), [
        wanted.length,
        request.givenIds[0]?.length ?? 0,
      ]),
    },
    probe.outputs.map(({ name }) => name),
  );
  await session.release();
  return {
    lse: [...floats(outputs, ProbeOutput.lse)],
    entropy: [...floats(outputs, ProbeOutput.entropy)],
    topIds: Array.from(outputs[ProbeOutput.topIds]?.data ?? [], Number),
    topLogProbs: [...floats(outputs, ProbeOutput.topLogProbs)],
    givenLogProbs: [...floats(outputs, ProbeOutput.givenLogProbs)],
  };
}

/** Float16 bits of numbers that float16 holds exactly: whole ones up to 2048, halves, and the infinities. */
function toFloat16(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === 0) return sign;
  if (!Number.isFinite(size)) return sign + 0x7c00;
  const exponent = Math.floor(Math.log2(size));
  return sign + (exponent + 15) * 1024 + Math.round((size / 2 ** exponent - 1) * 1024);
}

/** Rows that are hard on a softmax: flat, peaked, far from zero, with impossible tokens, and with one token only. */
export const HARD_ROWS: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0],
  [1000, 0, -1000, 12, 13, 14],
  [-900, -901, -902, -903, -904, -905],
  [2, -Infinity, 1, -Infinity, 0.5, -Infinity],
  [-Infinity, -Infinity, 7, -Infinity, -Infinity, -Infinity],
  [3, 3, 2, 1.5, -4, 0],
];

/** What the probe must return for `HARD_ROWS`, in double precision. */
export const HARD_ROWS_EXPECTED = HARD_ROWS.map((row) => logSumExpAndEntropy(row));

/** Rows in which the likeliest tokens lie side by side, apart, and tie: all that grouping could get wrong. */
export function crowdedRows(vocabulary: number): number[][] {
  const hash = (id: number): number => ((id * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;
  const scattered = Array.from({ length: vocabulary }, (_, id) => 8 * hash(id + 1));
  const crowded = scattered.map((value, id) => (id >= 1000 && id < 1100 ? 20 + hash(id) : value));
  const coarse = scattered.map((value) => Math.round(value));
  const edges = scattered.map((value, id) => (id === 0 || id === vocabulary - 1 ? 30 : value));
  return [scattered, crowded, coarse, edges];
}

/** Checks what `reduceLogits` returned for such rows; the message says what is wrong, "" if nothing is. */
export function topKFault(reduced: Reduced, rows: readonly (readonly number[])[], topK: number): string {
  for (const [index, row] of rows.entries()) {
    const { lse } = logSumExpAndEntropy(row);
    const best = [...row].sort((a, b) => b - a).slice(0, topK);
    const ids = reduced.topIds.slice(index * topK, (index + 1) * topK);
    if (new Set(ids).size !== topK) return `row ${index}: an id occurs twice`;
    if (ids[0] !== row.indexOf(best[0] ?? NaN))
      return `row ${index}: the first of the likeliest is not first`;
    for (const [rank, id] of ids.entries()) {
      const value = best[rank] ?? NaN;
      if (Math.abs((row[id] ?? NaN) - value) > 1e-5) return `row ${index}: id ${id} at rank ${rank}`;
      const got = reduced.topLogProbs[index * topK + rank] ?? NaN;
      if (Math.abs(got - (value - lse)) > 5e-5) return `row ${index}: log-probability ${got} at rank ${rank}`;
    }
  }
  return "";
}
