/** What is read from config.json and generation_config.json. Unknown keys are ignored. */
import * as v from "valibot";
import { EngineError } from "../engine-error.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(1));
const tokenIds = v.nullish(v.union([v.number(), v.array(v.number())]));

const sessionOptionsSchema = v.looseObject({
  graphOptimizationLevel: v.optional(v.picklist(["disabled", "basic", "extended", "all"])),
  extra: v.optional(
    v.looseObject({
      session: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
    }),
  ),
});

const graphSchema = v.object({ file: v.string(), sessionOptions: v.optional(sessionOptionsSchema) });

const externalDataSchema = v.union([
  v.boolean(),
  v.number(),
  v.record(v.string(), v.union([v.boolean(), v.number()])),
]);

const transformersJsSchema = v.looseObject({
  dtype: v.optional(v.union([v.string(), v.record(v.string(), v.string())])),
  use_external_data_format: v.optional(externalDataSchema),
  sago: v.optional(
    v.looseObject({
      graphs: v.optional(v.object({ wasm: v.optional(graphSchema), webgpu: v.optional(graphSchema) })),
    }),
  ),
});

const configSchema = v.looseObject({
  model_type: v.optional(v.string()),
  num_hidden_layers: v.optional(count),
  n_layer: v.optional(count),
  num_layers: v.optional(count),
  hidden_size: v.optional(count),
  n_embd: v.optional(count),
  d_model: v.optional(count),
  vocab_size: v.optional(count),
  max_position_embeddings: v.optional(count),
  n_positions: v.optional(count),
  n_ctx: v.optional(count),
  max_seq_len: v.optional(count),
  num_attention_heads: v.optional(count),
  n_head: v.optional(count),
  num_key_value_heads: v.optional(count),
  head_dim: v.optional(v.nullable(count)),
  eos_token_id: tokenIds,
  "transformers.js_config": v.optional(transformersJsSchema),
});

const generationConfigSchema = v.looseObject({ eos_token_id: tokenIds });

export type ExternalDataFormat = v.InferOutput<typeof externalDataSchema>;
export type ConfiguredGraph = v.InferOutput<typeof graphSchema>;

export interface ModelConfig {
  readonly layers: number;
  readonly hiddenSize: number;
  /** null where config.json does not say; then the logits' width is the vocabulary. */
  readonly vocabularySize: number | null;
  readonly contextLength: number;
  readonly attentionHeads: number | null;
  readonly keyValueHeads: number | null;
  readonly headSize: number | null;
  /** Tokens that end an answer; empty if neither file says. */
  readonly endTokenIds: readonly number[];
  readonly dtype: string | null;
  readonly externalData: ExternalDataFormat;
  readonly graphs: Readonly<Partial<Record<"wasm" | "webgpu", ConfiguredGraph>>>;
}

/** Used where a configuration does not say: GPT-2's context, the shortest in use. */
const DEFAULT_CONTEXT_LENGTH = 1024;

/**
 * Reads the two configuration files.
 * @throws {EngineError} `config-invalid` naming the key
 */
export function readModelConfig(config: unknown, generationConfig: unknown): ModelConfig {
  const parsed = v.safeParse(configSchema, config);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const key = v.getDotPath(issue) ?? "";
    throw new EngineError("config-invalid", `config.json: ${key ? `${key}: ` : ""}${issue.message}`, { key });
  }
  const raw = parsed.output;
  const generation = v.safeParse(generationConfigSchema, generationConfig ?? {});
  const layers = raw.num_hidden_layers ?? raw.n_layer ?? raw.num_layers;
  const hiddenSize = raw.hidden_size ?? raw.n_embd ?? raw.d_model;
  if (layers === undefined || hiddenSize === undefined) {
    throw new EngineError(
      "config-invalid",
      "config.json names neither the number of layers nor the hidden size of a text-generation model.",
    );
  }
  const attentionHeads = raw.num_attention_heads ?? raw.n_head ?? null;
  const web = raw["transformers.js_config"];
  const graphs = web?.sago?.graphs ?? {};
  const fromGeneration = generation.success ? generation.output.eos_token_id : null;
  return {
    layers,
    hiddenSize,
    vocabularySize: raw.vocab_size ?? null,
    contextLength:
      raw.max_position_embeddings ??
      raw.n_positions ??
      raw.n_ctx ??
      raw.max_seq_len ??
      DEFAULT_CONTEXT_LENGTH,
    attentionHeads,
    keyValueHeads: raw.num_key_value_heads ?? attentionHeads,
    headSize: raw.head_dim ?? (attentionHeads === null ? null : Math.floor(hiddenSize / attentionHeads)),
    endTokenIds: asList(fromGeneration ?? raw.eos_token_id),
    dtype: typeof web?.dtype === "string" ? web.dtype : null,
    externalData: web?.use_external_data_format ?? false,
    graphs: {
      ...(graphs.wasm ? { wasm: graphs.wasm } : {}),
      ...(graphs.webgpu ? { webgpu: graphs.webgpu } : {}),
    },
  };
}

function asList(ids: number | readonly number[] | null | undefined): readonly number[] {
  if (ids === null || ids === undefined) return [];
  return typeof ids === "number" ? [ids] : ids;
}
