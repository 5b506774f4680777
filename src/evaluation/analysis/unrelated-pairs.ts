import type { RandomSource } from "../../statistics/index.ts";
import type { ExampleRecords, PromptRecords } from "./run-index.ts";

/** All pairs up to 64 examples; of larger sets a sample of about as many. */
const LARGEST_PAIR_COUNT = 2016;

export interface ExamplePairList {
  readonly first: Int32Array;
  readonly second: Int32Array;
}

/**
 * Pairs of different examples for the ceiling C: all of them where they are few, else a seeded sample in which
 * each example stands in equally many pairs (with its next neighbours on a ring in random order).
 */
export function pairExamples(examples: number, random: RandomSource): ExamplePairList {
  const first: number[] = [];
  const second: number[] = [];
  if ((examples * (examples - 1)) / 2 <= LARGEST_PAIR_COUNT) {
    for (let a = 0; a < examples; a += 1) {
      for (let b = a + 1; b < examples; b += 1) {
        first.push(a);
        second.push(b);
      }
    }
  } else {
    const ring = Int32Array.from({ length: examples }, (_, at) => at);
    random.shuffle(ring);
    const steps = Math.max(1, Math.floor(LARGEST_PAIR_COUNT / examples));
    // Neighbour by neighbour, so that the same few examples are compared one after another.
    for (let at = 0; at < examples; at += 1) {
      for (let step = 1; step <= steps; step += 1) {
        first.push(ring[at] ?? 0);
        second.push(ring[(at + step) % examples] ?? 0);
      }
    }
  }
  return { first: Int32Array.from(first), second: Int32Array.from(second) };
}

/**
 * Wordings of two examples to be compared: each of `a` with the wording of `b` that stands at the same place in
 * the same family, so that a ceiling never mixes families. Families that `b` lacks are left out.
 */
export function sameFamilyPairs(a: ExampleRecords, b: ExampleRecords): [PromptRecords, PromptRecords][] {
  const families = new Map<string, PromptRecords[]>();
  for (const wording of b.wordings) {
    const family = families.get(wording.prompt.family);
    if (family) family.push(wording);
    else families.set(wording.prompt.family, [wording]);
  }
  const places = new Map<string, number>();
  return a.wordings.flatMap((wording): [PromptRecords, PromptRecords][] => {
    const { family } = wording.prompt;
    const others = families.get(family) ?? [];
    const place = places.get(family) ?? 0;
    places.set(family, place + 1);
    const other = others[place % Math.max(1, others.length)];
    return other ? [[wording, other]] : [];
  });
}
