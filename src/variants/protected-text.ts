/**
 * Text that no generator may change: one altered character would change what is asked, or break it.
 *
 * Code (fenced, inline, indented), mathematics in LaTeX marks, addresses, placeholders and tags, quotations, names
 * of variables, and whatever holds a digit. Found by marks alone, so a long quotation without closing mark is not
 * recognised, and some harmless text is protected too ("$5 and $" looks like mathematics).
 */
const KINDS: readonly string[] = [
  String.raw`(?:\x60{3}|~~~)[^]*?(?:\x60{3}|~~~|$(?![^]))`,
  String.raw`\x60[^\x60\n]+\x60`,
  String.raw`^(?: {4}|\t)[^\n]*\S[^\n]*$`,
  String.raw`\$\$[^]+?\$\$|\$[^$\n]{1,200}\$|\\\([^]+?\\\)|\\\[[^]+?\\\]`,
  String.raw`\b(?:https?:\/\/|www\.)[^\s<>"“”]*[^\s<>"“”.,;:!?)\]]`,
  String.raw`(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`,
  String.raw`\{\{[^{}]*\}\}|\{[^{}\n]*\}|<\/?[A-Za-z][^<>\n]*>|\[[A-Z][A-Z0-9_ ]*\]`,
  String.raw`%[sdif]\b|\$[A-Za-z_]\w*`,
  String.raw`(?<![\p{L}\p{N}])"(?=\S)(?:[^"\n]|\n(?!\s*\n)){1,2000}"(?![\p{L}\p{N}])`,
  String.raw`[“„][^“”„]{1,2000}[”“]|«[^«»]{1,2000}»|「[^「」]{1,2000}」|『[^『』]{1,2000}』`,
  String.raw`(?<![\p{L}\p{N}'’])['‘](?=[^\s'‘’])[^'‘’\n]{1,200}(?<=\S)['’](?![\p{L}\p{N}])`,
  String.raw`(?<![\p{L}\p{N}_])(?:[\p{L}\p{N}]+_[\p{L}\p{N}_]*|_+[\p{L}\p{N}][\p{L}\p{N}_]*|[a-z]+[A-Z][\p{L}\p{N}_]*)(?:\(\))?`,
  // "3", "−1,000.5", "10–20", "H2O", "5kg", "50%", "12:30", "1/2"
  String.raw`(?:(?<![\p{L}\p{N}_])[-−+$€£¥])?(?<![\p{L}\p{N}_])\p{L}*\p{Nd}[\p{L}\p{N}\p{M}_]*(?:[.,:/–-][\p{L}\p{N}_]+)*[%°]?`,
];
const PROTECTED = new RegExp(KINDS.join("|"), "gmu");

/** A stretch of a text in UTF-16 units: `end` is the first unit behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The protected stretches of a text, in order, without overlap. */
export function protectedSpans(text: string): Span[] {
  return [...text.matchAll(PROTECTED)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The protected stretches themselves. */
export function protectedTexts(text: string): string[] {
  return protectedSpans(text).map(({ start, end }) => text.slice(start, end));
}

/** Where a pattern matches without touching protected text. @param pattern - with the flag `g` */
export function freeMatches(text: string, pattern: RegExp): Span[] {
  const spans = protectedSpans(text);
  const matches: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [start, end] = [match.index, match.index + match[0].length];
    for (let span = spans[at]; span !== undefined && span.end <= start; span = spans[at]) at += 1;
    const next = spans[at];
    if (next === undefined || next.start >= end) matches.push({ start, end });
  }
  return matches;
}

/**
 * Replaces some stretches of a text.
 *
 * @param spans - without overlap, in order
 * @param replace - given a stretch's text and its place in the list; null leaves it as it is
 */
export function replaceSpans(
  text: string,
  spans: readonly Span[],
  replace: (part: string, index: number) => string | null,
): string {
  let result = "";
  let from = 0;
  for (const [index, { start, end }] of spans.entries()) {
    const part = text.slice(start, end);
    result += text.slice(from, start) + (replace(part, index) ?? part);
    from = end;
  }
  return result + text.slice(from);
}

/** Applies a change to the free parts of a text and leaves the protected ones as they are. */
export function changeFreeText(text: string, change: (part: string) => string): string {
  let result = "";
  let from = 0;
  for (const { start, end } of protectedSpans(text)) {
    result += change(text.slice(from, start)) + text.slice(start, end);
    from = end;
  }
  return result + change(text.slice(from));
}

/** The free parts of a text alone, joined by spaces. */
export function freeText(text: string): string {
  return replaceSpans(text, protectedSpans(text), () => " ");
}

/** Supplementary private use area A: no script, no case, no meaning. */
const FIRST_STAND_IN = 0xf0000;
const STAND_INS = 65_533;

/**
 * The text with each protected stretch as one character, for rules that move sentences about; `reveal` puts the
 * stretches back.
 *
 * @returns null where the text has more of them than there are stand-ins, or holds such characters itself
 */
export function hideProtected(
  text: string,
): { readonly hidden: string; reveal(changed: string): string } | null {
  const parts = protectedTexts(text);
  if (parts.length > STAND_INS || /[\u{f0000}-\u{ffffd}]/u.test(text)) return null;
  const hidden = replaceSpans(text, protectedSpans(text), (_part, index) =>
    String.fromCodePoint(FIRST_STAND_IN + index),
  );
  return {
    hidden,
    reveal: (changed) =>
      changed.replace(
        /[\u{f0000}-\u{ffffd}]/gu,
        (mark) => parts[(mark.codePointAt(0) ?? 0) - FIRST_STAND_IN] ?? mark,
      ),
  };
}
