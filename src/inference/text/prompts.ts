/** Prompts as a model reads them: templated or raw, as token ids, with the place of the user's words. */
import { EngineError } from "../engine-error.ts";
import type { TemplatedPrompt } from "../types.ts";
import type { ChatTemplate } from "./chat-template.ts";
import { tokenRangeByBytes, tokenRangeByContext } from "./token-range.ts";
import type { ModelTokenizer } from "./tokenizer.ts";

/** @throws {EngineError} `template-failed`, `system-prompt-unsupported` */
export function chatPrompt(
  tokenizer: ModelTokenizer,
  template: ChatTemplate | null,
  content: string,
  systemPrompt: string | null,
): TemplatedPrompt {
  if (template === null) {
    throw new EngineError("template-failed", "This model has no chat template. Use its prompts raw.");
  }
  const { text, range } = template.question(content, systemPrompt);
  const { ids, tokens } = tokenizer.encode(text, false);
  return { tokenIds: ids, text, contentRange: range && tokenRange(tokenizer, text, ids, tokens, range) };
}

/** The tokens that stand in front of every question with this system prompt. */
export function sharedPrefix(
  tokenizer: ModelTokenizer,
  template: ChatTemplate,
  systemPrompt: string | null,
): Int32Array {
  // What two different questions have in common, so that no token that reaches into a question is among them.
  const [one, other] = ["A", "1"].map(
    (content) => chatPrompt(tokenizer, template, content, systemPrompt).tokenIds,
  );
  if (!one || !other) return new Int32Array(0);
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}

/** The text itself, with the special tokens that the tokenizer puts around any text. */
export function rawPrompt(tokenizer: ModelTokenizer, content: string): TemplatedPrompt {
  const { ids } = tokenizer.encode(content, true);
  let start = 0;
  let end = ids.length;
  while (start < end && tokenizer.isSpecial(ids[start] ?? -1)) start += 1;
  while (end > start && tokenizer.isSpecial(ids[end - 1] ?? -1)) end -= 1;
  return { tokenIds: ids, text: content, contentRange: end > start ? [start, end] : null };
}

function tokenRange(
  tokenizer: ModelTokenizer,
  text: string,
  ids: Int32Array,
  tokens: readonly string[],
  [from, to]: readonly [number, number],
): readonly [number, number] | null {
  return (
    tokenRangeByBytes(tokens, (i) => tokenizer.isSpecial(ids[i] ?? -1), text, from, to) ??
    tokenRangeByContext(
      ids,
      tokenizer.encode(text.slice(0, from), false).ids,
      tokenizer.encode(text.slice(to), false).ids,
    )
  );
}
