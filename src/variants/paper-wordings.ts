import {
  generateVariants,
  variantFamilies,
  type FamilyId,
  type GeneratedVariant,
  type GenerateOptions,
} from "./generate-variants.ts";
import { seededChoice } from "./seeded-order.ts";

/** The paper's families that have strengths, with those used here: its own ranges, few steps. */
const DOSED: readonly { readonly family: FamilyId; readonly strengths: readonly number[] }[] = [
  { family: "politeness", strengths: [-10, -5, 5, 10] },
  { family: "spacing", strengths: [20, 50, 100] },
  { family: "punctuation", strengths: [2, 5, 10, 20] },
  { family: "letter-case", strengths: [25, 50, 100] },
  { family: "length", strengths: [1.5, 2, 3] },
];
/** Strengths of the one family that a question has in several: fewer than three show no trend. */
const STRENGTHS_IN_FOCUS = 3;

/** Most wordings that {@link paperWordings} makes: one family three times, four others once, and one sentence form. */
export const PAPER_WORDINGS = STRENGTHS_IN_FOCUS + DOSED.length;

export type PaperWording = Extract<GeneratedVariant, { readonly reason: null }>;

/**
 * The paper's families of one question by rule: every family once, and one of them, in turns over the questions, in
 * three strengths, so that a set of questions covers all strengths and shows trends with eight wordings a question.
 *
 * A family that cannot change a text in the strength whose turn it is takes its next strength; one that cannot change
 * it at all is left out, so there may be fewer than {@link PAPER_WORDINGS}. The same arguments give the same wordings on
 * every machine.
 *
 * @param place - the question's place in its set, 0, 1, …: whose turn it is
 * @see arXiv:2610.01428: politeness, spacing, punctuation, letter case, length, sentence form. Its length and
 *   sentence form were rewritten by a language model, here by rule
 */
export function paperWordings(prompt: string, place: number, options: GenerateOptions): PaperWording[] {
  const turn = place + seededChoice(`${options.seed}/paper-wordings`).integer(DOSED.length);
  const round = Math.floor(turn / DOSED.length);
  const dosed = DOSED.flatMap(({ family, strengths }, at) => {
    const wanted = at === turn % DOSED.length ? STRENGTHS_IN_FOCUS : 1;
    // Within a round each family's other strengths come at different questions than its neighbour's.
    return take(prompt, family, rotated(strengths, turn + round + at), wanted, turn, options);
  });
  const forms = made(prompt, "sentence-form", undefined, options);
  const form = forms[turn % Math.max(1, forms.length)];
  const order = variantFamilies().map(({ id }) => id);
  return [...dosed, ...(form ? [form] : [])].sort(
    (a, b) => order.indexOf(a.family) - order.indexOf(b.family) || (a.strength ?? 0) - (b.strength ?? 0),
  );
}

/** The first strengths that make a wording; of several forms of one strength, one. */
function take(
  prompt: string,
  family: FamilyId,
  strengths: readonly number[],
  wanted: number,
  turn: number,
  options: GenerateOptions,
): PaperWording[] {
  const taken: PaperWording[] = [];
  for (const strength of strengths) {
    if (taken.length === wanted) break;
    const forms = made(prompt, family, [strength], options);
    const form = forms[turn % Math.max(1, forms.length)];
    // Two strengths can come to the same text where there is little to change.
    if (form && !taken.some(({ text }) => text === form.text)) taken.push(form);
  }
  return taken;
}

function made(
  prompt: string,
  family: FamilyId,
  strengths: readonly number[] | undefined,
  options: GenerateOptions,
): PaperWording[] {
  const choice = strengths === undefined ? { family } : { family, strengths };
  return generateVariants(prompt, [choice], options).filter((variant) => variant.reason === null);
}

function rotated<T>(list: readonly T[], by: number): T[] {
  return list.map((_, at) => list[(at + by) % list.length]).filter((it) => it !== undefined);
}
