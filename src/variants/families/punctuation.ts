import { freeMatches, replaceSpans } from "../protected-text.ts";
import type { Draft, Family, MakeContext } from "./family.ts";

/** Marks at the end of a word, in several scripts; not the mark behind the number of a list. */
const MARKS = /(?<!^\s*\p{L}?\p{Nd}*)[.,;:!?…。、，？！؟،؛।]+(?=\s|$)/gmu;

/** Marks that are already there, repeated. No mark is removed, since a lost comma can change what is meant. */
export const punctuation: Family<"punctuation"> = {
  id: "punctuation",
  name: "Punctuation",
  what: "Marks that are there already, repeated.",
  scale: { min: 0, max: 20, step: 1, neutral: 0, unit: "extra marks", suggested: [2, 5, 10] },
  make: (text, strength, context) => [repeated(text, strength ?? 0, context)],
};

function repeated(text: string, strength: number, { choice }: MakeContext): Draft {
  const place = { form: String(strength), label: `${strength} extra ${strength === 1 ? "mark" : "marks"}` };
  const marks = freeMatches(text, MARKS);
  if (marks.length === 0) return { ...place, reason: "There is no mark at the end of a word to repeat." };
  const turn = new Map(
    choice("marks")
      .order(marks.length)
      .map((index, at) => [index, at]),
  );
  const changed = replaceSpans(text, marks, (mark, index) => {
    // The marks take turns, so that strength n + 1 is strength n and one more.
    const extra = Math.ceil((strength - (turn.get(index) ?? 0)) / marks.length);
    return extra > 0 ? mark + ([...mark].at(-1) ?? "").repeat(extra) : null;
  });
  return { ...place, text: changed };
}
