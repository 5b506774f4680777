/** How many rows are decoded together. */
import type { DeviceKind } from "../contract.ts";
import type { Decoder } from "./decoder.ts";

/**
 * Rows at most. On the CPU a step of one row mostly waits for the weights to pass through memory, so more rows
 * are nearly free up to here; beyond it arithmetic dominates and rows only wait for one another.
 */
const MOST_ROWS: Readonly<Record<DeviceKind, number>> = { wasm: 16, webgpu: 32 };
/** Bytes for the caches of all rows, with the second copy that exists while a step runs. */
const CACHE_BYTES = 768 * 2 ** 20;
/** Tokens of a typical row (templated question and a short answer), to tell the number before it is known. */
const TYPICAL_TOKENS = 256;

/** The number of rows to ask for in one call. */
export function rowsTogether(decoder: Decoder, device: DeviceKind): number {
  return placesFor(decoder, MOST_ROWS[device], TYPICAL_TOKENS);
}

/** @param tokens - the longest row's tokens, prompt and answer */
export function placesFor(decoder: Decoder, maxRows: number, tokens: number): number {
  const { batchInvariant, cacheBytesPerToken } = decoder.shape.graph;
  if (!batchInvariant) return 1;
  return Math.max(
    1,
    Math.min(maxRows, Math.floor(CACHE_BYTES / (2 * cacheBytesPerToken * Math.max(1, tokens)))),
  );
}
