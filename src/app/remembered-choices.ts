/** Which models the reader chose, kept in `localStorage` for the next visit. Never a token. */
import * as v from "valibot";

const NAME = "sago-models";

const schema = v.object({
  modelId: v.nullable(v.string()),
  encoderId: v.nullable(v.string()),
  choices: v.record(
    v.string(),
    v.object({
      dtype: v.exactOptional(v.string()),
      device: v.exactOptional(v.picklist(["auto", "wasm", "webgpu"])),
    }),
  ),
});

export type RememberedChoices = v.InferOutput<typeof schema>;

const NOTHING: RememberedChoices = { modelId: null, encoderId: null, choices: {} };

/** What was chosen before; nothing where the browser keeps nothing, or where it is not readable. */
export function rememberedChoices(): RememberedChoices {
  try {
    const parsed = v.safeParse(schema, JSON.parse(globalThis.localStorage.getItem(NAME) ?? "null"));
    return parsed.success ? parsed.output : NOTHING;
  } catch (error) {
    // Site data switched off, or a text that another program wrote.
    if (error instanceof DOMException || error instanceof SyntaxError) return NOTHING;
    throw error;
  }
}

export function rememberChoices(choices: RememberedChoices): void {
  try {
    globalThis.localStorage.setItem(NAME, JSON.stringify(choices));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
