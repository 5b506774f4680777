/** A response counts as looping from this share of repeated four-word sequences on. */
export const LOOPING_SHARE = 0.5;
/** Shorter responses cannot be told to loop. */
export const LOOPING_MINIMAL_WORDS = 8;
const SEQUENCE = 4;

const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*`;
const TOKEN = new RegExp(String.raw`${UNSPACED}|[\p{L}\p{M}\p{N}]+|[^\s]`, "gu");

/**
 * Share of a text's four-word sequences that stood in it before. Case is ignored and digits are all one, so
 * that the same sentence under new list numbers counts as repeated. Marks are words of their own, and so is
 * each character of a script without spaces.
 *
 * Range [0, 1); 0 for a text shorter than five words.
 * @example repeatedShare("and then and then and then and then") // 0.6
 */
export function repeatedShare(text: string): number {
  const tokens =
    text
      .normalize("NFKC")
      .toLowerCase()
      .replace(/\p{N}+/gu, "0")
      .match(TOKEN) ?? [];
  const total = tokens.length - SEQUENCE + 1;
  if (total < 2) return 0;
  const seen = new Set<string>();
  for (let at = 0; at < total; at += 1) seen.add(tokens.slice(at, at + SEQUENCE).join(" "));
  return (total - seen.size) / total;
}

/** At least half of the four-word sequences are repetitions, in a text of at least eight words. */
export function isLooping(text: string): boolean {
  const words = text.match(TOKEN)?.length ?? 0;
  return words >= LOOPING_MINIMAL_WORDS && repeatedShare(text) >= LOOPING_SHARE;
}

/** Nothing but white space. */
export function isEmptyResponse(text: string): boolean {
  return text.trim() === "";
}

/** At least two responses, filled and all the same: a model that answers everything alike is only stable in name. */
export function isConstant(responses: readonly string[]): boolean {
  const [first, ...others] = responses;
  return first !== undefined && others.length > 0 && others.every((other) => other === first);
}
