/**
 * Schemas that records are read through, both from the database and from an imported file. They check the
 * shape and what the lengths of the typed arrays promise each other; they never change a value, and they
 * keep fields that they do not know.
 */
import * as v from "valibot";
import {
  WORDING_SOURCES,
  type ActivationRecord,
  type AnalysisRecord,
  type BackgroundRecord,
  type EmbeddingRecord,
  type GenerationRecord,
  type RunRecord,
  type ScoreRecord,
} from "./records.ts";

/** Compared by tag: an array that came through a structured clone may belong to another realm. */
const typedArray = <T>(tag: string) =>
  v.custom<T>(
    (value) => Object.prototype.toString.call(value) === `[object ${tag}]`,
    (issue) => `expected ${tag}, found ${issue.received}`,
  );

const float32 = typedArray<Float32Array>("Float32Array");
const int32 = typedArray<Int32Array>("Int32Array");
const uint16 = typedArray<Uint16Array>("Uint16Array");
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const key = v.pipe(v.string(), v.nonEmpty("expected a key, found an empty text"));
const placed = { key, runId: key, exampleId: key, promptId: key };

/** How a record is read: its shape, then what its lengths promise each other. */
export interface RecordReader<T> {
  readonly schema: v.GenericSchema<unknown, T>;
  readonly lengths: (record: T) => readonly LengthRule[];
}

/** A length that follows from other fields of the record. */
export interface LengthRule {
  readonly field: string;
  /** null: the field is absent, and there is nothing to check */
  readonly found: number | null;
  readonly expected: number;
  readonly why: string;
}

const modelIdentity = v.looseObject({
  id: v.string(),
  source: v.picklist(["bundled", "hub", "folder"]),
  revision: v.nullable(v.string()),
  filesHash: v.string(),
  dtype: v.string(),
  layers: count,
  hiddenSize: count,
  vocabularySize: count,
});

const deviceIdentity = v.looseObject({
  kind: v.picklist(["wasm", "webgpu"]),
  adapter: v.nullable(v.string()),
  threads: count,
  runtime: v.string(),
  reason: v.string(),
});

const runSpec = v.looseObject({
  schema: v.literal("sago-run/1"),
  productVersion: v.string(),
  model: modelIdentity,
  device: deviceIdentity,
  encoder: v.looseObject({
    id: v.string(),
    filesHash: v.string(),
    source: v.exactOptional(v.picklist(["bundled", "hub", "folder"])),
    revision: v.exactOptional(v.nullable(v.string())),
  }),
  dataset: v.looseObject({
    id: v.string(),
    name: v.string(),
    kind: v.picklist(["short-answer", "free-text", "classification"]),
    contentHash: v.string(),
    labels: v.nullable(v.array(v.string())),
  }),
  template: v.looseObject({ kind: v.picklist(["chat", "raw"]), systemPrompt: v.nullable(v.string()) }),
  decoding: v.looseObject({
    kind: v.picklist(["greedy", "sampled"]),
    temperature: v.nullable(v.number()),
    topP: v.nullable(v.number()),
    maxNewTokens: count,
    repeats: count,
  }),
  seed: v.number(),
  examples: count,
  variantsPerExample: v.nullable(count),
  wordings: v.exactOptional(v.picklist(WORDING_SOURCES)),
  nullEditsPerExample: count,
  rerunShare: v.number(),
  unrelatedPairs: count,
  batchRows: count,
});

const meaningGate = v.looseObject({
  key,
  threshold: v.nullable(v.number()),
  notApplied: v.nullable(v.string()),
  unrelatedPairs: count,
  quantile: v.number(),
  unrelatedSimilarity: v.nullable(v.number()),
  margin: v.number(),
  checked: count,
  rejected: v.array(
    v.looseObject({
      exampleId: key,
      promptId: key,
      family: v.string(),
      label: v.string(),
      text: v.string(),
      strength: v.exactOptional(v.number()),
      similarity: v.nullable(v.number()),
      reason: v.string(),
    }),
  ),
});

const selfTest = v.looseObject({
  positions: count,
  toleranceNats: v.number(),
  cacheDifferenceNats: v.number(),
  cacheSameTop: count,
  referenceDifferenceNats: v.nullable(v.number()),
  referenceSameTop: v.nullable(count),
  elapsedMs: v.number(),
});

