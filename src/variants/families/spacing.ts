import { freeMatches, replaceSpans } from "../protected-text.ts";
import { shareOf } from "./share.ts";
import type { Family } from "./family.ts";

/** More spaces between words; line breaks, and the space inside protected text, stay as they are. */
export const spacing: Family<"spacing"> = {
  id: "spacing",
  name: "Spacing",
  what: "One to three extra spaces in some of the gaps between words.",
  scale: { min: 0, max: 100, step: 1, neutral: 0, unit: "% of the gaps", suggested: [20, 50, 100] },
  make: (text, strength, { choice }) => {
    const place = { form: String(strength), label: `extra spaces in ${strength ?? 0} % of the gaps` };
    const gaps = freeMatches(text, /(?<=\S) (?=\S)/gu);
    if (gaps.length === 0) return [{ ...place, reason: "There is no gap between words that may change." }];
    const chosen = shareOf(gaps.length, strength ?? 0, choice("gaps"));
    const widths = gaps.map((_, index) => 1 + choice(`width/${index}`).integer(3));
    const changed = replaceSpans(text, gaps, (gap, index) =>
      chosen.has(index) ? gap + " ".repeat(widths[index] ?? 1) : null,
    );
    return [{ ...place, text: changed }];
  },
};
