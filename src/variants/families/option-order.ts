import type { Draft, Family, MakeContext } from "./family.ts";

/** "A) …", "(b) …", "3. …", "- …" at the start of a line. */
const OPTION_LINE = /^[ \t]*(?:\(?(?:[A-Za-z]|\d{1,2})[).:]|[-*•])[ \t]+\S/u;
const POINTS_AT_PLACES =
  /\b(?:(?:all|none|both|neither|either|any|each) of the (?:above|below|following|others)|(?:the )?(?:first|second|third|last|former|latter|previous|next) (?:option|answer|choice|one)|above|below)\b/iu;

/**
 * The options of a multiple choice in another order. Each option keeps its own letter or number, so that the right
 * answer stays the same, whether it is given as a letter or as a text. In a classification, two labels that are
 * named side by side ("positive or negative") change places.
 */
export const optionOrder: Family<"option-order"> = {
  id: "option-order",
  name: "Order of options",
  what: "The options of a multiple choice in another order, each with its own letter.",
  scale: null,
  make: (text, _strength, context) => {
    const block = optionBlock(text);
    if (block === null) return [swappedLabels(text, context)];
    const reason = POINTS_AT_PLACES.test(block.options.join("\n"))
      ? "An option points at the place of others, so their order carries meaning."
      : null;
    const draft = (form: string, label: string, order: readonly string[]): Draft =>
      reason === null
        ? { form, label, text: [...block.before, ...order, ...block.after].join("\n") }
        : { form, label, reason };
    const rotated = [...block.options.slice(1), ...block.options.slice(0, 1)];
    const shuffled = context
      .choice("options")
      .order(block.options.length)
      .map((index) => block.options[index] ?? "");
    return [
      draft("reversed", "options in reverse", [...block.options].reverse()),
      draft("rotated", "first option last", rotated),
      draft("shuffled", "options shuffled", shuffled),
    ];
  },
};

/** The longest run of at least two option lines. */
function optionBlock(
  text: string,
): { readonly before: string[]; readonly options: string[]; readonly after: string[] } | null {
  // Fenced code may look like a list.
  if (/```|~~~/u.test(text)) return null;
  const lines = text.split("\n");
  let best = { start: 0, end: 0 };
  for (let start = 0; start < lines.length; start += 1) {
    let end = start;
    while (end < lines.length && OPTION_LINE.test(lines[end] ?? "")) end += 1;
    if (end - start > best.end - best.start) best = { start, end };
    start = Math.max(start, end);
  }
  const { start, end } = best;
  if (end - start < 2) return null;
  const isOrdered = lines
    .slice(start, end)
    .every((line) => /^[ \t]*\(?(?:[A-Za-z]|\d{1,2})[).:]/u.test(line));
  // Numbered lines may be steps in order; letters, and bullets under a question, are options.
  const isSteps =
    isOrdered && /^[ \t]*\(?\d/u.test(lines[start] ?? "") && !/\?/u.test(lines.slice(0, start).join("\n"));
  return isSteps
    ? null
    : { before: lines.slice(0, start), options: lines.slice(start, end), after: lines.slice(end) };
}

function swappedLabels(text: string, { labels }: MakeContext): Draft {
  const place = { form: "labels", label: "labels in the other order" };
  const pattern = labels
    .map((label) => label.replace(/[\\^$.*+?()[\]{}|/-]/gu, String.raw`\$&`))
    .sort((a, b) => b.length - a.length)
    .join("|");
  if (pattern === "") return { ...place, reason: "The text lists no options." };
  const changed = text.replace(
    new RegExp(`(?<![\\p{L}\\p{N}])(${pattern})((?:,? or |/| \\| |, ))(${pattern})(?![\\p{L}\\p{N}])`, "giu"),
    (_whole, first: string, between: string, second: string) => `${second}${between}${first}`,
  );
  return changed === text
    ? { ...place, reason: "The text does not name two labels side by side." }
    : { ...place, text: changed };
}
