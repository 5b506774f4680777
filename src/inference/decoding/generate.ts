/**
 * Decoding of many prompts. Each prompt is read alone and unpadded (its activations and first token cannot
 * depend on other prompts), then joins the rows that are decoded together; a row that has finished leaves at
 * once, and waiting prompts take the free places.
 */
import { EngineError } from "../engine-error.ts";
import type { GenerateRequest, GenerateResult } from "../types.ts";
import { placesFor } from "./batch-size.ts";
import { disposeBlock, packBlock, type CacheBlock } from "./cache-block.ts";
import type { Checkpoint, Decoder } from "./decoder.ts";
import { GeneratedRow, KEPT_TOP_K, type AnswerText, type RowLimits } from "./generated-row.ts";
import type { SharedPrefixes } from "./shared-prefix.ts";

export interface GenerateLimits extends RowLimits {
  /** Rows decoded together at most; fewer where their caches would not fit. */
  readonly maxRows: number;
}

export interface GenerateHooks {
  readonly checkpoint: Checkpoint;
  readonly prefixes: SharedPrefixes;
  readonly read: (ids: readonly number[]) => AnswerText;
  readonly onResult: (result: GenerateResult) => void | Promise<void>;
  readonly onDecoded: (decodedTokens: number, finishedRows: number) => void;
  readonly now: () => number;
}

/** Waiting prompts join when this share of the places is free: every joining copies the whole cache once. */
const JOIN_SHARE = 4;

interface Joined {
  readonly row: GeneratedRow;
  readonly block: CacheBlock;
  readonly index: number;
}

/**
 * Generates answers to all requests. The order and the batches depend on the requests alone, so equal calls
 * give equal results on one device.
 * @throws {EngineError} `prompt-too-long` before anything is computed
 */
export async function generate(
  decoder: Decoder,
  requests: readonly GenerateRequest[],
  limits: GenerateLimits,
  hooks: GenerateHooks,
): Promise<void> {
  for (const request of requests) checkRequest(request, limits.contextLength);
  const waiting = [...requests].sort(
    (a, b) =>
      b.promptTokenIds.length - a.promptTokenIds.length || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  );
  const thought = limits.thinking?.budgetTokens ?? 0;
  const longest = Math.max(
    0,
    ...waiting.map((one) => one.promptTokenIds.length + thought + one.decoding.maxNewTokens),
  );
  const places = placesFor(decoder, limits.maxRows, Math.min(longest, limits.contextLength));
  const totals = { decoded: 0, finished: 0 };
  let rows: GeneratedRow[] = [];
  let block: CacheBlock | null = null;
  const finish = async (row: GeneratedRow): Promise<void> => {
    totals.finished += 1;
    hooks.onDecoded(totals.decoded, totals.finished);
    await hooks.onResult(row.result(hooks.read));
  };
  try {
    while (waiting.length > 0 || rows.length > 0) {
      const free = places - rows.length;
      const joining: { row: GeneratedRow; block: CacheBlock }[] = [];
      try {
        if (rows.length === 0 || free * JOIN_SHARE >= places) {
          while (waiting.length > 0 && joining.length < free) {
            const request = waiting.shift();
            if (!request) break;
            const started = await startRow(decoder, request, limits, hooks);
            totals.decoded += started.row.decodedTokens;
            hooks.onDecoded(totals.decoded, totals.finished);
            if (started.block === null) await finish(started.row);
            else joining.push({ row: started.row, block: started.block });
          }
        }
        if (joining.length > 0) {
          const current = block;
          const all: Joined[] = [
            ...rows.flatMap((row, index) => (current === null ? [] : [{ row, block: current, index }])),
            ...joining.map(({ row, block: own }) => ({ row, block: own, index: 0 })),
          ];
          block = repack(decoder, all);
          disposeBlock(current);
          rows = all.map(({ row }) => row);
        }
      } finally {
        for (const { block: own } of joining) disposeBlock(own);
      }
      if (block === null || rows.length === 0) continue;
      const began = hooks.now();
      const tokens = Int32Array.from(rows, (row) => row.lastToken);
      const stepping: CacheBlock = block;
      const stepped = await decoder.step(
        stepping,
        tokens,
        KEPT_TOP_K,
        rows.some((row) => row.sampled),
      );
      block = stepped.block;
      const share = (hooks.now() - began) / rows.length;
      rows.forEach((row, index) => {
        const before = row.decodedTokens;
        row.advance(stepped.next, index, stepped.logits[index] ?? null, limits);
        row.elapsedMs += share;
        totals.decoded += row.decodedTokens - before;
      });
      hooks.onDecoded(totals.decoded, totals.finished);
      const done = rows.filter((row) => row.finish !== null);
      if (done.length > 0) {
        const grown: CacheBlock = block;
        const left = rows.flatMap((row, index) =>
          row.finish === null ? [{ row, block: grown, index }] : [],
        );
        block = left.length === 0 ? null : repack(decoder, left);
        disposeBlock(grown);
        rows = left.map(({ row }) => row);
        for (const row of done) await finish(row);
      }
      await hooks.checkpoint();
    }
  } finally {
    disposeBlock(block);
  }
}

/** Reads a prompt and chooses the first token. Null block: the answer has ended already. */
async function startRow(
  decoder: Decoder,
  request: GenerateRequest,
  limits: GenerateLimits,
  hooks: GenerateHooks,
): Promise<{ readonly row: GeneratedRow; readonly block: CacheBlock | null }> {
  const row = new GeneratedRow(request);
  const began = hooks.now();
  const last = request.promptTokenIds.length - 1;
  const wantedFrom = Math.min(last, request.contentRange?.[0] ?? last);
  const read = await decoder.sequence(
    {
      tokenIds: request.promptTokenIds,
      prefix: await hooks.prefixes.cacheFor(request.promptTokenIds, wantedFrom, hooks.checkpoint),
      distributionsFrom: last,
      topK: KEPT_TOP_K,
      givenIds: new Int32Array(0),
      pool: { contentRange: request.contentRange },
      lastLogits: row.sampled,
    },
    hooks.checkpoint,
  );
  row.lastPromptToken = read.lastToken;
  row.promptMean = read.mean;
  if (request.prefillOnly !== true) row.advance(read.next, 0, read.lastLogits, limits);
  row.elapsedMs += hooks.now() - began;
  if (request.prefillOnly === true || row.finish !== null) {
    disposeBlock(read.cache);
    return { row, block: null };
  }
  return { row, block: read.cache };
}

function repack(decoder: Decoder, joined: readonly Joined[]): CacheBlock {
  return packBlock(
    decoder.session,
    decoder.shape.graph.padding,
    joined.map(({ block, index }) => ({ block, row: index })),
  );
}

function checkRequest(request: GenerateRequest, contextLength: number): void {
  const { length } = request.promptTokenIds;
  if (length === 0) {
    throw new EngineError("prompt-empty", `Prompt ${request.key} has no tokens.`, { key: request.key });
  }
  if (length >= contextLength) {
    throw new EngineError(
      "prompt-too-long",
      `Prompt ${request.key} has ${length} tokens; the model takes fewer than ${contextLength}. Shorten it.`,
      { key: request.key, tokens: length, contextLength },
    );
  }
  if (request.prefillOnly !== true && !(request.decoding.maxNewTokens >= 1)) {
    throw new RangeError(`maxNewTokens must be at least 1, not ${request.decoding.maxNewTokens}.`);
  }
}
