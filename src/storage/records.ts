/**
 * The plain data that a run leaves behind. Everything here is structured-cloneable and lossless in an
 * export; every figure on the page is recomputed from it without the model.
 */

/** The four axes, in the order in which they are always shown. */
export const AXES = ["generation", "activation", "confidence", "mirroring"] as const;
export type AxisId = (typeof AXES)[number];

/** Where a run's variants come from: the set's own, the paper's families made by rule, or both. */
export const WORDING_SOURCES = ["own", "paper", "both"] as const;
export type WordingSource = (typeof WORDING_SOURCES)[number];

export type DeviceKind = "wasm" | "webgpu";
export type PromptRole = "original" | "variant" | "null-edit";

/** Greedy, or seeded sampling. `repeats` is the number R of independent answers to each prompt. */
export interface DecodingSpec {
  readonly kind: "greedy" | "sampled";
  /** null for greedy. */
  readonly temperature: number | null;
  /** Nucleus mass in (0, 1]; null means the whole distribution. */
  readonly topP: number | null;
  readonly maxNewTokens: number;
  readonly repeats: number;
}

export interface ModelIdentity {
  readonly id: string;
  readonly source: "bundled" | "hub" | "folder";
  readonly revision: string | null;
  /** SHA-256 (hex) over the paths and hashes of every file that was loaded. */
  readonly filesHash: string;
  readonly dtype: string;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly vocabularySize: number;
}

/** The sentence encoder of a run. `source` and `revision` are absent in runs of version 0.1: those had the bundled one. */
export interface EncoderIdentity {
  readonly id: string;
  readonly filesHash: string;
  readonly source?: ModelIdentity["source"];
  readonly revision?: string | null;
}

export interface DeviceIdentity {
  readonly kind: DeviceKind;
  /** WebGPU: vendor/architecture of the adapter. */
  readonly adapter: string | null;
  readonly threads: number;
  /** For example `onnxruntime-web 1.31.0`. */
  readonly runtime: string;
  /** Why this device was chosen, as one sentence for the reader. */
  readonly reason: string;
}

/**
 * What the test after loading the model found: fixed tokens read at once and token by token, and compared with a
 * stored reference where there is one. Only a model that passed is ever run.
 */
export interface SelfTestRecord {
  /** Positions compared. */
  readonly positions: number;
  readonly toleranceNats: number;
  /** One pass against token by token: largest difference of a log-probability, and equal likeliest tokens. */
  readonly cacheDifferenceNats: number;
  readonly cacheSameTop: number;
  /** One pass against the stored reference; null where there is none. */
  readonly referenceDifferenceNats: number | null;
  readonly referenceSameTop: number | null;
  readonly elapsedMs: number;
}

/** Everything that determines a run's results. Equal specs on one device give equal results. */
export interface RunSpec {
  readonly schema: "sago-run/1";
  readonly productVersion: string;
  readonly model: ModelIdentity;
  readonly device: DeviceIdentity;
  readonly encoder: EncoderIdentity;
  readonly dataset: {
    readonly id: string;
    readonly name: string;
    readonly kind: "short-answer" | "free-text" | "classification";
    /** SHA-256 (hex) of the canonical JSON of the whole dataset. */
    readonly contentHash: string;
    readonly labels: readonly string[] | null;
  };
  readonly template: { readonly kind: "chat" | "raw"; readonly systemPrompt: string | null };
  readonly decoding: DecodingSpec;
  readonly seed: number;
  readonly examples: number;
  /** At most this many variants an example, spread over its families; null means all. */
  readonly variantsPerExample: number | null;
  /** Absent in runs of version 0.1: those had the set's own. */
  readonly wordings?: WordingSource;
  readonly nullEditsPerExample: number;
  /** Share of prompts generated a second time to see whether the device is deterministic. */
  readonly rerunShare: number;
  /** Number of unrelated pairs scored for the ceiling C of the confidence axis. */
  readonly unrelatedPairs: number;
  /**
   * Rows decoded together. Fixed for the whole run: a continued run forms the very same batches, since
   * the last bits of a float depend on the shapes of the arrays that were multiplied.
   */
  readonly batchRows: number;
}

