import { freeMatches, replaceSpans } from "../protected-text.ts";
import type { Draft, Family } from "./family.ts";
import { countOf, shareOf } from "./share.ts";

const LOWER = /\p{Ll}/gu;
const UPPER = /\p{Lu}/gu;

/** Letters with one capital each that leads back to them; "ß" and its like stay as they are. */
function hasCapital(letter: string): boolean {
  const capital = letter.toUpperCase();
  return capital !== letter && [...capital].length === 1 && capital.toLowerCase() === letter;
}

/** Capitals over a share of the small letters: from the front, from the back, or scattered. */
export const letterCase: Family<"letter-case"> = {
  id: "letter-case",
  name: "Letter case",
  what: "Capitals in place of small letters: from the front, from the back, or scattered.",
  scale: {
    min: 0,
    max: 100,
    step: 1,
    neutral: 0,
    unit: "% of the small letters",
    suggested: [25, 50, 100],
  },
  make: (text, strength, { choice }) => {
    const percent = strength ?? 0;
    const letters = freeMatches(text, LOWER).filter(({ start, end }) => hasCapital(text.slice(start, end)));
    const count = letters.length === 0 ? 0 : countOf(letters.length, percent);
    const make = (where: string, label: string, isChosen: (index: number) => boolean): Draft => {
      const place = { form: `${where}-${percent}`, label };
      return count === 0
        ? { ...place, reason: "There is no small letter that may become a capital." }
        : {
            ...place,
            text: replaceSpans(text, letters, (letter, index) =>
              isChosen(index) ? letter.toUpperCase() : null,
            ),
          };
    };
    if (percent === 100) return [make("all", "all in capitals", () => true)];
    const scattered = shareOf(letters.length, percent, choice("letters"));
    return [
      make("prefix", `the first ${percent} % in capitals`, (index) => index < count),
      make("suffix", `the last ${percent} % in capitals`, (index) => index >= letters.length - count),
      make("global", `${percent} % scattered capitals`, (index) => scattered.has(index)),
    ];
  },
};

/** All in small letters: a form of its own, since it has no degrees. */
export const smallLetters: Family<"small-letters"> = {
  id: "small-letters",
  name: "Small letters",
  what: "The whole text in small letters.",
  scale: null,
  make: (text) => {
    const place = { form: "all", label: "all in small letters" };
    const letters = freeMatches(text, UPPER).filter(({ start, end }) => {
      const small = text.slice(start, end).toLowerCase();
      return [...small].length === 1 && small.toUpperCase() === text.slice(start, end);
    });
    return letters.length === 0
      ? [{ ...place, reason: "There is no capital that may become a small letter." }]
      : [{ ...place, text: replaceSpans(text, letters, (letter) => letter.toLowerCase()) }];
  },
};
