/**
 * The tokens in front of every question (system prompt, turn marks), read once. They are more than half of a
 * short question's tokens, and causal attention makes their cache independent of what follows.
 */
import { disposeBlock, type CacheBlock } from "./cache-block.ts";
import type { Checkpoint, Decoder } from "./decoder.ts";

/** Prefixes kept at a time: the system prompts that a page alternates between. */
const MOST_PREFIXES = 4;

interface Prefix {
  readonly tokenIds: Int32Array;
  cache: CacheBlock | null;
}

export class SharedPrefixes {
  readonly #decoder: Decoder;
  readonly #known: Prefix[] = [];

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** Announces that prompts beginning with these tokens will come. Nothing is computed yet. */
  announce(tokenIds: Int32Array): void {
    // GroupQueryAttention on the GPU is not known to read several tokens behind a cache; it reads prompts whole.
    if (tokenIds.length === 0 || this.#decoder.shape.graph.padding === "right") return;
    const place = this.#known.findIndex((prefix) => equal(prefix.tokenIds, tokenIds));
    const [prefix] =
      place >= 0 ? this.#known.splice(place, 1) : [{ tokenIds: tokenIds.slice(), cache: null }];
    if (prefix) this.#known.push(prefix);
    while (this.#known.length > MOST_PREFIXES) disposeBlock(this.#known.shift()?.cache ?? null);
  }

  /**
   * The cache of the announced prefix that a sequence begins with, or null.
   * @param before - only prefixes that end by this position count: what follows it is wanted from the pass
   */
  async cacheFor(tokenIds: Int32Array, before: number, checkpoint: Checkpoint): Promise<CacheBlock | null> {
    const prefix = this.#known.findLast(
      (one) =>
        one.tokenIds.length <= before && equal(one.tokenIds, tokenIds.subarray(0, one.tokenIds.length)),
    );
    if (!prefix) return null;
    if (prefix.cache === null) {
      const { cache } = await this.#decoder.sequence(
        {
          tokenIds: prefix.tokenIds,
          prefix: null,
          distributionsFrom: prefix.tokenIds.length,
          topK: 1,
          givenIds: new Int32Array(0),
          pool: null,
          lastLogits: false,
        },
        checkpoint,
      );
      prefix.cache = cache;
    }
    return prefix.cache;
  }

  dispose(): void {
    for (const prefix of this.#known.splice(0)) disposeBlock(prefix.cache);
  }
}

function equal(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