export type RunStatus = "planned" | "running" | "stopped" | "finished" | "failed";

export interface RunRecord {
  /** Content hash of the spec and the planned prompts, plus a creation nonce. Never changes. */
  readonly id: string;
  readonly spec: RunSpec;
  readonly createdAt: string;
  updatedAt: string;
  status: RunStatus;
  /** The message shown when the run failed or was stopped; null otherwise. */
  message: string | null;
  /** The planned pieces, so that a reload continues without the dataset at hand. */
  readonly prompts: readonly PlannedPrompt[];
  readonly golds: Readonly<Record<string, readonly string[]>>;
  readonly meaningGate?: MeaningGateRecord;
  /** Of the load that the run began with; absent in runs of version 0.1. */
  readonly selfTest?: SelfTestRecord;
  /** Wall time spent so far, by phase. */
  elapsedMs: Readonly<Record<string, number>>;
  /** True for the stored example run that comes with the page. */
  readonly stored?: boolean;
}

/** One prompt of a run. `key` identifies the piece of work over all runs (content hash). */
export interface PlannedPrompt {
  readonly exampleId: string;
  /** `original`, a variant's id, or a null edit's id. */
  readonly promptId: string;
  readonly role: PromptRole;
  /** `original`, a variant family, or `null-edit`. */
  readonly family: string;
  readonly label: string;
  readonly text: string;
  /** How strongly the family's aspect is changed, on the family's own scale; absent where there are no degrees. */
  readonly strength?: number;
  /** Variants that passed a meaning gate: cosine similarity with the original's text, −1 … 1. */
  readonly similarity?: number;
}

/**
 * The rule by which variants were turned away before the run because they do not mean the same as the original.
 * Runs made before there was a gate have none.
 */
export interface MeaningGateRecord {
  /** Content hash of all that determines the decisions: the encoder's files, the texts, the rule. */
  readonly key: string;
  /** null: nothing was turned away, for the reason in `notApplied`. */
  readonly threshold: number | null;
  readonly notApplied: string | null;
  /** Similarities of unrelated pairs of the same set that the threshold was calibrated on. */
  readonly unrelatedPairs: number;
  /** Their quantile at `quantile`, to which `margin` was added. */
  readonly quantile: number;
  readonly unrelatedSimilarity: number | null;
  readonly margin: number;
  readonly checked: number;
  readonly rejected: readonly RejectedVariant[];
}

/** A variant that was not run. */
export interface RejectedVariant {
  readonly exampleId: string;
  readonly promptId: string;
  readonly family: string;
  readonly label: string;
  readonly text: string;
  readonly strength?: number;
  /** null where a text has no embedding. */
  readonly similarity: number | null;
  /** One sentence. */
  readonly reason: string;
}

/** How a response ended. `context` means that the model's context length was reached. */
export type FinishReason = "eos" | "length" | "context";

/** One finished response. `repeat` 0…R−1; the re-run of a greedy prompt has the next number. */
export interface GenerationRecord {
  readonly key: string;
  readonly runId: string;
  readonly exampleId: string;
  readonly promptId: string;
  readonly repeat: number;
  /** Token ids of the templated prompt. */
  readonly promptTokenIds: Int32Array;
  readonly tokenIds: Int32Array;
  readonly text: string;
  readonly finish: FinishReason;
  /** Per token of the response, [T], nats, ≤ 0. */
  readonly logProbNats: Float32Array;
  /** Entropy of the next-token distribution, [T], nats. */
  readonly entropyNats: Float32Array;
  /** The k likeliest tokens at each step, [T × k], likeliest first. */
  readonly topIds: Int32Array;
  readonly topLogProbNats: Float32Array;
  readonly topK: number;
  /** Text of each token, for shading; joins to `text` up to whitespace clean-up. */
  readonly tokenTexts: readonly string[];
  /** Steps at which the gap between the two best logits was below 1e-3. */
  readonly closeSteps: readonly number[];
  readonly elapsedMs: number;
  /** What the model thought before it answered: no part of anything above. Absent where it did not think. */
  readonly thinking?: {
    readonly text: string;
    readonly tokens: number;
    /** False: the block was never closed, so the answer is empty. */
    readonly closed: boolean;
  };
}

