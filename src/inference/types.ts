/** The engine's contract: what the page asks of the worker that holds the model. Shapes are row-major. */
import type {
  DecodingSpec,
  DeviceIdentity,
  DeviceKind,
  FinishReason,
  ModelIdentity,
  SelfTestRecord,
} from "./contract.ts";

/** A file as the hub lists it at one commit. */
export interface HubFile {
  readonly path: string;
  /** null where the hub does not say. */
  readonly bytes: number | null;
  /** What its content hashes to; null where the hub does not say. */
  readonly digest: FileDigest | null;
}

/**
 * `sha256`: of the content, in hexadecimal (files in large-file storage). `git-blob`: SHA-1 of
 * `blob SIZE NUL` and the content, as git names it (all other files).
 */
export interface FileDigest {
  readonly kind: "sha256" | "git-blob";
  readonly hex: string;
}

/** Where a model's files are: beside the page, at one commit of a hub's repository, or given by hand. */
export type ModelSource =
  | {
      readonly kind: "bundled";
      readonly id: string;
      readonly baseUrl: string;
      /** All files of the folder, where they are known: then no other is asked for. */
      readonly files?: readonly string[];
    }
  | {
      readonly kind: "hub";
      readonly id: string;
      /** The commit, 40 hexadecimal digits: its files never change. */
      readonly revision: string;
      /** Origin of the hub: `https://huggingface.co`. */
      readonly host: string;
      /** Kept in memory only. */
      readonly token: string | null;
      /** All files of the repository at that commit. */
      readonly files: readonly HubFile[];
    }
  | {
      readonly kind: "folder";
      readonly id: string;
      readonly files: readonly { readonly path: string; readonly file: Blob }[];
    };

export interface LoadRequest {
  readonly source: ModelSource;
  /** `auto`: WebGPU where an adapter answers in the worker, else WASM. */
  readonly device: DeviceKind | "auto";
  /** null: the model's own default for the device. */
  readonly dtype: string | null;
}

export type LoadProgress =
  | {
      readonly phase: "download";
      readonly loadedBytes: number;
      readonly totalBytes: number;
      readonly file: string;
    }
  | { readonly phase: "session" };

export interface LoadedModel {
  readonly identity: ModelIdentity;
  readonly device: DeviceIdentity;
  readonly contextLength: number;
  /** Null where the model's tokenizer has none: then prompts are used raw. */
  readonly chatTemplate: { readonly defaultSystemPrompt: string | null } | null;
  /** Layers of the residual stream that the probe found, or why there are none. */
  readonly activations:
    | { readonly available: true; readonly layers: number }
    | { readonly available: false; readonly reason: string };
  /** A graph that quantises activations per tensor must run one row at a time. */
  readonly batchInvariant: boolean;
  /** Rows to decode together on this device, by measurement and memory; 1 where `batchInvariant` is false. */
  readonly batchRows: number;
  readonly selfTest: SelfTestRecord;
}

export interface TemplatedPrompt {
  readonly tokenIds: Int32Array;
  /** The templated text, as the model reads it. */
  readonly text: string;
  /** Token range [start, end) of the user's own content, for the mean pooling; null where it cannot be told. */
  readonly contentRange: readonly [number, number] | null;
}

export interface GenerateRequest {
  readonly key: string;
  readonly promptTokenIds: Int32Array;
  readonly contentRange: readonly [number, number] | null;
  readonly decoding: DecodingSpec;
  /** Sampling stream of this row: belongs to seed, example, variant and repeat, never to the batch. */
  readonly stream: {
    readonly seed: number;
    readonly exampleId: string;
    readonly promptId: string;
    readonly repeat: number;
  };
  /** Only the pooled activations are wanted (background prompts): nothing is decoded. */
  readonly prefillOnly?: boolean;
}

