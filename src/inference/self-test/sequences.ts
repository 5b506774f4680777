/** The fixed token sequences on which every loaded model is tried. */
import type { ModelSource } from "../types.ts";
import type { ModelTokenizer } from "../text/tokenizer.ts";
import reference from "./bundled-reference.json";

/** Two texts that end alike, so that their last distributions differ only through what stands before. */
export const SELF_TEST_TEXTS: readonly [string, string] = [
  "The capital of Italy is Rome, and the capital of France is",
  "One, two, three, four. The number that follows is",
];

/** Tokens at the end of each sequence that are read one by one through the cache. */
export const SELF_TEST_STEPS = 4;

/** A tokenizer that knows few of the words gives ids too much alike to tell anything: then ids are spread instead. */
const FEWEST_DIFFERENT_IDS = 8;
const SPREAD_LENGTH = 12;
/** Multiples of the golden ratio fall evenly into [0, 1) modulo 1 (Weyl's sequence). */
const GOLDEN_RATIO = 0.618_033_988_749_894_9;

/** What PyTorch says of the last `SELF_TEST_STEPS` + 1 positions of a sequence. */
export interface ReferenceRows {
  readonly topIds: readonly number[];
  readonly topLogProbNats: readonly number[];
}

export interface SelfTestSequence {
  readonly tokenIds: Int32Array;
  readonly reference: ReferenceRows | null;
}

/**
 * The two sequences for a model, longer than `SELF_TEST_STEPS` + 1 tokens each, with one and the same last token.
 *
 * @param model - only the bundled model has a stored reference
 * @param vocabularySize - number of ids that may be given to the model
 */
export function selfTestSequences(
  model: { readonly id: string; readonly source: ModelSource["kind"] },
  tokenizer: ModelTokenizer,
  vocabularySize: number,
): readonly [SelfTestSequence, SelfTestSequence] {
  const [one, other] = SELF_TEST_TEXTS.map((text) => tokenizer.encode(text, true).ids);
  if (!one || !other || !isTelling(one) || !isTelling(other)) {
    return [0, 1].map((which) => spread(which, vocabularySize)) as [SelfTestSequence, SelfTestSequence];
  }
  const known = model.source === "bundled" && model.id === reference.model ? reference.sequences : [];
  const ending = Int32Array.from(other);
  ending[ending.length - 1] = one.at(-1) ?? 0;
  return [
    { tokenIds: one, reference: known[0] ?? null },
    { tokenIds: ending, reference: known[1] ?? null },
  ];
}

function isTelling(ids: Int32Array): boolean {
  return new Set(ids).size >= FEWEST_DIFFERENT_IDS;
}

/** Ids spread over the vocabulary, the last one shared. The lowest ids are left out: most tokenizers keep special tokens there. */
function spread(which: number, vocabularySize: number): SelfTestSequence {
  const lowest = Math.floor(vocabularySize / 16);
  const ids = Int32Array.from(
    { length: SPREAD_LENGTH },
    (_, at) =>
      lowest +
      Math.floor((vocabularySize - lowest) * (((at + 1 + which * SPREAD_LENGTH) * GOLDEN_RATIO) % 1)),
  );
  ids[SPREAD_LENGTH - 1] = vocabularySize - 1;
  return { tokenIds: ids, reference: null };
}
