/** Ways to say the same thing differently, made by rules. */
export { nullEdits } from "./null-edits.ts";
export type { NullEdit } from "./null-edits.ts";
export { proposeVariants } from "./propose-variants.ts";
export type { ProposedVariant } from "./propose-variants.ts";
