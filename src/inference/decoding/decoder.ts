/** Forward passes of a decoder: a prompt (or a text to score) in one row, or one more token in many rows. */
import { ProbeInput, ProbeOutput } from "../../onnx/index.ts";
import { EngineError } from "../engine-error.ts";
import type { DecoderGraph } from "../graph/decoder-graph.ts";
import {
  int64Tensor,
  zeroTensor,
  type GraphSession,
  type HostTensor,
  type ResidentTensor,
} from "../runtime/tensor.ts";
import { disposeBlock, isState, stepMask, type CacheBlock } from "./cache-block.ts";
import { float32FromFloat16 } from "./float16.ts";
import { NEXT_TOKEN_OUTPUTS, readNextTokens, type NextTokens } from "./next-token.ts";
import { planSegments } from "./segments.ts";

export interface DecoderShape {
  readonly graph: DecoderGraph;
  /** Points of the residual stream that the probe hands out (layers + 1); 0 where there are none. */
  readonly points: number;
  readonly hiddenSize: number;
  /** Width of the logits. */
  readonly vocabularySize: number;
  /** Most likeliest tokens that the probe finds at once; null: as many as there are. */
  readonly largestTopK: number | null;
}

export interface SequenceRequest {
  readonly tokenIds: Int32Array;
  /** Cache of the sequence's first tokens, read before; it stays as it is. */
  readonly prefix: CacheBlock | null;
  /** Distributions are wanted for the positions from here to the end. */
  readonly distributionsFrom: number;
  readonly topK: number;
  /** [positions × K] ids to score at each of those positions; K may be 0. */
  readonly givenIds: Int32Array;
  /** Token range of the mean pooling; null: no pooling is wanted. */
  readonly pool: { readonly contentRange: readonly [number, number] | null } | null;
  /** The raw logits of the last position are wanted as well (for sampling). */
  readonly lastLogits: boolean;
}

export interface SequenceResult {
  readonly next: NextTokens;
  readonly lastLogits: Float32Array | null;
  /** [points × hiddenSize] at the last token; null where not wanted or not available. */
  readonly lastToken: Float32Array | null;
  readonly mean: Float32Array | null;
  /** Cache of this one row; the caller frees it. */
  readonly cache: CacheBlock;
}

/** Called after every run of the graph: lets messages in, and throws if the call was stopped. */
export type Checkpoint = () => Promise<void>;

export class Decoder {
  readonly shape: DecoderShape;
  readonly session: GraphSession;

  constructor(session: GraphSession, shape: DecoderShape) {
    this.session = session;
    this.shape = shape;
  }

  /** The most likeliest tokens that can be asked for at a position. */
  get mostLikeliest(): number {
    return this.shape.largestTopK ?? this.shape.vocabularySize;
  }