export type Pooling = "last-prompt-token" | "prompt-mean" | "response-mean";

/**
 * Pooled residual stream of one prompt: layers 1…L (the embedding layer is not stored), each stored as
 * (h − μ) / scale in float16, where μ is the mean over the background prompts and scale the largest
 * absolute value. Centred, so that massive activations neither overflow nor drown the differences.
 */
export interface ActivationRecord {
  readonly key: string;
  readonly runId: string;
  readonly exampleId: string;
  readonly promptId: string;
  readonly pooling: Pooling;
  readonly layers: number;
  readonly hiddenSize: number;
  /** [L × d] IEEE 754 binary16 bit patterns. */
  readonly values: Uint16Array;
  /** [L]; value = float16 · scale. 0 where the centred vector is exactly zero. */
  readonly scales: Float32Array;
}

/** Mean residual stream over the background prompts of a run, [L × d] per pooling, float32. */
export interface BackgroundRecord {
  readonly key: string;
  readonly runId: string;
  readonly prompts: number;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly lastPromptTokenMean: Float32Array;
  readonly promptMeanMean: Float32Array;
}

/**
 * Teacher forcing: the greedy response y₀ of example `exampleId`'s original, scored under another prompt.
 * `original` is the response under its own prompt (it defines the shared partition).
 */
export interface ScoreRecord {
  readonly key: string;
  readonly runId: string;
  /** Whose response was scored. */
  readonly exampleId: string;
  /** Under whose prompt: equal to `exampleId` but for unrelated pairs. */
  readonly promptExampleId: string;
  readonly promptId: string;
  readonly relation: "original" | "variant" | "null-edit" | "unrelated" | "rerun";
  /** Log-probability of each response token, [T], nats. */
  readonly logProbNats: Float32Array;
  readonly entropyNats: Float32Array;
  /** K: size of the shared partition without its pooled remainder. */
  readonly partitionSize: number;
  /** Token ids of the partition, [T × K]: kept with the `original` relation only, else null. */
  readonly partitionIds: Int32Array | null;
  /** [T × K] log-probabilities (nats) of the partition's tokens, IEEE 754 binary16 bit patterns. */
  readonly partitionLogProbs: Uint16Array;
}

/** Sentence embedding of one response, unit length, [d]; null for an empty response. */
export interface EmbeddingRecord {
  readonly key: string;
  readonly runId: string;
  readonly exampleId: string;
  readonly promptId: string;
  readonly repeat: number;
  readonly vector: Float32Array | null;
  /**
   * How well the tokens of this answer and of others match, for the first answers to the original and the variants:
   * each with those of its question's wordings before it in the plan, and originals also with originals of other
   * questions. Pairs with an empty answer are left out. Absent in runs of version 0.1.
   */
  readonly tokenMatches?: {
    readonly others: readonly { readonly exampleId: string; readonly promptId: string }[];
    /** One a pair: mean over this answer's tokens of the best cosine in the other, −1 … 1. */
    readonly precision: Float32Array;
    /** One a pair: mean over the other answer's tokens. */
    readonly recall: Float32Array;
  };
}

/** A stored analysis: plain JSON, read back through its schema. */
export interface AnalysisRecord {
  readonly key: string;
  readonly runId: string;
  readonly createdAt: string;
  readonly analysis: unknown;
}

/** All records of one run, as the analysis takes them and as an export holds them. */
export interface RunBundle {
  readonly run: RunRecord;
  readonly background: BackgroundRecord | null;
  readonly generations: readonly GenerationRecord[];
  readonly activations: readonly ActivationRecord[];
  readonly scores: readonly ScoreRecord[];
  readonly embeddings: readonly EmbeddingRecord[];
}
