import { looksEnglish } from "../english-sentence.ts";
import { freeText, protectedSpans, replaceSpans, type Span } from "../protected-text.ts";
import { NOT_ENGLISH, type Draft, type Family } from "./family.ts";

const SMALL = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
  "seventeen eighteen nineteen"
).split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/** What makes a number part of something else: a calculation, a unit, a place in a list, a code, a date. */
const CALCULATION = /[=×÷^√∑∫]|\p{Nd}\s*[-+*/−<>≤≥]\s*[\p{Nd}(]/u;
const MONTH = "January|February|March|April|May|June|July|August|September|October|November|December";

/** Numbers in words, in digits, and with or without separators, where the number stays the same. */
export const numberFormat: Family<"number-format"> = {
  id: "number-format",
  name: "Number formats",
  what: "“12” as “twelve”, “twelve” as “12”, “20000” as “20,000”, or the other way round.",
  scale: null,
  make: (text) => {
    const refused = CALCULATION.test(text)
      ? "The text holds a calculation, where the way a number is written may matter."
      : null;
    const draft = (form: string, label: string, reason: string, change: (text: string) => string): Draft => {
      if (refused !== null) return { form, label, reason: refused };
      const changed = change(text);
      return changed === text ? { form, label, reason } : { form, label, text: changed };
    };
    const english = looksEnglish(freeText(text));
    return [
      english
        ? draft("words", "numbers in words", "There is no number from 2 to 99 that stands alone.", inWords)
        : { form: "words", label: "numbers in words", reason: NOT_ENGLISH },
      english
        ? draft(
            "digits",
            "numbers in digits",
            "There is no number in words from two to ninety-nine.",
            inDigits,
          )
        : { form: "digits", label: "numbers in digits", reason: NOT_ENGLISH },
      draft(
        "separators",
        "thousands separators changed",
        "There is no number of five digits or more, nor one with separators.",
        otherSeparators,
      ),
    ];
  },
};

/** Protected stretches that are nothing but digits and separators, so not inside code, quotations or addresses. */
function plainNumbers(text: string, pattern: RegExp): Span[] {
  return protectedSpans(text).filter(({ start, end }) => pattern.test(text.slice(start, end)));
}

function inWords(text: string): string {
  const standsAlone = ({ start, end }: Span) =>
    /(?:^|[\s(])$/u.test(text.slice(0, start)) &&
    // "2." at the start of a line is a place in a list; "%", a unit or a bracket belongs to the number.
    !/(?:^|\n)\s*$/u.test(text.slice(0, start)) &&
    /^(?:[.,;:!?]?(?:\s|$)|\))/u.test(text.slice(end)) &&
    !/^\s*(?:%|°|[a-zA-Z]{1,2}\b(?<!\b(?:of|in|is|to|or|if|at|as|by|on|do|we|it|my|no|so|up|us|he|me|be|an|am|a|I)))/u.test(
      text.slice(end),
    ) &&
    !new RegExp(`^\\s+(?:${MONTH})\\b`, "u").test(text.slice(end)) &&
    !new RegExp(
      `(?:${MONTH}|number|no\\.|chapter|page|version|option|step|section|figure|table|level|type|grade|apollo)\\s+$`,
      "iu",
    ).test(text.slice(0, start));
  return replaceSpans(text, plainNumbers(text, /^[1-9]\d?$/u).filter(standsAlone), (digits) => {
    const value = Number(digits);
    return value < 2 ? null : numberInWords(value);
  });
}

/** @param value - a whole number, 0 … 99 */
export function numberInWords(value: number): string {
  const small = SMALL[value];
  if (small !== undefined) return small;
  const tens = TENS[Math.floor(value / 10) - 2] ?? "";
  return value % 10 === 0 ? tens : `${tens}-${SMALL[value % 10] ?? ""}`;
}

const WORDS = new Map<string, number>(
  // "One" is as often a pronoun, and "zero" an idiom.
  Array.from({ length: 98 }, (_, index) => [numberInWords(index + 2), index + 2]),
);
const IN_WORDS = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${[...WORDS.keys()].sort((a, b) => b.length - a.length).join("|")})(?![\\p{L}\\p{N}-])(?!\\s+(?:hundred|thousand|million|billion|trillion|and a half|point)\\b)`,
  "giu",
);

function inDigits(text: string): string {
  const spans = protectedSpans(text);
  const free = [...text.matchAll(IN_WORDS)]
    .map((match) => ({ start: match.index, end: match.index + match[0].length }))
    .filter(({ start, end }) => spans.every((span) => span.end <= start || span.start >= end))
    // A capital inside a sentence is a title: "Seven Samurai".
    .filter(
      ({ start }) => !/^\p{Lu}/u.test(text.slice(start)) || /(?:^|[.!?]\s+)$/u.test(text.slice(0, start)),
    );
  return replaceSpans(text, free, (word) => {
    const value = WORDS.get(word.toLowerCase());
    return value === undefined ? null : String(value);
  });
}

function otherSeparators(text: string): string {
  const isGrouped = /^\d{1,3}(?:,\d{3})+$/u;
  return replaceSpans(text, plainNumbers(text, /^(?:\d{5,15}|\d{1,3}(?:,\d{3})+)$/u), (digits) => {
    if (isGrouped.test(digits)) return digits.replaceAll(",", "");
    // A leading zero makes it a code, not a quantity.
    return digits.startsWith("0") ? null : digits.replace(/\B(?=(?:\d{3})+$)/gu, ",");
  });
}
