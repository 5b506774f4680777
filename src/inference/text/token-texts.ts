/** Tokens kept in front of a decoded window, so that decoders which treat the first token apart see none first. */
const LEAD = 4;
const BROKEN = "\uFFFD";

/**
 * The text of each token, such that the texts joined give the text of all.
 *
 * A character whose bytes are spread over several tokens belongs to the token that completes it; the earlier
 * ones get "". Tokens are decoded in a sliding window, so the cost is linear in their number.
 *
 * @param decode - the tokenizer's decoding of a list of ids
 */
export function tokenTexts(ids: readonly number[], decode: (ids: readonly number[]) => string): string[] {
  const texts: string[] = [];
  let windowStart = 0;
  let told = "";
  for (let i = 0; i < ids.length; i += 1) {
    const text = decode(ids.slice(windowStart, i + 1));
    const last = i === ids.length - 1;
    const complete = last || !text.endsWith(BROKEN);
    if (!complete || !text.startsWith(told)) {
      // An unfinished character, or a decoder that rewrites what came before: wait for the next token.
      texts.push(last ? text.slice(commonPrefix(text, told)) : "");
      continue;
    }
    texts.push(text.slice(told.length));
    const nextStart = Math.max(windowStart, i + 1 - LEAD);
    const lead = decode(ids.slice(nextStart, i + 1));
    // A window may only start where decoding from there agrees with what has been told.
    if (nextStart > windowStart && text.endsWith(lead) && !lead.startsWith(BROKEN)) {
      windowStart = nextStart;
      told = lead;
    } else told = text;
  }
  return texts;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
