/** Chat templates: the text that a model reads for a question, and where in it the question stands. */
import { Template } from "@huggingface/jinja";
import { EngineError, messageOf } from "../engine-error.ts";

export interface Message {
  readonly role: string;
  readonly content: string;
}

/** Stands in for a content to find where templates put it. Free of blanks, which templates may trim. */
const MARK = "\u2980sago-content\u2980";

export class ChatTemplate {
  readonly #template: Template;
  readonly #specialTokens: Readonly<Record<string, string>>;
  readonly defaultSystemPrompt: string | null;

  /** @throws {EngineError} `template-failed` if the template cannot be parsed */
  constructor(source: string, specialTokens: Readonly<Record<string, string>>) {
    try {
      this.#template = new Template(source);
    } catch (error) {
      throw new EngineError(
        "template-failed",
        `The model's chat template is not readable: ${messageOf(error)}`,
        {},
        error,
      );
    }
    this.#specialTokens = specialTokens;
    this.defaultSystemPrompt = this.#findDefaultSystemPrompt();
  }

  /**
   * Renders a conversation and the start of the assistant's answer.
   * @throws {EngineError} `template-failed` with the template's own message
   */
  render(messages: readonly Message[], addGenerationPrompt = true): string {
    try {
      return this.#template.render({
        messages,
        add_generation_prompt: addGenerationPrompt,
        ...this.#specialTokens,
      });
    } catch (error) {
      throw new EngineError(
        "template-failed",
        `The model's chat template failed: ${messageOf(error)}`,
        {},
        error,
      );
    }
  }

  /**
   * The text for one question, and the range [from, to) of its characters that are the question's.
   * @param systemPrompt - null leaves the template's own in place
   * @throws {EngineError} `system-prompt-unsupported` if the template refuses a system message
   */
  question(
    content: string,
    systemPrompt: string | null,
  ): { readonly text: string; readonly range: readonly [number, number] | null } {
    const text = this.#renderQuestion(content, systemPrompt);
    const marked = this.#renderQuestion(MARK, systemPrompt);
    const at = marked.indexOf(MARK);
    if (at < 0 || marked.indexOf(MARK, at + 1) >= 0) return { text, range: null };
    const before = marked.slice(0, at);
    const after = marked.slice(at + MARK.length);
    const fits =
      text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length;
    return { text, range: fits ? [before.length, text.length - after.length] : null };
  }

  #renderQuestion(content: string, systemPrompt: string | null): string {
    const user = { role: "user", content };
    if (systemPrompt === null) return this.render([user]);
    const text = this.#renderWithSystem(systemPrompt, user);
    if (systemPrompt.trim() !== "" && !text.includes(systemPrompt.trim())) {
      throw new EngineError(
        "system-prompt-unsupported",
        "This model's chat template ignores a system prompt. Leave it empty.",
      );
    }
    return text;
  }

  #renderWithSystem(systemPrompt: string, user: Message): string {
    try {
      return this.render([{ role: "system", content: systemPrompt }, user]);
    } catch (error) {
      throw new EngineError(
        "system-prompt-unsupported",
        `This model's chat template refuses a system prompt (${messageOf(error)}). Leave it empty.`,
        {},
        error,
      );
    }
  }

  /** What the template says in the system's place when nobody says anything. */
  #findDefaultSystemPrompt(): string | null {
    const user = { role: "user", content: "Hello" };
    let marked: string;
    try {
      marked = this.render([{ role: "system", content: MARK }, user]);
    } catch (error) {
      if (error instanceof EngineError) return null;
      throw error;
    }
    const plain = this.render([user]);
    const at = marked.indexOf(MARK);
    if (at < 0) return null;
    const before = marked.slice(0, at);
    const after = marked.slice(at + MARK.length);
    if (!plain.startsWith(before) || !plain.endsWith(after)) return null;
    const text = plain.slice(before.length, Math.max(before.length, plain.length - after.length)).trim();
    return text === "" ? null : text;
  }
}
