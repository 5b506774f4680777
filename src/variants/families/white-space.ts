import { freeMatches, replaceSpans } from "../protected-text.ts";
import type { Draft, Family } from "./family.ts";

const WORDS_A_LINE = 6;

/** Line breaks and indents in place of spaces. Words, marks and protected text stay. */
export const whiteSpace: Family<"white-space"> = {
  id: "white-space",
  name: "White space",
  what: "Line breaks, indents and tabs in place of single spaces.",
  scale: null,
  make: (text) => {
    const gaps = freeMatches(text, /(?<=\S) (?=\S)/gu);
    const ends = freeMatches(text, /(?<=[.!?。？！؟]) (?=\S)/gu);
    const starts = freeMatches(text, /^(?=\S)/gmu);
    const draft = (form: string, label: string, reason: string | null, changed: () => string): Draft =>
      reason === null ? { form, label, text: changed() } : { form, label, reason };
    const noGap = gaps.length === 0 ? "There is no gap between words that may change." : null;
    return [
      draft("tabs", "tabs between words", noGap, () => replaceSpans(text, gaps, () => "\t")),
      draft(
        "wrapped",
        "broken into short lines",
        gaps.length < WORDS_A_LINE ? "The text is too short to be broken into lines." : null,
        () => replaceSpans(text, gaps, (_gap, index) => ((index + 1) % WORDS_A_LINE === 0 ? "\n" : null)),
      ),
      draft(
        "sentences",
        "a line for each sentence",
        ends.length === 0 ? "There is only one sentence." : null,
        () => replaceSpans(text, ends, () => "\n"),
      ),
      draft(
        "indented",
        "lines indented",
        // Indenting a line of protected text would change it.
        starts.length === text.split("\n").filter((line) => line.trim() !== "").length
          ? null
          : "The text holds code or a quotation at the start of a line.",
        () => replaceSpans(text, starts, () => "  "),
      ),
    ];
  },
};
