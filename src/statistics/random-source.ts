import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { requireWhole } from "./checks.ts";

const TWO_32 = 4_294_967_296;
/** Products of this with a 32-bit word are still exact in a double. */
const LARGEST_RANGE = 2_097_152;

/** A seeded stream of random numbers: the same seed gives the same stream on every machine. */
export interface RandomSource {
  /** Uniform on [0, 1), a multiple of 2⁻⁵³. */
  uniform(): number;
  /**
   * Uniform on 0 … n − 1, without modulo bias (Lemire 2019).
   * @param n - 1 … 2²¹
   */
  integer(n: number): number;
  /** Standard normal (polar method of Marsaglia & Bray 1964). */
  normal(): number;
  /** Shuffles in place (Fisher–Yates): every order is equally likely. */
  shuffle(values: unknown[] | Int32Array): void;
  /**
   * Another stream, told apart by its label. It depends on this source's seed and the label only, not on how
   * many numbers were drawn before, so results do not change when work is reordered.
   */
  split(label: string | number): RandomSource;
}

/**
 * A generator from a seed.
 *
 * Algorithm: xoroshiro128+ (Blackman & Vigna 2021; pure-rand's implementation), whose 128-bit state is the head
 * of the SHA-256 of the seed. `integer` and `uniform` use the upper bits of each 32-bit word, since the lowest
 * bits of xoroshiro128+ are linear. Not for cryptography.
 *
 * @param seed - the number 1 and the text "1" are different seeds
 * @throws {RangeError} if a numeric seed is not finite
 */
export function createRandom(seed: number | string): RandomSource {
  return fromKey(digest(new Uint8Array(0), seed));
}

function digest(parent: Uint8Array, label: number | string): Uint8Array {
  if (typeof label === "number" && !Number.isFinite(label)) {
    throw new RangeError(`a seed must be finite, not ${label}`);
  }
  const text = utf8ToBytes(`${typeof label}:${label}`);
  const message = new Uint8Array(parent.length + text.length);
  message.set(parent);
  message.set(text, parent.length);
  return sha256(message);
}

function fromKey(key: Uint8Array): RandomSource {
  const words = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const state = [0, 4, 8, 12].map((offset) => words.getInt32(offset, true));
  // The all-zero state is the one from which xoroshiro128+ never leaves.
  const generator = xoroshiro128plusFromState(state.every((word) => word === 0) ? [1, 0, 0, 0] : state);

  const uniform = (): number =>
    ((generator.next() >>> 5) * 67_108_864 + (generator.next() >>> 6)) / 9_007_199_254_740_992;

  const integer = (n: number): number => {
    if ((n | 0) !== n || n < 1 || n > LARGEST_RANGE) requireRange(n);
    let product = (generator.next() >>> 0) * n;
    if (product >>> 0 < n) {
      const threshold = (TWO_32 - n) % n;
      while (product >>> 0 < threshold) product = (generator.next() >>> 0) * n;
    }
    return Math.floor(product / TWO_32);
  };

  const normal = (): number => {
    for (;;) {
      const x = 2 * uniform() - 1;
      const y = 2 * uniform() - 1;
      const square = x * x + y * y;
      if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
    }
  };

  return {
    uniform,
    integer,
    normal,
    shuffle: (values) =>
      values instanceof Int32Array ? shuffleIndices(values, integer) : shuffleList(values, integer),
    split: (label) => fromKey(digest(key, label)),
  };
}

// Two copies of one loop: a loop that meets both lists and typed arrays runs several times slower on the latter.
function shuffleList(values: unknown[], integer: (n: number) => number): void {
  for (let last = values.length - 1; last > 0; last--) {
    const other = integer(last + 1);
    const kept = values[last];
    values[last] = values[other];
    values[other] = kept;
  }
}

function shuffleIndices(values: Int32Array, integer: (n: number) => number): void {
  for (let last = values.length - 1; last > 0; last--) {
    const other = integer(last + 1);
    const kept = values[last] ?? -1;
    values[last] = values[other] ?? -1;
    values[other] = kept;
  }
}

function requireRange(n: number): never {
  requireWhole(n, "the range of a random integer", 1);
  throw new RangeError(`the range of a random integer must be at most ${LARGEST_RANGE}, not ${n}`);
}
