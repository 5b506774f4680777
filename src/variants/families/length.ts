import { looksEnglish } from "../english-sentence.ts";
import { freeMatches, freeText, replaceSpans } from "../protected-text.ts";
import { NOT_ENGLISH, type Draft, type Family, type MakeContext } from "./family.ts";

/** Sentences that ask for nothing and add nothing. */
const FILLERS = [
  "I have been thinking about this for a while.",
  "There is something that I would like to ask.",
  "This came up in a conversation today.",
  "I am writing this down while I still remember it.",
  "It is not urgent.",
  "I hope that my wording is clear.",
  "A friend and I talked about it over lunch.",
  "There is no special reason behind it.",
  "I am simply curious.",
  "I did not want to forget about it.",
  "It has been on my mind since this morning.",
  "I was not sure how to put it, so I put it simply.",
  "Somebody mentioned it the other day.",
  "I thought that this was a good moment to bring it up.",
  "It is the only thing that I have for now.",
  "I have a cup of tea next to me and a quiet afternoon.",
  "The weather is calm here, so I have time for it.",
  "I usually write things like this on paper first.",
  "This time I am typing it at once.",
  "My notes about it are short.",
] as const;

/** Words and phrases whose loss leaves the request as it was. */
const DISPENSABLE =
  /(?:^|[ \t]+)(?:(?:please|kindly|simply|basically|actually|really|very|quite|just|in your own words|if you (?:can|could)|for me),?|(?:thank you(?: very much)?|thanks(?: in advance)?)[.!]*)(?![\p{L}\p{N}'’-])/giu;

/** The multiplier may be missed by this much, as in the paper's own rule for lengths. */
const TOLERANCE = 0.25;
/** A longer text is filled up to a little more than what is wanted, so that the mean is not below it. */
const OVERSHOOT = 1.1;

/**
 * A longer text by sentences that ask for nothing, a shorter one by leaving out courtesies and fillers. Shorter than
 * that would need an understanding of the text, so most texts cannot be shortened far.
 */
export const length: Family<"length"> = {
  id: "length",
  name: "Length",
  what: "Longer by idle sentences around the request, shorter by leaving out courtesies.",
  scale: {
    min: 0.25,
    max: 3,
    step: 0.25,
    neutral: 1,
    unit: "times the number of characters",
    suggested: [1.5, 2, 3],
  },
  make: (text, strength, context) => [draft(text, strength ?? 1, context)],
};

function draft(text: string, multiplier: number, context: MakeContext): Draft {
  const core = text.trim();
  const place = { form: String(multiplier), label: `${multiplier} times as long` };
  if (!looksEnglish(freeText(core))) return { ...place, reason: NOT_ENGLISH };
  const changed = multiplier > 1 ? longer(core, multiplier, context) : shorter(core);
  const reached = changed.length / core.length;
  if (Math.abs(reached / multiplier - 1) <= TOLERANCE && changed !== core) return { ...place, text: changed };
  const far = `These rules reach ${reached.toFixed(2)} times the length here`;
  return {
    ...place,
    reason:
      multiplier > 1
        ? `${far}; no idle sentence fits, or they have run out.`
        : `${far}; more would change what is asked.`,
  };
}

/** Sentences alternate before and behind the request; each comes at most once. */
function longer(core: string, multiplier: number, { choice }: MakeContext): string {
  const wanted = core.length * multiplier;
  const before: string[] = [];
  const after: string[] = [];
  let total = core.length;
  for (const index of choice("fillers").order(FILLERS.length)) {
    const filler = FILLERS[index] ?? "";
    // A sentence that overshoots is passed over for a shorter one.
    if (total + filler.length + 1 > OVERSHOOT * wanted) continue;
    (before.length <= after.length ? before : after).push(filler);
    total += filler.length + 1;
  }
  // A text of several lines may end in a frame to be filled, so nothing is put behind it.
  return core.includes("\n")
    ? [...before, ...after, ""].join(" ").trimEnd() + (before.length > 0 ? "\n" : "") + core
    : [...before, core, ...after].join(" ");
}

function shorter(core: string): string {
  const left = replaceSpans(core, freeMatches(core, DISPENSABLE), () => "").trim();
  return /^\p{Ll}/u.test(left) && /^\p{Lu}/u.test(core) ? left.charAt(0).toUpperCase() + left.slice(1) : left;
}
