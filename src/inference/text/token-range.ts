/** Which tokens hold a given part of a text. */

/** GPT-2's byte-to-character table: printable Latin-1 stands for itself, the rest for U+0100 upwards. */
const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = (() => {
  const table = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte += 1) {
    const printable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
    table.set(String.fromCodePoint(printable ? byte : next++), byte);
  }
  return table;
})();

/**
 * Tokens [start, end) that hold any byte of `text.slice(from, to)`.
 *
 * Tokens of byte-level tokenizers spell the text's UTF-8 bytes, special tokens spell themselves; so adding up
 * their lengths gives exact positions. Null if the tokens do not spell the text (another kind of tokenizer, or
 * one that normalises), or if the part is empty.
 */
export function tokenRangeByBytes(
  tokens: readonly string[],
  isSpecial: (index: number) => boolean,
  text: string,
  from: number,
  to: number,
): readonly [number, number] | null {
  const utf8 = new TextEncoder();
  const bytes = utf8.encode(text);
  const first = utf8.encode(text.slice(0, from)).length;
  const last = utf8.encode(text.slice(0, to)).length;
  if (first >= last) return null;
  let position = 0;
  let start: number | null = null;
  let end = 0;
  for (const [i, token] of tokens.entries()) {
    const spelled = isSpecial(i) ? utf8.encode(token) : bytesOf(token);
    if (spelled === null || !spelled.every((byte, j) => bytes[position + j] === byte)) return null;
    const next = position + spelled.length;
    if (next > first && position < last) {
      start ??= i;
      end = i + 1;
    }
    position = next;
  }
  return position === bytes.length && start !== null ? [start, end] : null;
}

/**
 * The same for tokenizers that do not spell bytes: the ids before and after the part must be exactly those of
 * the surrounding text alone. Null where tokens reach over the border.
 */
export function tokenRangeByContext(
  ids: ArrayLike<number>,
  before: ArrayLike<number>,
  after: ArrayLike<number>,
): readonly [number, number] | null {
  const start = before.length;
  const end = ids.length - after.length;
  if (start >= end) return null;
  for (let i = 0; i < start; i += 1) if (ids[i] !== before[i]) return null;
  for (let i = 0; i < after.length; i += 1) if (ids[end + i] !== after[i]) return null;
  return [start, end];
}

function bytesOf(token: string): Uint8Array | null {
  const bytes: number[] = [];
  for (const character of token) {
    const byte = BYTE_OF_CHARACTER.get(character);
    if (byte === undefined) return null;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}
