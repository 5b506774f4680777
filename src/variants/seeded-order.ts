import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

/** 32-bit FNV-1a of a text's UTF-16 units (Fowler, Noll & Vo): tells seeds apart, nothing more. */
export function textHash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}

/** Whole numbers from a seed, the same on every machine. */
export interface SeededChoice {
  /** 0 … n − 1, for n up to a few thousand (bias below 1e-6). */
  readonly integer: (n: number) => number;
  /** The places 0 … n − 1 in an order drawn by Fisher and Yates. */
  readonly order: (n: number) => number[];
}

/**
 * Choices drawn by xoroshiro128+ (Blackman & Vigna 2021, through pure-rand) from a text as the seed. What is taken
 * first stays first: the first k places of an order do not depend on how many of them are used, so a stronger
 * change contains the weaker one.
 */
export function seededChoice(seed: string): SeededChoice {
  const generator = xoroshiro128plusFromState(
    [0, 1, 2, 3].map((word) => textHash(`${word}/${seed}`) | (word === 0 ? 1 : 0)),
  );
  const integer = (n: number) => Math.floor(((generator.next() >>> 0) / 4_294_967_296) * n);
  return {
    integer,
    order: (n) => {
      const places = Array.from({ length: n }, (_, place) => place);
      for (let last = n - 1; last > 0; last -= 1) {
        const other = integer(last + 1);
        [places[last], places[other]] = [places[other] ?? 0, places[last] ?? 0];
      }
      return places;
    },
  };
}