  /**
   * Reads one sequence. It runs alone and unpadded, so its results cannot depend on any other sequence; since
   * a prompt's many positions keep the device busy, batching several would gain little.
   */
  async sequence(request: SequenceRequest, checkpoint: Checkpoint): Promise<SequenceResult> {
    const { tokenIds, distributionsFrom } = request;
    const width =
      tokenIds.length === distributionsFrom
        ? 0
        : request.givenIds.length / (tokenIds.length - distributionsFrom);
    const read = request.prefix?.time ?? 0;
    const segments = planSegments(read, tokenIds.length, distributionsFrom, {
      vocabularySize: this.shape.vocabularySize,
      keepsLogits: this.shape.graph.keepInput !== null,
    });
    const parts: NextTokens[] = [];
    const pools: { last: Float32Array | null; mean: Float32Array | null } = { last: null, mean: null };
    let lastLogits: Float32Array | null = null;
    let cache: CacheBlock | null = null;
    try {
      for (const [index, { start, end, rows }] of segments.entries()) {
        const last = index === segments.length - 1;
        const size = end - start;
        const first = end - rows - distributionsFrom;
        const feeds = new Map<string, HostTensor | ResidentTensor>([
          ["input_ids", int64Tensor(tokenIds.subarray(start, end), [1, size])],
          ["attention_mask", int64Tensor(new Int32Array(end).fill(1), [1, end])],
        ]);
        this.#addPositions(
          feeds,
          Int32Array.from({ length: size }, (_, i) => start + i),
          [1, size],
        );
        this.#addCache(feeds, cache ?? request.prefix, 1);
        const kept = this.#addKeep(feeds, Math.max(1, rows), size);
        const logitRows =
          rows > 0 ? Int32Array.from({ length: rows }, (_, i) => kept - rows + i) : Int32Array.of(kept - 1);
        const given =
          rows > 0 ? request.givenIds.subarray(first * width, (first + rows) * width) : new Int32Array(0);
        this.#addReductions(feeds, logitRows, rows > 0 ? request.topK : 1, given);
        const pooled = request.pool !== null && this.shape.points > 0;
        const weights = pooled ? meanWeights(request.pool?.contentRange ?? null, start, end) : null;
        this.#addPools(feeds, pooled && last ? Int32Array.of(size - 1) : new Int32Array(0), weights, size);
        const wanted = [...NEXT_TOKEN_OUTPUTS];
        if (request.lastLogits && last) wanted.push("logits");
        if (pooled) wanted.push(ProbeOutput.poolLast, ProbeOutput.poolMean);
        const outputs = await this.#run(feeds, wanted);
        const grown: CacheBlock = { tensors: outputs.cache, time: end, lengths: [end] };
        disposeBlock(cache);
        cache = grown;
        if (rows > 0) parts.push(readNextTokens(outputs.host));
        if (last && request.lastLogits) lastLogits = this.#logits(outputs.host, kept - 1, 1)[0] ?? null;
        if (pooled) {
          if (last) pools.last = floats(outputs.host, ProbeOutput.poolLast);
          if (weights !== null)
            pools.mean = addInPlace(pools.mean, floats(outputs.host, ProbeOutput.poolMean));
        }
        await checkpoint();
      }
      if (cache === null) throw new EngineError("runtime-failed", "There were no tokens to read.");
      const result = { next: concatenate(parts), lastLogits, lastToken: pools.last, mean: pools.mean, cache };
      cache = null;
      return result;
    } finally {
      disposeBlock(cache);
    }
  }

  /**
   * One more token in each row of a block.
   * @returns the grown block (the old one is freed) and the distributions that follow
   */
  async step(
    block: CacheBlock,
    tokens: Int32Array,
    topK: number,
    wantLogits: boolean,
  ): Promise<{
    readonly block: CacheBlock;
    readonly next: NextTokens;
    readonly logits: readonly Float32Array[];
  }> {
    const rows = tokens.length;
    const { padding } = this.shape.graph;
    const feeds = new Map<string, HostTensor | ResidentTensor>([
      ["input_ids", int64Tensor(tokens, [rows, 1])],
      ["attention_mask", int64Tensor(stepMask(block, padding), [rows, block.time + 1])],
    ]);
    this.#addPositions(feeds, Int32Array.from(block.lengths), [rows, 1]);
    this.#addCache(feeds, block, rows);
    this.#addKeep(feeds, 1, 1);
    this.#addReductions(
      feeds,
      Int32Array.from({ length: rows }, (_, row) => row),
      topK,
      new Int32Array(0),
    );
    this.#addPools(feeds, new Int32Array(0), null, rows);
    const outputs = await this.#run(
      feeds,
      wantLogits ? [...NEXT_TOKEN_OUTPUTS, "logits"] : NEXT_TOKEN_OUTPUTS,
    );
    disposeBlock(block);
    const grown: CacheBlock = {
      tensors: outputs.cache,
      time: outputs.cache.find((tensor) => !isState(tensor))?.dims[2] ?? block.time + 1,
      lengths: block.lengths.map((length) => length + 1),
    };
    try {
      const logits = wantLogits ? this.#logits(outputs.host, 0, rows) : [];
      return { block: grown, next: readNextTokens(outputs.host), logits };
    } catch (error) {
      disposeBlock(grown);
      throw error;
    }
  }

  async #run(
    feeds: ReadonlyMap<string, HostTensor | ResidentTensor>,
    host: readonly string[],
  ): Promise<{ readonly host: ReadonlyMap<string, HostTensor>; readonly cache: readonly ResidentTensor[] }> {
    const presents = this.shape.graph.cache.map(({ present }) => present);
    const outputs = await this.session.run(feeds, { host, resident: presents });
    const cache = presents.flatMap((name) => outputs.resident.get(name) ?? []);
    return { host: outputs.host, cache };
  }

  #addPositions(
    feeds: Map<string, HostTensor | ResidentTensor>,
    positions: Int32Array,
    dims: readonly number[],
  ): void {
    if (this.shape.graph.takesPositions) feeds.set("position_ids", int64Tensor(positions, dims));
  }

  #addCache(feeds: Map<string, HostTensor | ResidentTensor>, cache: CacheBlock | null, rows: number): void {
    this.shape.graph.cache.forEach(({ past, type, heads, width, columns }, i) => {
      const dims = columns === null ? [rows, heads, 0, width] : [rows, heads, columns];
      feeds.set(past, cache?.tensors[i] ?? zeroTensor(type, dims));
    });
    if (this.shape.graph.takesCacheBranch) {
      feeds.set("use_cache_branch", { type: "bool", dims: [1], data: Uint8Array.of(cache === null ? 0 : 1) });
    }
  }

  /** @returns the number of positions for which the graph computes logits */
  #addKeep(feeds: Map<string, HostTensor | ResidentTensor>, rows: number, size: number): number {
    const { keepInput } = this.shape.graph;
    if (keepInput === null) return size;
    feeds.set(keepInput.name, int64Tensor([rows], keepInput.rank === 0 ? [] : [1]));
    return rows;
  }

  #addReductions(
    feeds: Map<string, HostTensor | ResidentTensor>,
    logitRows: Int32Array,
    topK: number,
    given: Int32Array,
  ): void {
    const rows = logitRows.length;
    feeds.set(ProbeInput.logitRows, int64Tensor(logitRows, [rows]));
    feeds.set(ProbeInput.topK, int64Tensor([Math.min(topK, this.mostLikeliest)], [1]));
    feeds.set(ProbeInput.givenIds, {
      type: "int32",
      dims: [rows, given.length / rows],
      data: Int32Array.from(given),
    });
  }

  #addPools(
    feeds: Map<string, HostTensor | ResidentTensor>,
    poolRows: Int32Array,
    weights: Float32Array | null,
    positions: number,
  ): void {
    if (this.shape.points === 0) return;
    feeds.set(ProbeInput.poolRows, int64Tensor(poolRows, [poolRows.length]));
    feeds.set(ProbeInput.meanWeights, {
      type: "float32",
      dims: [weights === null ? 0 : 1, positions],
      data: weights ?? new Float32Array(0),
    });
  }

  /** Rows of the logits […, V], counted over all leading dimensions. */
  #logits(host: ReadonlyMap<string, HostTensor>, first: number, count: number): Float32Array[] {
    const tensor = host.get("logits");
    const width = this.shape.vocabularySize;
    if (tensor?.type !== "float32" && tensor?.type !== "float16") {
      throw new EngineError("runtime-failed", "The graph handed out no logits.");
    }
    return Array.from({ length: count }, (_, row) => {
      const from = (first + row) * width;
      const { type, data } = tensor;
      return type === "float32"
        ? data.slice(from, from + width)
        : float32FromFloat16(data.subarray(from, from + width));
    });
  }
}

