import { changeFreeText } from "../protected-text.ts";
import type { Draft, Family } from "./family.ts";

/** Written in full and contracted. Only pairs that read the same in every place where the pattern finds them. */
const NEGATIONS: readonly (readonly [full: string, short: string])[] = [
  ["is not", "isn't"],
  ["are not", "aren't"],
  ["was not", "wasn't"],
  ["were not", "weren't"],
  ["do not", "don't"],
  ["does not", "doesn't"],
  ["did not", "didn't"],
  ["have not", "haven't"],
  ["has not", "hasn't"],
  ["had not", "hadn't"],
  ["cannot", "can't"],
  ["could not", "couldn't"],
  ["will not", "won't"],
  ["would not", "wouldn't"],
  ["should not", "shouldn't"],
  ["must not", "mustn't"],
];
const PRONOUNS: readonly (readonly [full: string, short: string])[] = [
  ["I am", "I'm"],
  ["you are", "you're"],
  ["we are", "we're"],
  ["they are", "they're"],
  ["I have", "I've"],
  ["you have", "you've"],
  ["we have", "we've"],
  ["they have", "they've"],
  ["I will", "I'll"],
  ["you will", "you'll"],
  ["it will", "it'll"],
  ["we will", "we'll"],
  ["they will", "they'll"],
];
/** "'s" is also "has" and a possessive, so it is opened only before a word that rules both out. */
const BE_OPENERS = "what|where|who|how|it|that|there|here|he|she";
const BEFORE_BE = "the|a|an|my|your|his|her|our|their|not|so|too|very|this|that";
/** A contraction cannot end a clause ("tell me who they are"), and "have" as a full verb is not contracted. */
const GOES_ON = String.raw`(?= (?!to\b|a\b|an\b|the\b|no\b|any\b|some\b)\p{L})`;
const EDGE = String.raw`(?<![\p{L}\p{N}'’])`;

const CONTRACT: readonly (readonly [RegExp, string])[] = [
  ...NEGATIONS.map(([full, short]) => [new RegExp(`${EDGE}${full}(?= \\p{L})`, "giu"), short] as const),
  ...PRONOUNS.map(
    ([full, short]) =>
      [
        new RegExp(`${EDGE}${full}${full.endsWith("have") ? GOES_ON : String.raw`(?= \p{L})`}`, "giu"),
        short,
      ] as const,
  ),
  [new RegExp(`${EDGE}(${BE_OPENERS}) is(?= (?:${BEFORE_BE})\\b)`, "giu"), "$1's"],
];
const EXPAND: readonly (readonly [RegExp, string])[] = [
  ...[...NEGATIONS, ...PRONOUNS].map(
    ([full, short]) =>
      [new RegExp(`${EDGE}${short.replace("'", "['’]")}(?![\\p{L}\\p{N}'’])`, "giu"), full] as const,
  ),
  [new RegExp(`${EDGE}(${BE_OPENERS})['’]s(?= (?:${BEFORE_BE})\\b)`, "giu"), "$1 is"],
  [new RegExp(`${EDGE}let['’]s(?= \\p{L})`, "giu"), "let us"],
];

/** "do not" and "don't": all that can be changed safely, in either direction. */
export const contractions: Family<"contractions"> = {
  id: "contractions",
  name: "Contractions",
  what: "“Do not” as “don't”, or the other way round.",
  scale: null,
  make: (text) => [
    draft(text, CONTRACT, "short", "contracted", "There is nothing to contract."),
    draft(
      text,
      EXPAND,
      "full",
      "written in full",
      "There is no contraction that is certain to open one way.",
    ),
  ],
};

function draft(
  text: string,
  rules: readonly (readonly [RegExp, string])[],
  form: string,
  label: string,
  reason: string,
): Draft {
  const changed = changeFreeText(text, (part) =>
    rules.reduce(
      (result, [pattern, replacement]) =>
        result.replace(pattern, (found: string, first: unknown) => {
          const opener = typeof first === "string" ? first : "";
          return inCaseOf(found, replacement.replace("$1", opener));
        }),
      part,
    ),
  );
  return changed === text ? { form, label, reason } : { form, label, text: changed };
}

/** As what it replaces: all in capitals, or with a capital first. */
function inCaseOf(model: string, text: string): string {
  const letters = model.replace(/[^\p{L}]/gu, "");
  if (letters.length > 2 && letters === letters.toUpperCase()) return text.toUpperCase();
  return /^\p{Lu}/u.test(model) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