export interface GenerateResult {
  readonly key: string;
  readonly tokenIds: Int32Array;
  readonly text: string;
  readonly tokenTexts: readonly string[];
  readonly finish: FinishReason;
  readonly logProbNats: Float32Array;
  readonly entropyNats: Float32Array;
  readonly topK: number;
  readonly topIds: Int32Array;
  readonly topLogProbNats: Float32Array;
  readonly closeSteps: readonly number[];
  readonly elapsedMs: number;
  /** Residual stream of layers 0…L, [(L + 1) × d] float32; null where the axis is unavailable. */
  readonly lastPromptToken: Float32Array | null;
  readonly promptMean: Float32Array | null;
  /** Kept apart from the answer above; null for a model that did not think. */
  readonly thinking: ThinkingBlock | null;
}

/** What a model wrote between `<think>` and `</think>` before its answer. */
export interface ThinkingBlock {
  readonly text: string;
  readonly tokens: number;
  /** False: the budget, the context or the answer ended inside the block, so there is no answer. */
  readonly closed: boolean;
}

export interface ScoreRequest {
  readonly key: string;
  readonly promptTokenIds: Int32Array;
  readonly responseTokenIds: Int32Array;
  /** K of the partition: `define` returns the K likeliest ids at each position; `use` scores the given ids [T × K]. */
  readonly partition:
    | { readonly mode: "define"; readonly size: number }
    | { readonly mode: "use"; readonly size: number; readonly ids: Int32Array };
}

export interface ScoreResult {
  readonly key: string;
  readonly logProbNats: Float32Array;
  readonly entropyNats: Float32Array;
  readonly partitionSize: number;
  readonly partitionIds: Int32Array;
  readonly partitionLogProbs: Float32Array;
}

/** Progress of decoding, for the bar: monotone. */
export interface EngineProgress {
  readonly decodedTokens: number;
  readonly finishedRows: number;
  readonly totalRows: number;
}

/** Implemented by the class behind `engine.worker.ts`; called through Comlink. */
export interface Engine {
  load(request: LoadRequest, onProgress: (progress: LoadProgress) => void): Promise<LoadedModel>;
  /** Ids equal to Python's `apply_chat_template(tokenize=True, add_generation_prompt=True)`. */
  template(
    prompts: readonly string[],
    options: { readonly kind: "chat" | "raw"; readonly systemPrompt: string | null },
  ): Promise<TemplatedPrompt[]>;
  /** Results arrive one by one as rows finish, in no particular order. Rejects with AbortError after `stop()`. */
  generate(
    requests: readonly GenerateRequest[],
    onResult: (result: GenerateResult) => void | Promise<void>,
    onProgress: (progress: EngineProgress) => void,
  ): Promise<void>;
  score(
    requests: readonly ScoreRequest[],
    onResult: (result: ScoreResult) => void | Promise<void>,
    onProgress: (progress: EngineProgress) => void,
  ): Promise<void>;
  /** Acts within two steps of the running call. */
  stop(): void;
  dispose(): Promise<void>;
}

/** A text as the encoder sees it: its one vector, and the last hidden states of its tokens, special ones left out. */
export interface EmbeddedText {
  /** Unit length, [dimensions]. */
  readonly vector: Float32Array;
  readonly tokens: {
    readonly rows: number;
    readonly dimensions: number;
    /** [rows × dimensions], row-major, not normalised. */
    readonly values: Float32Array;
  };
}

/** Implemented by the class behind `encoder.worker.ts`. */
export interface Encoder {
  load(
    source: ModelSource,
    onProgress: (progress: LoadProgress) => void,
  ): Promise<{ readonly id: string; readonly filesHash: string; readonly dimensions: number }>;
  /** Unit-length embeddings; null for an empty (whitespace) text. A text's embedding does not depend on its batch mates. Texts over 256 tokens are cut into chunks whose embeddings are averaged. */
  embed(texts: readonly string[]): Promise<(Float32Array | null)[]>;
  /** As `embed`, with the vectors of the tokens: 1.5 kB a token for 384 dimensions, so ask for few texts at once. */
  embedTokens(texts: readonly string[]): Promise<(EmbeddedText | null)[]>;
  dispose(): Promise<void>;
}
