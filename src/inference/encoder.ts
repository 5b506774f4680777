/** The sentence encoder behind `encoder.worker.ts`. Plain class, testable in Node. */
import * as v from "valibot";
import { workerSurroundings, type DeviceSurroundings } from "./device.ts";
import { EngineError } from "./engine-error.ts";
import { externalFiles, graphCandidates } from "./files/graph-file.ts";
import { readModelConfig } from "./files/model-config.ts";
import type { ModelFolder } from "./files/model-folder.ts";
import { openModelFolder } from "./files/open-model-folder.ts";
import { WasmRuntime } from "./runtime/wasm-runtime.ts";
import { int64Tensor, type GraphSession, type HostTensor } from "./runtime/tensor.ts";
import { SerialQueue } from "./serial-queue.ts";
import { pooled, readPooling, type Pooling } from "./pooling.ts";
import { ModelTokenizer } from "./text/tokenizer.ts";
import type { EmbeddedText, Encoder, LoadProgress, ModelSource } from "./types.ts";
import { yieldToMessages } from "./yield-to-messages.ts";
import { readOnnxGraph } from "../onnx/index.ts";

/**
 * Where an encoder does not say how much it reads at once, special tokens included: what all-MiniLM-L6-v2 was
 * trained on (Reimers & Gurevych 2019, model card).
 */
const CHUNK_TOKENS = 256;
/** Inputs that are known: ids, ones, and zeros. */
const INPUTS = ["input_ids", "attention_mask", "token_type_ids"];

const lengthSchema = v.looseObject({
  max_seq_length: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(8))),
});

interface LoadedEncoder {
  readonly session: GraphSession;
  readonly tokenizer: ModelTokenizer;
  readonly hiddenOutput: string;
  readonly dimensions: number;
  /** Special tokens around every text. */
  readonly prefix: readonly number[];
  readonly suffix: readonly number[];
  readonly pooling: Pooling;
  /** Most tokens that are read at once, special ones included. */
  readonly chunkTokens: number;
}

export interface EncoderSurroundings {
  readonly device: DeviceSurroundings;
  readonly openFolder: (source: ModelSource) => ModelFolder;
  readonly runtime: Pick<WasmRuntime, "open">;
}

export class LocalEncoder implements Encoder {
  readonly #surroundings: EncoderSurroundings;
  readonly #queue = new SerialQueue();
  #loaded: LoadedEncoder | null = null;

