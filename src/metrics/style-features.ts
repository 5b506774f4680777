import {
  ARTICLES,
  AUXILIARIES,
  OPENING_VERBS,
  PERSONAL_PRONOUNS,
  POLITE_WORDS,
  PREPOSITIONS,
} from "./style-lexicons.ts";

/** What the features are computed from, prepared once for each text. */
interface Reading {
  readonly text: string;
  /** Code points. */
  readonly length: number;
  readonly words: readonly string[];
  readonly sentences: readonly string[];
  readonly lines: readonly string[];
}

export interface StyleFeature {
  readonly id: string;
  /** Name for people. */
  readonly label: string;
  readonly unit: string;
  /**
   * R_f: the difference at which two texts count as wholly unlike in this feature. Set once, between ordinary
   * prose and prose written to show the feature, so that similarities are comparable over runs.
   */
  readonly range: number;
}

const features: readonly (StyleFeature & { readonly of: (reading: Reading) => number })[] = [
  { id: "capitals", label: "Capital letters", unit: "% of letters", range: 50, of: capitals },
  {
    id: "repeated-punctuation",
    label: "Repeated punctuation",
    unit: "per 100 characters",
    range: 5,
    of: ({ text, length }) => per100(count(text, /([!?.,;:…~*_-])\1+|[!?]{2,}/gu), length),
  },
  {
    id: "extra-spaces",
    label: "Extra spaces",
    unit: "per 100 characters",
    range: 20,
    of: ({ text, length }) => per100(extraSpaces(text), length),
  },
  {
    id: "length",
    label: "Length",
    unit: "ln(1 + words)",
    range: 3,
    of: ({ words }) => Math.log1p(words.length),
  },
  lexical("pronouns", "Personal pronouns", PERSONAL_PRONOUNS, 15),
  lexical("articles", "Articles", ARTICLES, 15),
  lexical("auxiliaries", "Auxiliary verbs", AUXILIARIES, 15),
  lexical("prepositions", "Prepositions", PREPOSITIONS, 20),
  {
    id: "contractions",
    label: "Contractions",
    unit: "per 100 words",
    range: 10,
    of: ({ words }) => per100(words.filter((word) => CONTRACTION.test(word)).length, words.length),
  },
  lexical("politeness", "Polite words", POLITE_WORDS, 15),
  {
    id: "questions",
    label: "Questions",
    unit: "% of sentences",
    range: 100,
    of: ({ sentences }) =>
      per100(sentences.filter((it) => /[?？؟]\P{L}*$/u.test(it)).length, sentences.length),
  },
  {
    id: "imperatives",
    label: "Commands",
    unit: "% of sentences",
    range: 100,
    of: ({ sentences }) => per100(sentences.filter(isImperative).length, sentences.length),
  },
  {
    id: "lists",
    label: "List and markdown marks",
    unit: "% of lines",
    range: 100,
    of: ({ lines }) => per100(lines.filter((line) => MARKED_LINE.test(line)).length, lines.length),
  },
];

/** The features by which the style of a prompt and of an answer are compared, in the order of all vectors. */
export const STYLE_FEATURES: readonly StyleFeature[] = features.map(({ id, label, unit, range }) => ({
  id,
  label,
  unit,
  range,
}));

/**
 * Style of a text as a vector over {@link STYLE_FEATURES}, in their units. Rates over nothing (no letters, no
 * words) are 0, so an empty text is the zero vector.
 *
 * @example styleVector("the CAPITAL of FRANCE is Paris")[0] // 56 (% of letters in capitals)
 */
export function styleVector(text: string): Float64Array {
  const reading = read(text);
  return Float64Array.from(features, (feature) => feature.of(reading));
}

/**
 * How alike two texts are in style: 1 − mean over features of min(1, |f(a) − f(b)| / R_f).
 *
 * Range [0, 1]; 1 for equal vectors; symmetric.
 */
export function styleSimilarity(a: Float64Array, b: Float64Array): number {
  let unlike = 0;
  for (const [at, { range }] of STYLE_FEATURES.entries()) {
    unlike += Math.min(1, Math.abs((a[at] ?? 0) - (b[at] ?? 0)) / range);
  }
  return 1 - unlike / STYLE_FEATURES.length;
}

/** Words of a text in lower case: letters, digits and inner apostrophes, curly ones made straight. */
export function styleWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu) ?? []
  );
}

function read(text: string): Reading {
  return {
    text,
    length: [...text].length,
    words: styleWords(text),
    sentences: (text.match(/[^.!?。？！؟\n]+[.!?。？！؟]*/gu) ?? [])
      .map((it) => it.trim())
      .filter((it) => /[\p{L}\p{N}]/u.test(it)),
    lines: text.split(/\r?\n/).filter((line) => line.trim() !== ""),
  };
}

const CONTRACTION = /'(?:s|t|re|ve|ll|d|m)$/;
/** A bullet, a number with a mark, a heading, a quote, a table row, a fence, or bold, italic or code inside. */
const MARKED_LINE = /^\s*(?:[-*+•–]\s|\d+[.)]\s|#{1,6}\s|>\s|\||```)|\*\*[^*\n]+\*\*|`[^`\n]+`/u;

function per100(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Spaces beyond the first in every run of them, indentation at the start of a line aside. */
export function extraSpaces(text: string): number {
  const runs = text.match(/(?<=\S)[ \t\u00a0]{2,}(?=\S)/gu) ?? [];
  return runs.reduce((sum, run) => sum + run.length - 1, 0);
}

function capitals({ text }: Reading): number {
  const upper = count(text, /[\p{Lu}\p{Lt}]/gu);
  return per100(upper, upper + count(text, /\p{Ll}/gu));
}

function isImperative(sentence: string): boolean {
  const [first, second] = styleWords(sentence).filter((word) => word !== "please" && word !== "kindly");
  return (
    first !== undefined && (OPENING_VERBS.has(first) || (first === "just" && OPENING_VERBS.has(second ?? "")))
  );
}

function lexical(id: string, label: string, lexicon: ReadonlySet<string>, range: number) {
  const of = ({ words }: Reading) => per100(words.filter((word) => lexicon.has(word)).length, words.length);
  return { id, label, unit: "per 100 words", range, of };
}
