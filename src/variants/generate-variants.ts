import type { Draft, Family, StrengthScale } from "./families/family.ts";
import { contractions } from "./families/contractions.ts";
import { length } from "./families/length.ts";
import { letterCase, smallLetters } from "./families/letter-case.ts";
import { numberFormat } from "./families/number-format.ts";
import { optionOrder } from "./families/option-order.ts";
import { politeness } from "./families/politeness.ts";
import { punctuation } from "./families/punctuation.ts";
import { sentenceForm } from "./families/sentence-form.ts";
import { spacing } from "./families/spacing.ts";
import { template } from "./families/template.ts";
import { typos } from "./families/typos.ts";
import { whiteSpace } from "./families/white-space.ts";
import { protectedTexts } from "./protected-text.ts";
import { seededChoice } from "./seeded-order.ts";

const FAMILIES = [
  politeness,
  sentenceForm,
  spacing,
  punctuation,
  letterCase,
  smallLetters,
  length,
  typos,
  contractions,
  numberFormat,
  optionOrder,
  template,
  whiteSpace,
] as const;

export type FamilyId = (typeof FAMILIES)[number]["id"];
export type { StrengthScale };

/** What can be said about a family before it is used. */
export interface FamilyInfo {
  readonly id: FamilyId;
  readonly name: string;
  readonly what: string;
  /** null: the family has forms, not degrees. */
  readonly scale: StrengthScale | null;
}

export interface FamilyChoice {
  readonly family: FamilyId;
  /** Members of the family's scale; ignored where it has none. Left out: the suggested ones. */
  readonly strengths?: readonly number[];
}

export interface GenerateOptions {
  readonly seed: number;
  /** The allowed answers of a classification. */
  readonly labels?: readonly string[];
}

interface Named {
  /** `family:form`, unique among what one call returns. */
  readonly id: string;
  readonly family: FamilyId;
  /** null for a family without degrees. */
  readonly strength: number | null;
  /** A few words for people. */
  readonly label: string;
}

/** A wording made by rule, or the reason why there is none: `text` and `reason` are never both there. */
export type GeneratedVariant = Named &
  ({ readonly text: string; readonly reason: null } | { readonly text: null; readonly reason: string });

/** The families of generators, in the order in which to offer them. Null edits are made by every run itself. */
export function variantFamilies(): FamilyInfo[] {
  return FAMILIES.map(({ id, name, what, scale }) => ({ id, name, what, scale }));
}

/**
 * Other wordings of a prompt, by rule, family after family.
 *
 * The same prompt, choices and seed give the same variants on every machine. No wording equals the prompt or an
 * earlier one, white space at the ends aside, and all protected text (code, quotations, addresses, placeholders,
 * numbers) is found in it again unchanged; what would break this is refused with a reason, never left out.
 *
 * @throws {RangeError} for a strength that its family's scale does not have
 * @example generateVariants("Name a river.", [{ family: "politeness", strengths: [1] }], { seed: 7 })[0]?.text
 *   // "Please name a river."
 */
export function generateVariants(
  prompt: string,
  choices: readonly FamilyChoice[],
  options: GenerateOptions,
): GeneratedVariant[] {
  const seen = new Map([[prompt.trim(), "the original"]]);
  const guarded = protectedTexts(prompt.trim());
  const variants: GeneratedVariant[] = [];
  for (const { family: familyId, strengths } of choices) {
    const family = familyOf(familyId);
    for (const strength of strengthsOf(family, strengths)) {
      for (const draft of draftsOf(family, prompt, strength, options)) {
        const named: Named = {
          id: `${familyId}:${draft.form}`,
          family: familyId,
          strength,
          label: draft.label,
        };
        if (variants.some(({ id }) => id === named.id)) continue;
        const reason = "reason" in draft ? draft.reason : refusal(draft.text, family, guarded, seen);
        if (reason !== null || !("text" in draft)) {
          variants.push({ ...named, text: null, reason: reason ?? "No wording was made." });
          continue;
        }
        seen.set(draft.text.trim(), `“${draft.label}”`);
        variants.push({ ...named, text: draft.text, reason: null });
      }
    }
  }
  return variants;
}

function familyOf(id: FamilyId): Family {
  const family = FAMILIES.find((candidate) => candidate.id === id);
  if (family === undefined) throw new RangeError(`There is no family of variants called "${id}".`);
  return family;
}

function strengthsOf({ id, scale }: Family, strengths: readonly number[] | undefined): (number | null)[] {
  if (scale === null) return [null];
  const { min, max, step, neutral } = scale;
  const wanted = strengths ?? scale.suggested;
  const wrong = wanted.find(
    (strength) =>
      !(strength >= min && strength <= max) ||
      strength === neutral ||
      !Number.isInteger((strength - min) / step),
  );
  if (wrong === undefined) return [...wanted];
  throw new RangeError(
    `"${id}" has no strength ${wrong}: choose from ${min} to ${max} in steps of ${step}, without ${neutral}.`,
  );
}

function draftsOf(
  family: Family,
  prompt: string,
  strength: number | null,
  { seed, labels = [] }: GenerateOptions,
): readonly Draft[] {
  if (prompt.trim() === "") return [];
  return family.make(prompt.trim(), strength, {
    labels,
    choice: (name) => seededChoice(`${seed}/${family.id}/${name}/${prompt.trim()}`),
  });
}

/** Number formats change numbers by design; everything else must find each protected text again. */
function refusal(
  text: string,
  { id }: Family,
  guarded: readonly string[],
  seen: ReadonlyMap<string, string>,
): string | null {
  if (text.trim() === "") return "Nothing would be left of the text.";
  const twin = seen.get(text.trim());
  if (twin !== undefined) return `The wording would be the same as ${twin}.`;
  const lost = guarded.find(
    (part) => !(id === "number-format" && /\p{Nd}/u.test(part)) && !text.includes(part),
  );
  return lost === undefined ? null : `The wording would change “${lost.slice(0, 60)}”, which must stay.`;
}
