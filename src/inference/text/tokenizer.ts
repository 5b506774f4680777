/** A model's tokenizer: text to ids and back, in the hub's tokenizer.json format. */
import { Tokenizer as HubTokenizer } from "@huggingface/tokenizers";
import * as v from "valibot";
import { EngineError, messageOf } from "../engine-error.ts";

const tokenText = v.nullish(v.union([v.string(), v.looseObject({ content: v.string() })]));
const configSchema = v.looseObject({
  bos_token: tokenText,
  eos_token: tokenText,
  pad_token: tokenText,
  unk_token: tokenText,
  chat_template: v.nullish(
    v.union([v.string(), v.array(v.object({ name: v.string(), template: v.string() }))]),
  ),
});
type TokenText = v.InferOutput<typeof tokenText>;

export class ModelTokenizer {
  readonly #tokenizer: HubTokenizer;
  /** Texts of the named special tokens, for chat templates. */
  readonly specialTokens: Readonly<Record<string, string>>;
  /** The template in tokenizer_config.json, if it has one. */
  readonly chatTemplate: string | null;
  readonly endTokenId: number | null;
  readonly #specialIds: ReadonlySet<number>;

  /**
   * @param tokenizerJson - parsed tokenizer.json
   * @param tokenizerConfig - parsed tokenizer_config.json
   * @throws {EngineError} `config-invalid`
   */
  constructor(tokenizerJson: unknown, tokenizerConfig: unknown) {
    const json = v.safeParse(v.looseObject({ model: v.looseObject({}) }), tokenizerJson);
    const config = v.safeParse(configSchema, tokenizerConfig);
    if (!json.success || !config.success) {
      const file = json.success ? "tokenizer_config.json" : "tokenizer.json";
      throw new EngineError("config-invalid", `${file} does not describe a tokenizer.`, { file });
    }
    try {
      this.#tokenizer = new HubTokenizer(json.output, config.output);
    } catch (error) {
      throw new EngineError(
        "config-invalid",
        `tokenizer.json describes a tokenizer that is not supported: ${messageOf(error)}`,
        { file: "tokenizer.json" },
        error,
      );
    }
    const special: Record<string, string> = {};
    for (const name of ["bos_token", "eos_token", "pad_token", "unk_token"] as const) {
      const text = contentOf(config.output[name]);
      if (text !== null) special[name] = text;
    }
    this.specialTokens = special;
    this.endTokenId = this.idOf(special["eos_token"]);
    this.chatTemplate = chooseTemplate(config.output.chat_template);
    this.#specialIds = new Set(
      [...this.#tokenizer.get_added_tokens_decoder()].filter(([, token]) => token.special).map(([id]) => id),
    );
  }

  /** @param addSpecialTokens - false for templated text, which holds its special tokens already */
  encode(
    text: string,
    addSpecialTokens: boolean,
  ): { readonly ids: Int32Array; readonly tokens: readonly string[] } {
    if (text === "") return { ids: new Int32Array(0), tokens: [] };
    const { ids, tokens } = this.#tokenizer.encode(text, { add_special_tokens: addSpecialTokens });
    return { ids: Int32Array.from(ids), tokens };
  }

  /** Text of the ids without special tokens; a broken UTF-8 sequence reads as U+FFFD. */
  decode(ids: readonly number[]): string {
    return ids.length === 0 ? "" : this.#tokenizer.decode([...ids], { skip_special_tokens: true });
  }

  isSpecial(id: number): boolean {
    return this.#specialIds.has(id);
  }

  idOf(token: string | undefined): number | null {
    return token === undefined ? null : (this.#tokenizer.token_to_id(token) ?? null);
  }
}

function contentOf(token: TokenText): string | null {
  if (token === null || token === undefined) return null;
  return typeof token === "string" ? token : token.content;
}

/** Of several named templates Python uses the one called `default`. */
function chooseTemplate(
  template: string | readonly { readonly name: string; readonly template: string }[] | null | undefined,
): string | null {
  if (template === null || template === undefined) return null;
  if (typeof template === "string") return template;
  return template.find(({ name }) => name === "default")?.template ?? null;
}
