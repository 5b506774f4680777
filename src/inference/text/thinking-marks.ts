/** The marks between which a model thinks before it answers. */
import type { ModelTokenizer } from "./tokenizer.ts";

/** Tokens that a model may think for each answer; what is not closed by then has no answer. */
export const THINKING_BUDGET_TOKENS = 1024;
/** A template that opens the block itself does so at the prompt's very end, at most followed by a line break. */
const PROMPT_END = 3;

export interface ThinkingMarks {
  readonly openId: number;
  readonly closeId: number;
  readonly budgetTokens: number;
  /** Blanks behind the block belong to it, not to the answer. */
  isBlank(id: number): boolean;
}

/** null where `<think>` and `</think>` are not tokens of their own: then nothing tells thinking from answering. */
export function findThinkingMarks(tokenizer: ModelTokenizer): ThinkingMarks | null {
  const [openId, closeId] = [tokenizer.idOf("<think>"), tokenizer.idOf("</think>")];
  if (openId === null || closeId === null) return null;
  return {
    openId,
    closeId,
    budgetTokens: THINKING_BUDGET_TOKENS,
    isBlank: (id) => !tokenizer.isSpecial(id) && tokenizer.decode([id]).trim() === "",
  };
}

/** True if the prompt itself has opened the block (as some templates do) and left it open. */
export function opensThinking(promptTokenIds: Int32Array, marks: ThinkingMarks): boolean {
  const end = promptTokenIds.subarray(-PROMPT_END);
  return end.lastIndexOf(marks.openId) > end.lastIndexOf(marks.closeId);
}