/** Weights 1/n on those of the n content tokens that fall in [start, end); the means of all segments add up. */
function meanWeights(
  range: readonly [number, number] | null,
  start: number,
  end: number,
): Float32Array | null {
  if (range === null) return null;
  const [from, to] = range;
  const weights = new Float32Array(end - start);
  for (let i = Math.max(from, start); i < Math.min(to, end); i += 1) weights[i - start] = 1 / (to - from);
  return weights;
}

function addInPlace(sum: Float32Array | null, part: Float32Array): Float32Array {
  if (sum === null) return part;
  for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + (part[i] ?? 0);
  return sum;
}

function floats(host: ReadonlyMap<string, HostTensor>, name: string): Float32Array {
  const tensor = host.get(name);
  if (tensor?.type !== "float32")
    throw new EngineError("runtime-failed", `The probe's output ${name} is missing.`);
  return tensor.data;
}

function concatenate(parts: readonly NextTokens[]): NextTokens {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    k: only?.k ?? 0,
    entropyNats: joinFloats(parts.map((part) => part.entropyNats)),
    topLogProbNats: joinFloats(parts.map((part) => part.topLogProbNats)),
    topIds: Int32Array.from(parts.flatMap((part) => [...part.topIds])),
    givenLogProbNats: joinFloats(parts.map((part) => part.givenLogProbNats)),
  };
}

function joinFloats(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