  constructor(surroundings: Partial<EncoderSurroundings> = {}) {
    this.#surroundings = {
      device: surroundings.device ?? workerSurroundings(),
      openFolder: surroundings.openFolder ?? openModelFolder,
      runtime: surroundings.runtime ?? new WasmRuntime(),
    };
  }

  load(
    source: ModelSource,
    onProgress: (progress: LoadProgress) => void,
  ): Promise<{ readonly id: string; readonly filesHash: string; readonly dimensions: number }> {
    return this.#queue.add(async () => {
      await this.#release();
      const folder = this.#surroundings.openFolder(source);
      this.#loaded = await this.#open(folder, onProgress);
      return { id: folder.id, filesHash: await folder.filesHash(), dimensions: this.#loaded.dimensions };
    });
  }

  /** Each text is read alone and unpadded: even int8 activations then depend on nothing but the text. */
  async embed(texts: readonly string[]): Promise<(Float32Array | null)[]> {
    return this.#each(texts, (embedded) => embedded?.vector ?? null);
  }

  embedTokens(texts: readonly string[]): Promise<(EmbeddedText | null)[]> {
    return this.#each(texts, (embedded) => embedded);
  }

  #each<T>(texts: readonly string[], of: (embedded: EmbeddedText | null) => T): Promise<T[]> {
    return this.#queue.add(async (throwIfStopped) => {
      if (this.#loaded === null) throw new EngineError("not-loaded", "No sentence encoder is loaded.");
      const results: T[] = [];
      for (const text of texts) {
        results.push(of(await this.#embedText(this.#loaded, text)));
        await yieldToMessages();
        throwIfStopped();
      }
      return results;
    });
  }

  /** Ends the running `embed` after the text at hand. */
  stop(): void {
    this.#queue.stop();
  }

  async dispose(): Promise<void> {
    this.#queue.stop();
    await this.#queue.add(() => this.#release());
  }

  async #open(folder: ModelFolder, onProgress: (progress: LoadProgress) => void): Promise<LoadedEncoder> {
    const config = readModelConfig(await folder.requiredJson("config.json"), null);
    const tokenizer = new ModelTokenizer(
      await folder.requiredJson("tokenizer.json"),
      await folder.requiredJson("tokenizer_config.json"),
    );
    const pooling = readPooling(await folder.json("1_Pooling/config.json"));
    const length = v.safeParse(lengthSchema, (await folder.json("sentence_bert_config.json")) ?? {});
    const candidates = graphCandidates(config, "wasm", null);
    let file = null;
    for (const candidate of candidates)
      if (file === null && (await folder.has(candidate.path))) file = candidate;
    if (file === null) {
      const tried = candidates.map(({ path }) => path).join(", ");
      throw new EngineError("file-missing", `Encoder ${folder.id} has none of the graph files ${tried}.`, {
        tried,
      });
    }
    const report = (progress: { loadedBytes: number; totalBytes: number; file: string }): void =>
      onProgress({ phase: "download", ...progress });
    const [graph] = await folder.binaries([file.path], report);
    if (!graph) throw new EngineError("file-missing", `${file.path} could not be read.`, { file: file.path });
    const locations = new Set<string>();
    for (const { external } of readOnnxGraph(graph).initialisers.values()) {
      if (external) locations.add(external.location);
    }
    const weights = externalFiles(file.path, [...locations], config.externalData);
    const data = await folder.binaries(
      weights.map(({ path }) => path),
      report,
    );
    onProgress({ phase: "session" });
    const { crossOriginIsolated, hardwareConcurrency } = this.#surroundings.device;
    const threads = crossOriginIsolated ? Math.max(1, Math.min(2, hardwareConcurrency)) : 1;
    const session = await this.#surroundings.runtime.open(
      { threads },
      {
        graph,
        externalData: weights.flatMap(({ location }, i) => {
          const bytes = data[i];
          return bytes ? [{ path: location, data: bytes }] : [];
        }),
        graphOptimizationLevel: file.graphOptimizationLevel,
        configEntries: file.configEntries,
        residentOutputs: [],
      },
    );
    const unknown = session.inputs.find(({ name }) => !INPUTS.includes(name));
    if (unknown) {
      await session.dispose();
      throw new EngineError(
        "graph-unsupported",
        `Encoder ${folder.id} asks for the input ${unknown.name}, which is not known. Choose another encoder.`,
      );
    }
    const output = session.outputs.find(
      ({ name, dims }) => name === "last_hidden_state" || dims.length === 3,
    );
    if (!output) {
      await session.dispose();
      throw new EngineError("graph-unsupported", `Encoder ${folder.id} hands out no hidden states.`);
    }
    return {
      session,
      tokenizer,
      hiddenOutput: output.name,
      dimensions: config.hiddenSize,
      pooling,
      chunkTokens: Math.min(
        (length.success ? length.output.max_seq_length : null) ?? CHUNK_TOKENS,
        config.contextLength,
      ),
      ...surroundingTokens(tokenizer),
    };
  }

  async #embedText(loaded: LoadedEncoder, text: string): Promise<EmbeddedText | null> {
    if (text.trim() === "") return null;
    const { ids } = loaded.tokenizer.encode(text, false);
    if (ids.length === 0) return null;
    const room = loaded.chunkTokens - loaded.prefix.length - loaded.suffix.length;
    const { dimensions } = loaded;
    const sum = new Float32Array(dimensions);
    const values = new Float32Array(ids.length * dimensions);
    for (let start = 0; start < ids.length; start += room) {
      const chunk = ids.subarray(start, start + room);
      const read = [...loaded.prefix, ...chunk, ...loaded.suffix];
      const hidden = await this.#hiddenStates(loaded, read);
      const vector = normalise(pooled(hidden, read.length, dimensions, loaded.pooling));
      const first = loaded.prefix.length * dimensions;
      values.set(hidden.subarray(first, first + chunk.length * dimensions), start * dimensions);
      // A chunk counts by its length, so that a short last one does not weigh as much as a full one.
      vector?.forEach((value, i) => (sum[i] = (sum[i] ?? 0) + value * chunk.length));
    }
    const vector = normalise(sum);
    return vector && { vector, tokens: { rows: ids.length, dimensions, values } };
  }

  /** The last hidden states, [tokens × dimensions]. */
  async #hiddenStates(loaded: LoadedEncoder, ids: readonly number[]): Promise<Float32Array> {
    const dims = [1, ids.length];
    const feeds = new Map<string, HostTensor>();
    for (const { name } of loaded.session.inputs) {
      if (name === "input_ids") feeds.set(name, int64Tensor(ids, dims));
      else if (name === "attention_mask")
        feeds.set(name, int64Tensor(new Int32Array(ids.length).fill(1), dims));
      else feeds.set(name, int64Tensor(new Int32Array(ids.length), dims));
    }
    const { host } = await loaded.session.run(feeds, { host: [loaded.hiddenOutput], resident: [] });
    const hidden = host.get(loaded.hiddenOutput);
    if (hidden?.type !== "float32" || hidden.data.length !== ids.length * loaded.dimensions) {
      throw new EngineError("graph-unsupported", "The encoder's hidden states have an unexpected shape.");
    }
    return hidden.data;
  }

  async #release(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = null;
    await loaded?.session.dispose();
  }
}

/** The special tokens that the tokenizer puts around a text, told from a text that certainly has one token. */
function surroundingTokens(tokenizer: ModelTokenizer): {
  prefix: readonly number[];
  suffix: readonly number[];
} {
  const plain = tokenizer.encode("a", false).ids;
  const whole = tokenizer.encode("a", true).ids;
  const at = whole.indexOf(plain[0] ?? -1);
  return at < 0
    ? { prefix: [], suffix: [] }
    : { prefix: [...whole.slice(0, at)], suffix: [...whole.slice(at + plain.length)] };
}

/** Unit length; null for the zero vector. */
function normalise(vector: Float32Array): Float32Array | null {
  const norm = Math.hypot(...vector);
  return norm > 0 ? vector.map((value) => value / norm) : null;
}
