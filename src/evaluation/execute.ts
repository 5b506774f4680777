import type { Encoder, Engine, GenerateResult, LoadedModel, ScoreResult } from "../inference/index.ts";
import { encodeCentred, encodeFloat16 } from "../metrics/index.ts";
import type {
  ActivationRecord,
  BackgroundRecord,
  GenerationRecord,
  Pooling,
  RunRecord,
  RunStore,
  ScoreRecord,
} from "../storage/index.ts";
import { backgroundMeans } from "./background.ts";
import { contentKey } from "./content-key.ts";
import { AnswerEmbedding, embeddingKey } from "./embed-answers.ts";
import { COST, ProgressMeter, type ExecutionProgress } from "./execution-progress.ts";
import { batchesOf, piecesOf, type GenerationPiece, type ScorePiece, type WorkGroup } from "./pieces.ts";

/** Size K of the shared partition of the vocabulary: the original's likeliest tokens at each position. */
export const PARTITION_SIZE = 128;

export interface ExecutionContext {
  readonly engine: Engine;
  readonly encoder: Encoder;
  readonly store: RunStore;
  readonly model: LoadedModel;
  /** Prompts disjoint from the dataset: their mean residual stream centres the activations. */
  readonly backgroundPrompts: readonly string[];
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExecutionProgress) => void;
  /** A group of examples has all its pieces. */
  readonly onExamplesDone: (exampleIds: readonly string[]) => void;
}

/**
 * Executes what is missing of a run, writing each finished piece at once.
 *
 * A batch that misses any piece is computed whole, with the batch mates it always has, and only what is
 * missing is written: so a continued run ends in exactly the records of an uninterrupted one.
 *
 * @throws {DOMException} `AbortError` after `signal` aborts; what was finished is stored
 */
export async function executeRun(run: RunRecord, context: ExecutionContext): Promise<void> {
  await new Execution(run, context).execute();
}

class Execution {
  readonly #run: RunRecord;
  readonly #context: ExecutionContext;
  #means: BackgroundRecord | null = null;
  #embedding: AnswerEmbedding | null = null;
  readonly #have = new Set<string>();
  /** Answers by the key of their piece: what embedding and scoring need of them. */
  readonly #answers = new Map<string, Answer>();

  constructor(run: RunRecord, context: ExecutionContext) {
    this.#run = run;
    this.#context = context;
  }

  async execute(): Promise<void> {
    const { engine, backgroundPrompts, onProgress } = this.#context;
    const templated = await engine.template(
      this.#run.prompts.map((prompt) => prompt.text),
      this.#run.spec.template,
    );
    const groups = piecesOf(this.#run, templated);
    await this.#recall(groups);
    this.#embedding = new AnswerEmbedding(
      this.#run,
      groups.flatMap(({ generations }) => generations),
      (key) => this.#answer(key).text,
    );

    const meter = new ProgressMeter(
      backgroundPrompts.length * COST.background + groups.reduce((sum, group) => sum + costOf(group), 0),
      groups.reduce((sum, group) => sum + group.exampleIds.length, 0),
      onProgress,
    );
    await this.#background(meter);
    for (const group of groups) {
      this.#context.signal.throwIfAborted();
      await this.#group(group, meter);
      meter.exampleDone(group.exampleIds.length);
      this.#context.onExamplesDone(group.exampleIds);
    }
  }

  /** What is stored already. An answer without its activations counts as missing. */
  async #recall(groups: readonly WorkGroup[]): Promise<void> {
    const snapshot = await this.#context.store.openSnapshot(this.#run.id);
    if (!snapshot) throw new Error("This run is no longer in the browser's storage.");
    for await (const records of snapshot.read("backgrounds")) this.#means = records[0] ?? this.#means;
    for await (const records of snapshot.read("generations")) {
      for (const { key, text, tokenIds } of records) {
        this.#have.add(key);
        this.#answers.set(key, { text, tokenIds });
      }
    }
    for (const table of ["scores", "embeddings"] as const) {
      for await (const records of snapshot.read(table)) {
        for (const { key } of records) this.#have.add(key);
      }
    }
    if (!this.#context.model.activations.available) return;
    const activations = new Set<string>();
    for await (const records of snapshot.read("activations")) {
      for (const { key } of records) activations.add(key);
    }
    for (const { key, repeat, templated } of groups.flatMap((group) => group.generations)) {
      const poolings: Pooling[] =
        templated.contentRange === null ? ["last-prompt-token"] : ["last-prompt-token", "prompt-mean"];
      if (repeat === 0 && !poolings.every((pooling) => activations.has(activationKey(key, pooling)))) {
        this.#have.delete(key);
      }
    }
  }

