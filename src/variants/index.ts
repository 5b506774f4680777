/** Ways to say the same thing differently, made by rules. */
export { generateVariants, variantFamilies } from "./generate-variants.ts";
export type {
  FamilyChoice,
  FamilyId,
  FamilyInfo,
  GeneratedVariant,
  GenerateOptions,
  StrengthScale,
} from "./generate-variants.ts";
export { PAPER_WORDINGS, paperWordings } from "./paper-wordings.ts";
export type { PaperWording } from "./paper-wordings.ts";
export { nullEdits } from "./null-edits.ts";
export type { NullEdit } from "./null-edits.ts";
export { proposeVariants } from "./propose-variants.ts";
export type { ProposedVariant } from "./propose-variants.ts";
