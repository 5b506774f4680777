/** Choosing the next token. */
import { sha256 } from "@noble/hashes/sha2.js";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Uniform numbers in [0, 1), one a step. */
export type UniformStream = () => number;

/**
 * The random stream of one row. It is derived from what the row is, so it is the same in any batch, in any
 * order, and after a reload.
 */
export function rowStream(stream: {
  readonly seed: number;
  readonly exampleId: string;
  readonly promptId: string;
  readonly repeat: number;
}): UniformStream {
  const { seed, exampleId, promptId, repeat } = stream;
  const digest = sha256(new TextEncoder().encode(JSON.stringify([seed, exampleId, promptId, repeat])));
  const generator = xoroshiro128plus(new DataView(digest.buffer, digest.byteOffset).getInt32(0));
  return () => uniformFloat64(generator);
}

/**
 * Draws a token from softmax(logits / temperature), restricted to the nucleus of mass `topP`.
 *
 * The nucleus is the smallest set of likeliest tokens whose mass reaches `topP` (Holtzman et al. 2020); of
 * equally likely tokens the lower id goes first. Without one, tokens are laid out by id.
 *
 * @param u - uniform in [0, 1)
 */
export function drawToken(logits: Float32Array, temperature: number, topP: number | null, u: number): number {
  if (!(temperature > 0)) throw new RangeError(`The temperature must be positive, not ${temperature}.`);
  let max = -Infinity;
  for (const logit of logits) if (logit > max) max = logit;
  const weights = new Float64Array(logits.length);
  let total = 0;
  logits.forEach((logit, id) => {
    const weight = Math.exp((logit - max) / temperature);
    weights[id] = weight;
    total += weight;
  });
  if (topP === null || topP >= 1) return pick(weights, null, total, u);
  // Tokens below this weight all lie outside the nucleus: together they hold less than its complement.
  const least = ((1 - topP) * total) / logits.length;
  const likely: number[] = [];
  weights.forEach((weight, id) => {
    if (weight >= least) likely.push(id);
  });
  likely.sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  let mass = 0;
  let size = 0;
  while (size < likely.length && mass < topP * total) {
    mass += weights[likely[size] ?? 0] ?? 0;
    size += 1;
  }
  return pick(weights, likely.slice(0, Math.max(1, size)), mass, u);
}

function pick(weights: Float64Array, ids: readonly number[] | null, total: number, u: number): number {
  const count = ids === null ? weights.length : ids.length;
  let left = u * total;
  let last = 0;
  for (let i = 0; i < count; i += 1) {
    const id = ids === null ? i : (ids[i] ?? 0);
    const weight = weights[id] ?? 0;
    if (weight === 0) continue;
    last = id;
    left -= weight;
    if (left < 0) return id;
  }
  // Rounding can leave a remainder: it belongs to the last token that has any weight.
  return last;
}
