/** A change that nobody would call a rewording; what it does to a model is the floor under its instability. */
export interface NullEdit {
  /** `null:` and the name of the edit. */
  readonly id: string;
  /** Name for people. */
  readonly label: string;
  readonly text: string;
}

const EDITS: readonly {
  readonly id: string;
  readonly label: string;
  readonly apply: (prompt: string) => string;
}[] = [
  { id: "null:trailing-space", label: "Space at the end", apply: (prompt) => `${prompt} ` },
  { id: "null:trailing-newline", label: "Line break at the end", apply: (prompt) => `${prompt}\n` },
  { id: "null:leading-space", label: "Space at the start", apply: (prompt) => ` ${prompt}` },
  { id: "null:doubled-blank-line", label: "Blank line doubled", apply: doubleBlankLine },
  { id: "null:leading-newline", label: "Line break at the start", apply: (prompt) => `\n${prompt}` },
  { id: "null:trailing-blank-line", label: "Blank line at the end", apply: (prompt) => `${prompt}\n\n` },
  { id: "null:two-trailing-spaces", label: "Two spaces at the end", apply: (prompt) => `${prompt}  ` },
  { id: "null:leading-blank-line", label: "Blank line at the start", apply: (prompt) => `\n\n${prompt}` },
];

/**
 * Null edits of a prompt: white space at its ends, or one more blank line where there is a blank line outside a
 * code fence. Never equal to the prompt or to each other; words, marks and the space between words stay as they
 * are. Made from the prompt alone, the same for every call.
 *
 * @param count - at most this many, the first ones. Only white space may change, so there are seven in all, eight
 *   where there is a blank line, and as few as four for a text of nothing but white space
 * @throws {RangeError} if `count` is negative or not whole
 * @example nullEdits("Hello", 1) // [{ id: "null:trailing-space", label: "Space at the end", text: "Hello " }]
 */
export function nullEdits(prompt: string, count: number): NullEdit[] {
  if (!Number.isInteger(count) || count < 0) throw new RangeError(`Cannot make ${count} null edits.`);
  const edits: NullEdit[] = [];
  const texts = new Set([prompt]);
  for (const { id, label, apply } of EDITS) {
    const text = apply(prompt);
    if (texts.has(text)) continue;
    texts.add(text);
    edits.push({ id, label, text });
  }
  return edits.slice(0, count);
}

/** White space inside a code fence can be meaning, so it is left alone. */
function doubleBlankLine(prompt: string): string {
  const fence = prompt.search(/^[ \t]*(?:```|~~~)/m);
  const open = fence < 0 ? prompt : prompt.slice(0, fence);
  return open.replace(/(?<=\S[ \t]*)(\r?\n)(?=\r?\n[^]*\S)/u, "$1$1") + prompt.slice(open.length);
}
