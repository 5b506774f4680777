/** Words of an answer, each with the tokens it is made of, and what is new or lost against another answer. */
import { diffArrays } from "diff";

/** A token or a part of one: what was drawn, and how likely it was. Null where the probability is not known. */
export interface Piece {
  readonly text: string;
  readonly probability: number | null;
}

export interface Word {
  /** White space in front of it, line breaks included. */
  readonly lead: string;
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** Puts the tokens of an answer together to words. A token may hold half a word, several words, or only white space. */
export function wordsOf(tokens: readonly Piece[]): Word[] {
  const words: Word[] = [];
  let lead = "";
  let pieces: Piece[] = [];
  const close = () => {
    if (pieces.length > 0) words.push({ lead, text: pieces.map(({ text }) => text).join(""), pieces });
    if (pieces.length > 0) lead = "";
    pieces = [];
  };
  for (const token of tokens) {
    for (const part of token.text.split(/(\s+)/)) {
      if (part === "") continue;
      if (/^\s/.test(part)) {
        close();
        lead += part;
      } else pieces.push({ text: part, probability: token.probability });
    }
  }
  close();
  return words;
}

/** Words of a text whose tokens are not known. */
export function plainWords(text: string): Word[] {
  return wordsOf([{ text, probability: null }]);
}

export type DiffKind = "same" | "case" | "ins" | "del";

/** Neighbouring words of one kind, so that a line under them runs through. */
export interface DiffRun {
  readonly kind: DiffKind;
  readonly words: readonly Word[];
}

const bare = (text: string) => text.toLocaleLowerCase().replace(/[.,!?;:]+$/u, "");
const unmarked = (text: string) => text.replace(/[.,!?;:]+$/u, "");

/**
 * What an answer has that another had not ("ins"), what it lost ("del"), and which words came back in other
 * letters ("case"). Case and final marks do not make a word another one. Longest common subsequence (Myers).
 */
export function diffWords(from: readonly Word[], to: readonly Word[]): DiffRun[] {
  const parts = diffArrays([...from], [...to], { comparator: (a, b) => bare(a.text) === bare(b.text) });
  const runs: { kind: DiffKind; words: Word[] }[] = [];
  const put = (kind: DiffKind, word: Word) => {
    const last = runs.at(-1);
    if (last?.kind === kind) last.words.push(word);
    else runs.push({ kind, words: [word] });
  };
  let i = 0;
  let j = 0;
  for (const part of parts) {
    const count = part.value.length;
    if (part.removed === true) for (const word of from.slice(i, i + count)) put("del", word);
    else
      to.slice(j, j + count).forEach((word, n) => {
        const old = from[i + n];
        if (part.added === true || old === undefined) put("ins", word);
        else put(unmarked(old.text) === unmarked(word.text) ? "same" : "case", word);
      });
    if (part.added !== true) i += count;
    if (part.removed !== true) j += count;
  }
  return runs;
}

/** How deep the shading behind a token is: 0 (sure, plain paper) to 4. Limits 0.75, 0.6, 0.5, 0.4. */
export function doubtLevel(probability: number | null): 0 | 1 | 2 | 3 | 4 {
  if (probability === null || probability >= 0.75) return 0;
  return probability >= 0.6 ? 1 : probability >= 0.5 ? 2 : probability >= 0.4 ? 3 : 4;
}
