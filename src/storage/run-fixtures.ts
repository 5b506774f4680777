/** Small, complete records for tests. */
import type { ActivationRecord, AnalysisRecord, GenerationRecord, RunBundle, RunRecord } from "./records.ts";

export function exampleRun(id = "run-1", changes: Partial<RunRecord> = {}): RunRecord {
  return {
    id,
    spec: {
      schema: "sago-run/1",
      productVersion: "0.1.0",
      model: {
        id: "tiny",
        source: "bundled",
        revision: null,
        filesHash: "a1",
        dtype: "q4",
        layers: 2,
        hiddenSize: 3,
        vocabularySize: 50,
      },
      device: {
        kind: "wasm",
        adapter: null,
        threads: 2,
        runtime: "onnxruntime-web 1.31.0",
        reason: "No WebGPU.",
      },
      encoder: { id: "minilm", filesHash: "b2" },
      dataset: { id: "facts", name: "Facts", kind: "short-answer", contentHash: "c3", labels: null },
      template: { kind: "chat", systemPrompt: "Be brief." },
      decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens: 8, repeats: 1 },
      seed: 7,
      examples: 1,
      variantsPerExample: null,
      nullEditsPerExample: 3,
      rerunShare: 0.05,
      unrelatedPairs: 200,
      batchRows: 8,
    },
    createdAt: "2026-01-02T03:04:05.000Z",
    updatedAt: "2026-01-02T03:04:05.000Z",
    status: "running",
    message: null,
    prompts: [
      {
        exampleId: "e1",
        promptId: "original",
        role: "original",
        family: "original",
        label: "Original",
        text: "Who wrote it? 🖋️",
      },
    ],
    golds: { e1: ["Ada"] },
    elapsedMs: { generation: 12.5 },
    ...changes,
  };
}

export function exampleGeneration(key: string, changes: Partial<GenerationRecord> = {}): GenerationRecord {
  return {
    key,
    runId: "run-1",
    exampleId: "e1",
    promptId: "original",
    repeat: 0,
    promptTokenIds: Int32Array.of(1, 2, 3),
    tokenIds: Int32Array.of(4, 5),
    text: "Ada",
    finish: "eos",
    logProbNats: Float32Array.of(-0.25, -1.5),
    entropyNats: Float32Array.of(0.5, 1),
    topIds: Int32Array.of(4, 9, 5, 8),
    topLogProbNats: Float32Array.of(-0.25, -2, -1.5, -1.75),
    topK: 2,
    tokenTexts: ["A", "da"],
    closeSteps: [1],
    elapsedMs: 3,
    ...changes,
  };
}

export function exampleActivation(key: string, changes: Partial<ActivationRecord> = {}): ActivationRecord {
  return {
    key,
    runId: "run-1",
    exampleId: "e1",
    promptId: "original",
    pooling: "last-prompt-token",
    layers: 2,
    hiddenSize: 3,
    values: Uint16Array.of(0, 1, 0x7bff, 0x8000, 0xfc00, 0x7e01),
    scales: Float32Array.of(1, 0),
    ...changes,
  };
}

export function exampleAnalysis(runId = "run-1", key = "analysis-1"): AnalysisRecord {
  const axis = { estimate: 0.25, low: 0.125, high: 0.5, reason: null };
  const absent = { estimate: null, low: null, high: null, reason: "No layers were found." };
  return {
    key,
    runId,
    createdAt: "2026-01-02T04:00:00.000Z",
    analysis: {
      schema: "sago-analysis/4",
      runId,
      axes: { generation: axis, activation: absent, confidence: axis, mirroring: axis },
    },
  };
}

/** One record in every table, all of run `run-1`, in the order of their keys. */
export function exampleBundle(): RunBundle {
  const placed = { runId: "run-1", exampleId: "e1", promptId: "original" };
  return {
    run: exampleRun(),
    background: {
      key: "b1",
      runId: "run-1",
      prompts: 64,
      layers: 2,
      hiddenSize: 3,
      lastPromptTokenMean: Float32Array.of(0, -0, 1, 2, 3, 4),
      promptMeanMean: Float32Array.of(5, 6, 7, 8, 9, 10),
    },
    generations: [exampleGeneration("g1"), exampleGeneration("g2", { promptId: "v1" })],
    activations: [exampleActivation("a1"), exampleActivation("a2", { pooling: "prompt-mean" })],
    scores: [
      {
        ...placed,
        key: "s1",
        promptExampleId: "e1",
        relation: "original",
        logProbNats: Float32Array.of(-1, -2),
        entropyNats: Float32Array.of(1, 2),
        partitionSize: 2,
        partitionIds: Int32Array.of(4, 9, 5, 8),
        partitionLogProbs: Uint16Array.of(1, 2, 3, 4),
      },
      {
        ...placed,
        key: "s2",
        promptExampleId: "e2",
        relation: "unrelated",
        logProbNats: Float32Array.of(-3, -4),
        entropyNats: Float32Array.of(3, 4),
        partitionSize: 2,
        partitionIds: null,
        partitionLogProbs: Uint16Array.of(5, 6, 7, 8),
      },
    ],
    embeddings: [
      {
        ...placed,
        key: "m1",
        repeat: 0,
        vector: Float32Array.of(0.6, 0.8),
        tokenMatches: {
          others: [{ exampleId: "e2", promptId: "original" }],
          precision: Float32Array.of(0.25),
          recall: Float32Array.of(0.5),
        },
      },
      { ...placed, key: "m2", repeat: 1, vector: null },
    ],
  };
}
