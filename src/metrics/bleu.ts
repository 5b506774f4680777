import { countNgrams, sharedCount, totalCount } from "./ngrams.ts";

/** Longest word sequence that counts. */
const ORDER = 4;

/**
 * Sentence BLEU with the tokens and the exponential smoothing of sacreBLEU's defaults.
 *
 * Range [0, 100]; not symmetric: the reference sets the length that is not penalised. With `effectiveOrder` false
 * (the default of sacreBLEU's corpus score) identical texts of fewer than four tokens score 0; true averages only
 * over the orders that the hypothesis is long enough for.
 * @see Papineni et al. 2002; Post 2018 (sacreBLEU), whose values it reproduces
 * @example bleu("the cat sat on the mat", "the cat is on the mat", { effectiveOrder: false }) // 37.991784…
 */
export function bleu(
  hypothesis: string,
  reference: string,
  { effectiveOrder }: { readonly effectiveOrder: boolean },
): number {
  const guess = tokens13a(hypothesis);
  const truth = tokens13a(reference);
  const precisions: number[] = [];
  let halving = 1;
  let anyMatch = false;
  for (let order = 1; order <= ORDER; order += 1) {
    const guessed = countNgrams(guess, order);
    const total = totalCount(guessed);
    if (total === 0) break;
    const correct = sharedCount(guessed, countNgrams(truth, order));
    anyMatch ||= correct > 0;
    // Orders without a match get 1/2, 1/4, … of one match, so that one gap does not zero the product.
    if (correct === 0) halving *= 2;
    precisions.push(correct === 0 ? 1 / (halving * total) : correct / total);
  }
  if (!anyMatch || (!effectiveOrder && precisions.length < ORDER)) return 0;
  const brevity = guess.length < truth.length ? Math.exp(1 - truth.length / guess.length) : 1;
  const logs = precisions.reduce((sum, precision) => sum + Math.log(precision), 0);
  return 100 * brevity * Math.exp(logs / precisions.length);
}

/** Tokens of the mteval-v13a script: marks of ASCII apart, full stops and commas apart except inside numbers. */
export function tokens13a(text: string): string[] {
  const line = text
    .replace(/\s+$/u, "")
    .replaceAll("<skipped>", "")
    .replaceAll("-\n", "")
    .replaceAll("\n", " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return ` ${line} `
    .replace(/([{-~[-` -&(-+:-@/])/g, " $1 ")
    .replace(/([^0-9])([.,])/gu, "$1 $2 ")
    .replace(/([.,])([^0-9])/gu, " $1 $2")
    .replace(/([0-9])(-)/g, "$1 $2 ")
    .split(/\s+/u)
    .filter((token) => token !== "");
}
