/** Ways to say the same thing differently, made by rules. */
export { nullEdits } from "./null-edits.ts";
export type { NullEdit } from "./null-edits.ts";
