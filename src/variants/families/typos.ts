import { freeMatches, replaceSpans } from "../protected-text.ts";
import type { SeededChoice } from "../seeded-order.ts";
import type { Family } from "./family.ts";
import { shareOf } from "./share.ts";

/** Words in small Latin letters: names, short words and words of other scripts are left alone. */
const WORDS = /(?<![\p{L}\p{M}\p{N}'’_-])[a-z]{4,}(?![\p{L}\p{M}\p{N}'’_-])/gu;
/** A slip in one of these could turn the request around. */
const DECISIVE = new Set(
  "never none nothing neither nobody without except unless only cannot less more".split(" "),
);

/** Neighbours on a QWERTY keyboard. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  ...{ q: "wa", w: "qes", e: "wrd", r: "etf", t: "ryg", y: "tuh", u: "yij", i: "uok", o: "ipl", p: "ol" },
  ...{ a: "qsz", s: "awdx", d: "sefc", f: "drgv", g: "fthb", h: "gyjn", j: "hukm", k: "jil", l: "kop" },
  ...{ z: "asx", x: "zsdc", c: "xdfv", v: "cfgb", b: "vghn", n: "bhjm", m: "njk" },
};

/** One slip in some of the words: two letters swapped, one lost, one doubled, or the key beside it. */
export const typos: Family<"typos"> = {
  id: "typos",
  name: "Typing errors",
  what: "One slip in some of the words of four letters or more; names and numbers stay.",
  scale: { min: 0, max: 100, step: 1, neutral: 0, unit: "% of the words", suggested: [10, 25, 50] },
  make: (text, strength, { choice, labels }) => {
    const place = { form: String(strength), label: `typing errors in ${strength ?? 0} % of the words` };
    const carrying = new Set(labels.flatMap((label) => label.toLowerCase().split(/\s+/u)));
    const words = freeMatches(text, WORDS).filter(({ start, end }) => {
      const word = text.slice(start, end);
      return !DECISIVE.has(word) && !carrying.has(word);
    });
    if (words.length === 0) return [{ ...place, reason: "There is no word that may be misspelt safely." }];
    const chosen = shareOf(words.length, strength ?? 0, choice("words"));
    const changed = replaceSpans(text, words, (word, index) =>
      chosen.has(index) ? misspelt(word, choice(`slip/${index}`)) : null,
    );
    return [{ ...place, text: changed }];
  },
};

/** The first letter stays, since it carries most of what a reader recognises. */
function misspelt(word: string, choice: SeededChoice): string {
  const at = 1 + choice.integer(word.length - 2);
  const [letter = "", next = ""] = [word[at], word[at + 1]];
  switch (choice.integer(4)) {
    case 0:
      if (letter !== next) return word.slice(0, at) + next + letter + word.slice(at + 2);
      break;
    case 1:
      return word.slice(0, at) + word.slice(at + 1);
    case 2:
      return word.slice(0, at) + letter + word.slice(at);
  }
  const keys = NEIGHBOURS[letter] ?? "x";
  return word.slice(0, at) + (keys[choice.integer(keys.length)] ?? "x") + word.slice(at + 1);
}
