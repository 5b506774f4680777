/** What a model's list of files and its config.json say, before anything large is read. */
import * as v from "valibot";
import { EngineError } from "../engine-error.ts";
import { graphCandidates, KNOWN_DTYPES, type GraphFile } from "./graph-file.ts";
import { readModelConfig, type ModelConfig } from "./model-config.ts";

export interface ListedFile {
  readonly path: string;
  /** null where it is not known. */
  readonly bytes: number | null;
}

/** One number format that the model comes in. */
export interface ModelFormat {
  /** As transformers.js names it: `q4`, `fp16`, … */
  readonly dtype: string;
  /** Everything that loading it reads: configuration, tokenizer, graph, weights. */
  readonly files: readonly string[];
  /** Sum of their sizes; null where one is not known. */
  readonly bytes: number | null;
}

export type ModelRole = "language" | "encoder";

export interface ModelDescription {
  /** A language model, or a sentence encoder. */
  readonly role: ModelRole;
  readonly layers: number;
  readonly hiddenSize: number;
  /** At least one. */
  readonly formats: readonly ModelFormat[];
  /** The format that the model itself names; null where it names none, or one that is not there. */
  readonly ownDtype: string | null;
}

/** Read by the loader where they are there; the first three it needs. */
const NEEDED = ["config.json", "tokenizer.json", "tokenizer_config.json"];
const OPTIONAL = [
  "generation_config.json",
  "chat_template.jinja",
  "chat_template.json",
  "special_tokens_map.json",
  "1_Pooling/config.json",
  "sentence_bert_config.json",
];
const ENCODER_TYPES =
  /^(bert|distilbert|roberta|xlm-roberta|mpnet|albert|camembert|deberta|deberta-v2|electra|nomic_bert|modernbert|new)$/;

const kindSchema = v.looseObject({
  architectures: v.fallback(v.nullish(v.array(v.string())), null),
  model_type: v.fallback(v.nullish(v.string()), null),
});

/**
 * @param name - the model, for messages
 * @param readConfig - parsed config.json; called only if the file is listed
 * @throws {EngineError} `file-missing` naming every file that is missing, `config-invalid`
 */
export async function describeModel(
  name: string,
  files: readonly ListedFile[],
  readConfig: () => Promise<unknown>,
): Promise<ModelDescription> {
  const sizes = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const missing = NEEDED.filter((path) => !sizes.has(path));
  if (!sizes.has("config.json")) throw incomplete(name, missing, files);
  const raw = await readConfig();
  const config = readModelConfig(raw, null);
  const formats = formatsOf(config, sizes);
  if (missing.length > 0 || formats.length === 0) {
    throw incomplete(name, [...missing, ...(formats.length === 0 ? ["onnx/model.onnx"] : [])], files);
  }
  return {
    role: roleOf(raw, sizes),
    layers: config.layers,
    hiddenSize: config.hiddenSize,
    formats,
    ownDtype: formats.some(({ dtype }) => dtype === config.dtype) ? config.dtype : null,
  };
}

/** The description with further files that the graph of one format turned out to need. */
export function withFiles(
  description: ModelDescription,
  dtype: string,
  further: readonly ListedFile[],
): ModelDescription {
  return {
    ...description,
    formats: description.formats.map((format) => {
      const added = further.filter(({ path }) => !format.files.includes(path));
      if (format.dtype !== dtype || added.length === 0) return format;
      const bytes = [format.bytes, ...added.map((file) => file.bytes)];
      return { dtype, files: [...format.files, ...added.map(({ path }) => path)], bytes: sum(bytes) };
    }),
  };
}

/** The graph files of a format, one for each device that has its own. */
export function graphsOf(config: ModelConfig, dtype: string, has: (path: string) => boolean): GraphFile[] {
  const graphs = new Map<string, GraphFile>();
  for (const device of ["wasm", "webgpu"] as const) {
    const graph = graphCandidates(config, device, dtype).find(({ path }) => has(path));
    if (graph) graphs.set(graph.path, graph);
  }
  return [...graphs.values()];
}

function formatsOf(config: ModelConfig, sizes: ReadonlyMap<string, number | null>): ModelFormat[] {
  const dtypes = new Set([...(config.dtype === null ? [] : [config.dtype]), ...KNOWN_DTYPES]);
  return [...dtypes].flatMap((dtype) => {
    if (!KNOWN_DTYPES.includes(dtype)) return [];
    const graphs = graphsOf(config, dtype, (path) => sizes.has(path)).map(({ path }) => path);
    if (graphs.length === 0) return [];
    const files = [...NEEDED, ...OPTIONAL].filter((path) => sizes.has(path));
    for (const graph of graphs) {
      files.push(graph, ...[...sizes.keys()].filter((path) => isDataOf(path, graph)).sort());
    }
    return [{ dtype, files, bytes: sum(files.map((path) => sizes.get(path) ?? null)) }];
  });
}

/** The usual names of a graph's weights: `model.onnx_data`, `model.onnx_data_1`, `model.onnx.data`. */
function isDataOf(path: string, graph: string): boolean {
  return path.startsWith(graph) && /^(_data(_\d+)?|\.data)$/.test(path.slice(graph.length));
}

function roleOf(raw: unknown, sizes: ReadonlyMap<string, number | null>): ModelRole {
  if (sizes.has("1_Pooling/config.json") || sizes.has("modules.json")) return "encoder";
  const kind = v.safeParse(kindSchema, raw);
  if (!kind.success) return "language";
  const { architectures, model_type: type } = kind.output;
  if (architectures?.some((one) => /ForCausalLM|LMHeadModel/.test(one))) return "language";
  return type && ENCODER_TYPES.test(type) ? "encoder" : "language";
}

function sum(sizes: readonly (number | null)[]): number | null {
  let total = 0;
  for (const size of sizes) {
    if (size === null) return null;
    total += size;
  }
  return total;
}

function incomplete(name: string, missing: readonly string[], files: readonly ListedFile[]): EngineError {
  const graph = missing.includes("onnx/model.onnx")
    ? ` Its graph may also be named by its number format (onnx/model_q4.onnx, onnx/model_fp16.onnx, …), with or without the folder onnx.`
    : "";
  const others = files.some(({ path }) => /\.(safetensors|bin|gguf|pt)$/.test(path))
    ? " Its weights are there in a form that browsers cannot run: it needs an ONNX export, for example by Hugging Face Optimum."
    : "";
  return new EngineError(
    "file-missing",
    `${name} cannot be used: it lacks ${missing.join(", ")}.${graph}${others}`,
    { model: name, file: missing[0] ?? "" },
  );
}
