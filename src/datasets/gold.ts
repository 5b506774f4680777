import type { DatasetKind } from "./schema";

/** "−" (U+2212) is a minus, too; a hyphen after a letter or digit ("10-20", "H-2") is not. */
const MINUS = String.raw`(?<![\p{L}\p{N}])[-\u2212]`;
/** Taken before words, so that "5km" is "5 km"; digits inside a word ("H2O") stay there. */
const NUMBER = String.raw`(?:${MINUS})?\d+(?:[.,]\d+)*`;
/** Scripts written without spaces: each character is a word, so that a gold answer can be found inside a run. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*`;
const WORD = new RegExp(String.raw`${NUMBER}|${UNSPACED}|[\p{L}\p{N}\p{M}]+`, "gu");

const ARTICLES = new Set(["a", "an", "the"]);
const UP_TO_NINETEEN = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
  "seventeen eighteen nineteen"
).split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/**
 * Is the response right?
 *
 * - `short-answer` and `free-text` with gold: one of the gold answers stands in the response as a sequence of
 *   whole words.
 * - `classification`: of all the labels, the first one that the response mentions is a gold one (where two
 *   labels begin at the same word, the longer one counts).
 *
 * Both sides are compared after Unicode NFKC, without regard to case, English articles, punctuation and
 * thousands separators, and with English numbers up to ninety-nine as digits. A single letter ("A", "D") is
 * looked for in its own case, articles included, since as a small letter it would be found everywhere.
 *
 * This looks at words only. Negation is not understood ("It is not Paris" matches "Paris"; "not positive"
 * counts as "positive"), nor an answer that names several candidates, nor a question repeated before the answer.
 *
 * @param response - the model's answer, as generated
 * @param gold - accepted answers, any of which is right
 * @param labels - the labels of a classification; the gold labels alone if absent
 * @returns `null` when there is no gold answer to compare with
 * @example matchesGold("It has twelve of them.", ["12"], "short-answer") // true
 */
export function matchesGold(
  response: string,
  gold: readonly string[] | undefined,
  kind: DatasetKind,
  labels: readonly string[] = [],
): boolean | null {
  const answers = (gold ?? []).filter((answer) => comparableText(answer) !== "");
  if (answers.length === 0) return null;
  if (kind !== "classification") return answers.some((answer) => firstMention(response, answer) !== null);
  const first = firstLabel(response, [...labels, ...answers]);
  return first !== null && answers.some((answer) => comparableText(answer) === comparableText(first));
}

/**
 * A text in the form in which two answers are compared: words in lower case, joined by single spaces.
 *
 * @returns "" when the text has no letter and no digit
 * @example comparableText("The Twenty-One  Guns!") // "21 guns"
 */
export function comparableText(text: string): string {
  const words = wordsOf(text);
  return words.length === 1 ? words.join("") : withoutArticles(words).join(" ") || words.join(" ");
}

interface Mention {
  /** Index of the first word of the mention among the response's words, articles counted. */
  start: number;
  words: number;
}

function firstLabel(response: string, labels: readonly string[]): string | null {
  let best: { label: string; mention: Mention } | null = null;
  for (const label of labels) {
    const mention = firstMention(response, label);
    if (mention === null) continue;
    const earlier = best === null || mention.start < best.mention.start;
    const longer =
      best !== null && mention.start === best.mention.start && mention.words > best.mention.words;
    if (earlier || longer) best = { label, mention };
  }
  return best === null ? null : best.label;
}

function firstMention(response: string, answer: string): Mention | null {
  const letter = singleLetter(answer);
  if (letter !== null) {
    const start = rawWordsOf(response).indexOf(letter);
    return start < 0 ? null : { start, words: 1 };
  }
  const sought = comparableText(answer).split(" ");
  const indexed = wordsOf(response).map((word, index) => ({ word, index }));
  const kept = sought.every((word) => ARTICLES.has(word))
    ? indexed
    : indexed.filter(({ word }) => !ARTICLES.has(word));
  for (const [at, entry] of kept.entries()) {
    if (sought.every((word, offset) => kept[at + offset]?.word === word)) {
      return { start: entry.index, words: sought.length };
    }
  }
  return null;
}

function singleLetter(answer: string): string | null {
  const [word, ...more] = rawWordsOf(answer);
  return word !== undefined && more.length === 0 && /^[A-Za-z]$/.test(word) ? word : null;
}

const withoutArticles = (words: string[]) => words.filter((word) => !ARTICLES.has(word));

/** Words in the text's own case; an apostrophe inside a word is dropped ("don’t" is one word). */
function rawWordsOf(text: string): string[] {
  const joined = text.normalize("NFKC").replace(/(?<=\p{L})['’](?=\p{L})/gu, "");
  return joined.match(WORD) ?? [];
}

function wordsOf(text: string): string[] {
  return numbersAsDigits(rawWordsOf(text).map((word) => plainNumber(word.toLowerCase())));
}

/** "1,000" is "1000", "−5" is "-5", "7.0" stays as it is; what is not a number is unchanged. */
function plainNumber(word: string): string {
  const signed = word.replace("\u2212", "-");
  return /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(signed) ? signed.replaceAll(",", "") : signed;
}

function numbersAsDigits(words: string[]): string[] {
  const digits: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const small = UP_TO_NINETEEN.indexOf(word);
    const tens = (TENS.indexOf(word) + 2) * 10;
    const unit = UP_TO_NINETEEN.indexOf(words[at + 1] ?? "");
    if (small >= 0) {
      digits.push(String(small));
    } else if (tens < 20) {
      digits.push(word);
    } else if (unit >= 1 && unit <= 9) {
      digits.push(String(tens + unit));
      at += 1;
    } else {
      digits.push(String(tens));
    }
  }
  return digits;
}
