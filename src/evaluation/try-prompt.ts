import type { GenerateResult, ScoreResult, TemplatedPrompt } from "../inference/index.ts";
import { centredCosineDistance, embeddingDistance, jensenShannonDistance } from "../metrics/index.ts";
import { backgroundMeans } from "./background.ts";
import { PARTITION_SIZE } from "./execute.ts";
import type { Workbench } from "./model-loader.ts";
import { batchesOf } from "./pieces.ts";
import type { RunRequest } from "./run-request.ts";

export interface TryWording {
  readonly id: string;
  readonly family: string;
  readonly label: string;
  readonly text: string;
}

export interface TryRequest extends Pick<RunRequest, "model" | "encoder" | "dtype" | "device"> {
  /** The first is the original; all others are compared with it. */
  readonly wordings: readonly [TryWording, ...TryWording[]];
  readonly maxNewTokens: number;
}

/** One wording's row; it arrives twice: with its answer, then with its raw distances to the original. */
export interface TryRow {
  readonly id: string;
  readonly response: string;
  readonly tokenTexts: readonly string[];
  readonly logProbNats: readonly number[];
  readonly finish: GenerateResult["finish"];
  /** What the model thought first; no part of the answer. */
  readonly thinking: GenerateResult["thinking"];
  /** Null until computed, and for the original. */
  readonly distances: {
    readonly generation: number | null;
    readonly activation: number | null;
    readonly confidence: number | null;
  } | null;
}

/** Compares the answers to a few wordings of one prompt. Keeps each model's background means. */
export class TryPrompt {
  readonly #means = new Map<string, Float32Array>();

  /** @throws {DOMException} `AbortError` after `signal` aborts */
  async run(
    request: TryRequest,
    workbench: Workbench,
    backgroundPrompts: readonly string[],
    signal: AbortSignal,
    onRow: (row: TryRow) => void,
  ): Promise<void> {
    const { engine, encoder, model } = workbench;
    const template = { kind: model.chatTemplate ? "chat" : "raw", systemPrompt: null } as const;
    const templated = await engine.template(
      request.wordings.map((wording) => wording.text),
      template,
    );
    const pieces = request.wordings.map((wording, index) => ({
      key: wording.id,
      wording,
      templated: templateAt(templated, index),
    }));
    const answers = new Map<string, GenerateResult>();
    for (const batch of batchesOf(pieces, model.batchRows)) {
      signal.throwIfAborted();
      await engine.generate(
        batch.map((piece) => ({
          key: piece.key,
          promptTokenIds: piece.templated.tokenIds,
          contentRange: piece.templated.contentRange,
          decoding: {
            kind: "greedy",
            temperature: null,
            topP: null,
            maxNewTokens: request.maxNewTokens,
            repeats: 1,
          },
          stream: { seed: 0, exampleId: "try", promptId: piece.key, repeat: 0 },
        })),
        (result) => {
          answers.set(result.key, result);
          onRow(rowOf(result, null));
        },
        () => undefined,
      );
    }

    const mean = await this.#backgroundMean(workbench, backgroundPrompts, signal);
    const [original, ...others] = pieces;
    const originalAnswer = original && answers.get(original.key);
    if (!original || !originalAnswer) return;
    const embeddings = await encoder.embed(pieces.map((piece) => answers.get(piece.key)?.text ?? ""));
    const scores = await scoreUnderAll(pieces, originalAnswer.tokenIds, workbench, signal);
    const originalScore = scores.get(original.key);
    others.forEach((piece, index) => {
      const answer = answers.get(piece.key);
      if (!answer) return;
      const score = scores.get(piece.key);
      onRow(
        rowOf(answer, {
          generation: embeddingDistance(embeddings[0] ?? null, embeddings[index + 1] ?? null),
          activation: activationDistance(originalAnswer, answer, mean, workbench),
          confidence:
            originalScore && score
              ? jensenShannonDistance(
                  originalScore.partitionLogProbs,
                  score.partitionLogProbs,
                  PARTITION_SIZE,
                )
              : null,
        }),
      );
    });
  }

  async #backgroundMean(
    { engine, model }: Workbench,
    prompts: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array | null> {
    if (!model.activations.available) return null;
    const name = `${model.identity.filesHash} ${model.device.kind}`;
    const known = this.#means.get(name);
    if (known) return known;
    const templated = await engine.template(prompts, {
      kind: model.chatTemplate ? "chat" : "raw",
      systemPrompt: null,
    });
    const pieces = templated.map((template, index) => ({ key: String(index), templated: template }));
    const results: GenerateResult[] = [];
    for (const batch of batchesOf(pieces, model.batchRows)) {
      signal.throwIfAborted();
      await engine.generate(
        batch.map((piece) => ({
          key: piece.key,
          promptTokenIds: piece.templated.tokenIds,
          contentRange: piece.templated.contentRange,
          decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens: 1, repeats: 1 },
          stream: { seed: 0, exampleId: "background", promptId: piece.key, repeat: 0 },
          prefillOnly: true,
        })),
        (result) => void results.push(result),
        () => undefined,
      );
    }
    const { lastPromptTokenMean } = backgroundMeans(
      results,
      model.activations.layers,
      model.identity.hiddenSize,
    );
    this.#means.set(name, lastPromptTokenMean);
    return lastPromptTokenMean;
  }
}

async function scoreUnderAll(
  pieces: readonly { readonly key: string; readonly templated: TemplatedPrompt }[],
  responseTokenIds: Int32Array,
  { engine, model }: Workbench,
  signal: AbortSignal,
): Promise<Map<string, ScoreResult>> {
  const scores = new Map<string, ScoreResult>();
  const [original, ...others] = pieces;
  if (!original || responseTokenIds.length === 0) return scores;
  const keep = (result: ScoreResult) => void scores.set(result.key, result);
  await engine.score(
    [
      {
        key: original.key,
        promptTokenIds: original.templated.tokenIds,
        responseTokenIds,
        partition: { mode: "define", size: PARTITION_SIZE },
      },
    ],
    keep,
    () => undefined,
  );
  const ids = scores.get(original.key)?.partitionIds;
  if (!ids) return scores;
  for (const batch of batchesOf(others, model.batchRows)) {
    signal.throwIfAborted();
    await engine.score(
      batch.map((piece) => ({
        key: piece.key,
        promptTokenIds: piece.templated.tokenIds,
        responseTokenIds,
        partition: { mode: "use", size: PARTITION_SIZE, ids },
      })),
      keep,
      () => undefined,
    );
  }
  return scores;
}

function activationDistance(
  a: GenerateResult,
  b: GenerateResult,
  mean: Float32Array | null,
  { model }: Workbench,
): number | null {
  if (!mean || !a.lastPromptToken || !b.lastPromptToken) return null;
  return centredCosineDistance(a.lastPromptToken, b.lastPromptToken, mean, model.identity.hiddenSize);
}

function templateAt(templated: readonly TemplatedPrompt[], index: number): TemplatedPrompt {
  const template = templated[index];
  if (!template) throw new RangeError("There is not one templated prompt for each wording.");
  return template;
}

function rowOf(result: GenerateResult, distances: TryRow["distances"]): TryRow {
  return {
    id: result.key,
    response: result.text,
    tokenTexts: result.tokenTexts,
    logProbNats: [...result.logProbNats],
    finish: result.finish,
    thinking: result.thinking,
    distances,
  };
}