  async #background(meter: ProgressMeter): Promise<void> {
    const { engine, store, model, backgroundPrompts } = this.#context;
    meter.begin("background");
    if (this.#means === null && model.activations.available) {
      const templated = await engine.template(backgroundPrompts, this.#run.spec.template);
      const pieces = templated.map((template, index) => ({ key: String(index), templated: template }));
      const results = new Map<string, GenerateResult>();
      for (const batch of batchesOf(pieces, this.#run.spec.batchRows)) {
        this.#context.signal.throwIfAborted();
        await engine.generate(
          batch.map((piece) => ({
            key: piece.key,
            promptTokenIds: piece.templated.tokenIds,
            contentRange: piece.templated.contentRange,
            decoding: this.#run.spec.decoding,
            stream: { seed: this.#run.spec.seed, exampleId: "background", promptId: piece.key, repeat: 0 },
            prefillOnly: true,
          })),
          (result) => void results.set(result.key, result),
          () => undefined,
        );
        meter.partial(results.size * COST.background);
      }
      const means = backgroundMeans(
        pieces.map((piece) => results.get(piece.key) ?? null),
        model.activations.layers,
        model.identity.hiddenSize,
      );
      this.#means = {
        key: contentKey({ piece: "background", run: this.#run.id }),
        runId: this.#run.id,
        layers: model.activations.layers,
        hiddenSize: model.identity.hiddenSize,
        ...means,
      };
      await store.putBackground(this.#means);
    }
    meter.finish(backgroundPrompts.length * COST.background);
  }

  async #group(group: WorkGroup, meter: ProgressMeter): Promise<void> {
    meter.begin("answers");
    await this.#generations(group.generations, meter);
    meter.begin("embedding");
    await this.#embeddings(group, meter);
    meter.begin("scoring");
    await this.#scores(group, meter);
    meter.begin("re-runs");
    await this.#generations(group.reruns, meter);
  }

  async #generations(pieces: readonly GenerationPiece[], meter: ProgressMeter): Promise<void> {
    const { engine, signal } = this.#context;
    const { spec } = this.#run;
    for (const batch of batchesOf(pieces, spec.batchRows)) {
      signal.throwIfAborted();
      if (batch.some((piece) => !this.#have.has(piece.key))) {
        const started = performance.now();
        let tokens = 0;
        await engine.generate(
          batch.map((piece) => ({
            key: piece.key,
            promptTokenIds: piece.templated.tokenIds,
            contentRange: piece.templated.contentRange,
            decoding: spec.decoding,
            stream: {
              seed: spec.seed,
              exampleId: piece.prompt.exampleId,
              promptId: piece.prompt.promptId,
              repeat: piece.repeat,
            },
          })),
          async (result) => {
            tokens += result.tokenIds.length;
            this.#answers.set(result.key, { text: result.text, tokenIds: result.tokenIds });
            const piece = batch.find((candidate) => candidate.key === result.key);
            if (piece && !this.#have.has(piece.key)) await this.#storeGeneration(piece, result);
          },
          (progress) => {
            const share = progress.decodedTokens / (batch.length * spec.decoding.maxNewTokens);
            meter.partial(batch.length * COST.generation * Math.min(1, share));
          },
        );
        meter.decoded(tokens, performance.now() - started);
      }
      batch.forEach(() => meter.answer());
      meter.finish(batch.length * COST.generation);
    }
  }

  async #storeGeneration(piece: GenerationPiece, result: GenerateResult): Promise<void> {
    const runId = this.#run.id;
    const { exampleId, promptId } = piece.prompt;
    const generation: GenerationRecord = {
      key: piece.key,
      runId,
      exampleId,
      promptId,
      repeat: piece.repeat,
      promptTokenIds: piece.templated.tokenIds,
      tokenIds: result.tokenIds,
      text: result.text,
      finish: result.finish,
      logProbNats: result.logProbNats,
      entropyNats: result.entropyNats,
      topIds: result.topIds,
      topLogProbNats: result.topLogProbNats,
      topK: result.topK,
      tokenTexts: result.tokenTexts,
      closeSteps: result.closeSteps,
      elapsedMs: result.elapsedMs,
      ...(result.thinking === null ? {} : { thinking: result.thinking }),
    };
    // Activations belong to the prompt: the first answer brings them, later repeats would only repeat them.
    const activations = piece.repeat === 0 ? this.#activationsOf(piece, result) : [];
    await this.#context.store.putGeneration({ generation, activations });
    this.#have.add(piece.key);
  }

  #activationsOf(piece: GenerationPiece, result: GenerateResult): ActivationRecord[] {
    const means = this.#means;
    if (!means) return [];
    const record = (pooling: Pooling, pooled: Float32Array | null, mean: Float32Array): ActivationRecord[] =>
      pooled === null
        ? []
        : [
            {
              key: activationKey(piece.key, pooling),
              runId: this.#run.id,
              exampleId: piece.prompt.exampleId,
              promptId: piece.prompt.promptId,
              pooling,
              layers: means.layers,
              hiddenSize: means.hiddenSize,
              ...encodeCentred(pooled, mean, means.layers, means.hiddenSize),
            },
          ];
    return [
      ...record("last-prompt-token", result.lastPromptToken, means.lastPromptTokenMean),
      ...record("prompt-mean", result.promptMean, means.promptMeanMean),
    ];
  }

  async #embeddings(group: WorkGroup, meter: ProgressMeter): Promise<void> {
    const { store, encoder, signal } = this.#context;
    const missing = group.generations.filter((piece) => !this.#have.has(embeddingKey(piece.key)));
    const records = (await this.#embedding?.records(missing, encoder, signal)) ?? [];
    await store.putEmbeddings(records);
    for (const record of records) this.#have.add(record.key);
    meter.finish(group.generations.length * COST.embedding);
  }

  #answer(key: string): Answer {
    const answer = this.#answers.get(key);
    if (!answer) throw new Error("The model returned no answer for a prompt. Start the run again.");
    return answer;
  }

  async #scores(group: WorkGroup, meter: ProgressMeter): Promise<void> {
    if (group.scores.every((piece) => this.#have.has(piece.key))) {
      meter.finish(group.scores.length * COST.score);
      return;
    }
    const responses = new Map(
      group.generations
        .filter((piece) => piece.prompt.role === "original" && piece.repeat === 0)
        .map((piece) => [piece.prompt.exampleId, this.#answer(piece.key).tokenIds]),
    );
    const answered = group.scores.filter((piece) => (responses.get(piece.exampleId)?.length ?? 0) > 0);
    const originals = answered.filter((piece) => piece.relation === "original");
    const others = answered.filter((piece) => piece.relation !== "original");
    const partitions = new Map<string, Int32Array>();
    await this.#scoreBatches(originals, responses, null, partitions, meter);
    await this.#scoreBatches(others, responses, partitions, partitions, meter);
    // Examples whose original answer is empty have nothing to score: the axis says so.
    meter.finish((group.scores.length - answered.length) * COST.score);
  }

  async #scoreBatches(
    pieces: readonly ScorePiece[],
    responses: ReadonlyMap<string, Int32Array>,
    use: ReadonlyMap<string, Int32Array> | null,
    partitions: Map<string, Int32Array>,
    meter: ProgressMeter,
  ): Promise<void> {
    const { engine, signal } = this.#context;
    for (const batch of batchesOf(pieces, this.#run.spec.batchRows)) {
      signal.throwIfAborted();
      // The partitions are needed even when the originals' scores are stored already.
      if (use === null || batch.some((piece) => !this.#have.has(piece.key))) {
        const pending: ScoreRecord[] = [];
        await engine.score(
          batch.map((piece) => {
            const ids = use?.get(piece.exampleId);
            return {
              key: piece.key,
              promptTokenIds: piece.templated.tokenIds,
              responseTokenIds: responses.get(piece.exampleId) ?? new Int32Array(0),
              partition: ids
                ? { mode: "use" as const, size: PARTITION_SIZE, ids }
                : { mode: "define" as const, size: PARTITION_SIZE },
            };
          }),
          (result) => {
            const piece = batch.find((candidate) => candidate.key === result.key);
            if (!piece) return;
            if (piece.relation === "original") partitions.set(piece.exampleId, result.partitionIds);
            if (!this.#have.has(piece.key)) pending.push(this.#scoreRecord(piece, result));
          },
          () => undefined,
        );
        await this.#context.store.putScores(pending);
        for (const record of pending) this.#have.add(record.key);
      }
      meter.finish(batch.length * COST.score);
    }
  }

  #scoreRecord(piece: ScorePiece, result: ScoreResult): ScoreRecord {
    return {
      key: piece.key,
      runId: this.#run.id,
      exampleId: piece.exampleId,
      promptExampleId: piece.promptExampleId,
      promptId: piece.promptId,
      relation: piece.relation,
      logProbNats: result.logProbNats,
      entropyNats: result.entropyNats,
      partitionSize: result.partitionSize,
      partitionIds: piece.relation === "original" ? result.partitionIds : null,
      partitionLogProbs: encodeFloat16(result.partitionLogProbs),
    };
  }
}

type Answer = Pick<GenerationRecord, "text" | "tokenIds">;

const activationKey = (generationKey: string, pooling: Pooling): string => `${generationKey}/${pooling}`;

function costOf(group: WorkGroup): number {
  return (
    (group.generations.length + group.reruns.length) * COST.generation +
    group.generations.length * COST.embedding +
    group.scores.length * COST.score
  );
}