export const runReader: RecordReader<RunRecord> = {
  schema: v.looseObject({
    id: key,
    spec: runSpec,
    createdAt: v.string(),
    updatedAt: v.string(),
    status: v.picklist(["planned", "running", "stopped", "finished", "failed"]),
    message: v.nullable(v.string()),
    prompts: v.array(
      v.looseObject({
        exampleId: key,
        promptId: key,
        role: v.picklist(["original", "variant", "null-edit"]),
        family: v.string(),
        label: v.string(),
        text: v.string(),
        strength: v.exactOptional(v.number()),
        similarity: v.exactOptional(v.number()),
      }),
    ),
    meaningGate: v.exactOptional(meaningGate),
    selfTest: v.exactOptional(selfTest),
    golds: v.record(v.string(), v.array(v.string())),
    elapsedMs: v.record(v.string(), v.number()),
    stored: v.exactOptional(v.boolean()),
  }),
  lengths: () => [],
};

export const generationReader: RecordReader<GenerationRecord> = {
  schema: v.looseObject({
    ...placed,
    repeat: count,
    promptTokenIds: int32,
    tokenIds: int32,
    text: v.string(),
    finish: v.picklist(["eos", "length", "context"]),
    logProbNats: float32,
    entropyNats: float32,
    topIds: int32,
    topLogProbNats: float32,
    topK: count,
    tokenTexts: v.array(v.string()),
    closeSteps: v.array(count),
    elapsedMs: v.number(),
    thinking: v.exactOptional(v.looseObject({ text: v.string(), tokens: count, closed: v.boolean() })),
  }),
  lengths: (record) => {
    const tokens = record.tokenIds.length;
    const perToken = (field: "logProbNats" | "entropyNats" | "tokenTexts") => ({
      field,
      found: record[field].length,
      expected: tokens,
      why: "one a token",
    });
    const perTopToken = (field: "topIds" | "topLogProbNats") => ({
      field,
      found: record[field].length,
      expected: tokens * record.topK,
      why: "topK a token",
    });
    return [
      perToken("logProbNats"),
      perToken("entropyNats"),
      perToken("tokenTexts"),
      perTopToken("topIds"),
      perTopToken("topLogProbNats"),
    ];
  },
};

export const activationReader: RecordReader<ActivationRecord> = {
  schema: v.looseObject({
    ...placed,
    pooling: v.picklist(["last-prompt-token", "prompt-mean", "response-mean"]),
    layers: count,
    hiddenSize: count,
    values: uint16,
    scales: float32,
  }),
  lengths: (record) => [
    {
      field: "values",
      found: record.values.length,
      expected: record.layers * record.hiddenSize,
      why: "layers × hiddenSize",
    },
    { field: "scales", found: record.scales.length, expected: record.layers, why: "one a layer" },
  ],
};

export const backgroundReader: RecordReader<BackgroundRecord> = {
  schema: v.looseObject({
    key,
    runId: key,
    prompts: count,
    layers: count,
    hiddenSize: count,
    lastPromptTokenMean: float32,
    promptMeanMean: float32,
  }),
  lengths: (record) =>
    (["lastPromptTokenMean", "promptMeanMean"] as const).map((field) => ({
      field,
      found: record[field].length,
      expected: record.layers * record.hiddenSize,
      why: "layers × hiddenSize",
    })),
};

export const scoreReader: RecordReader<ScoreRecord> = {
  schema: v.looseObject({
    ...placed,
    promptExampleId: key,
    relation: v.picklist(["original", "variant", "null-edit", "unrelated", "rerun"]),
    logProbNats: float32,
    entropyNats: float32,
    partitionSize: count,
    partitionIds: v.nullable(int32),
    partitionLogProbs: uint16,
  }),
  lengths: (record) => {
    const tokens = record.logProbNats.length;
    const cells = tokens * record.partitionSize;
    const why = "partitionSize a token";
    return [
      { field: "entropyNats", found: record.entropyNats.length, expected: tokens, why: "one a token" },
      { field: "partitionIds", found: record.partitionIds?.length ?? null, expected: cells, why },
      { field: "partitionLogProbs", found: record.partitionLogProbs.length, expected: cells, why },
    ];
  },
};

export const embeddingReader: RecordReader<EmbeddingRecord> = {
  schema: v.looseObject({
    ...placed,
    repeat: count,
    vector: v.nullable(float32),
    tokenMatches: v.exactOptional(
      v.looseObject({
        others: v.array(v.looseObject({ exampleId: key, promptId: key })),
        precision: float32,
        recall: float32,
      }),
    ),
  }),
  lengths: ({ tokenMatches }) =>
    (["precision", "recall"] as const).map((field) => ({
      field: `tokenMatches.${field}`,
      found: tokenMatches?.[field].length ?? null,
      expected: tokenMatches?.others.length ?? 0,
      why: "one a pair",
    })),
};

export const analysisReader: RecordReader<AnalysisRecord> = {
  schema: v.looseObject({
    key,
    runId: key,
    createdAt: v.string(),
    analysis: v.unknown(),
  }),
  lengths: () => [],
};
