import { loadBackgroundPrompts, loadBuiltInDataset, type Dataset } from "../datasets/index.ts";
import type { Encoder, Engine } from "../inference/index.ts";
import type {
  MeaningGateRecord,
  PlannedPrompt,
  RunRecord,
  RunSpec,
  RunStore,
  SelfTestRecord,
} from "../storage/index.ts";
import { productVersion } from "../version.ts";
import { contentKey } from "./content-key.ts";
import { executeRun } from "./execute.ts";
import { gatePrompts } from "./meaning-gate.ts";
import { ModelLoader, type WorkerHandle, type Workbench } from "./model-loader.ts";
import { planPrompts } from "./plan.ts";
import {
  NULL_EDITS_PER_EXAMPLE,
  RERUN_SHARE,
  UNRELATED_PAIRS,
  type RunEvent,
  type RunRequest,
} from "./run-request.ts";
import { exclusively } from "./run-lock.ts";
import { TryPrompt, type TryRequest, type TryRow } from "./try-prompt.ts";

const EMBED_AT_ONCE = 16;

type OnEvent = (event: RunEvent) => void;

/**
 * Plans, executes, stops and continues runs. It lives in a worker, owns the database's writes, and drives
 * the engine's and the encoder's workers.
 */
export class RunService {
  readonly #loader: ModelLoader;
  readonly #store: RunStore;
  readonly #loadStored: (id: string) => Promise<Dataset>;
  #abort: AbortController | null = null;
  #try: TryPrompt | null = null;

  constructor(
    makeEngine: () => WorkerHandle<Engine>,
    makeEncoder: () => WorkerHandle<Encoder>,
    store: RunStore,
    /** Reads a set of the reader's own; rejects where there is none of that id. */
    loadStored: (id: string) => Promise<Dataset>,
  ) {
    this.#loader = new ModelLoader(makeEngine, makeEncoder);
    this.#store = store;
    this.#loadStored = loadStored;
  }

  /**
   * Loads what the request names, stores the planned run and executes it.
   *
   * @throws whatever stopped it; an aborted run rejects with `AbortError`
   */
  async start(request: RunRequest, onEvent: OnEvent): Promise<void> {
    await this.#exclusive(async (signal) => {
      const workbench = await this.#loader.load(request, onEvent);
      signal.throwIfAborted();
      onEvent({ kind: "preparing", what: "the run" });
      const dataset = await this.#datasetOf(request.dataset);
      const run = await this.#plan(request, dataset, workbench, signal, onEvent);
      await this.#store.createRun(run);
      await this.#execute(run, workbench, signal, onEvent);
    });
  }

  /** Continues a stored run from the next missing piece, on the device that it began on. */
  async resume(
    runId: string,
    request: Pick<RunRequest, "model" | "encoder">,
    onEvent: OnEvent,
  ): Promise<void> {
    await this.#exclusive(async (signal) => {
      const run = await this.#store.getRun(runId);
      if (!run) throw new Error("This run is no longer in the browser's storage.");
      const { spec } = run;
      const workbench = await this.#loader.load(
        { ...request, dtype: spec.model.dtype, device: spec.device.kind },
        onEvent,
      );
      signal.throwIfAborted();
      assertSameConditions(spec, workbench);
      await this.#execute(run, workbench, signal, onEvent);
    });
  }

  /** Answers to one prompt's wordings, with raw distances, as they arrive. Nothing is stored. */
  async tryPrompt(request: TryRequest, onEvent: OnEvent, onRow: (row: TryRow) => void): Promise<void> {
    await this.#exclusive(async (signal) => {
      const workbench = await this.#loader.load(request, onEvent);
      signal.throwIfAborted();
      this.#try ??= new TryPrompt();
      onEvent({ kind: "preparing", what: "the comparison" });
      await this.#try.run(request, workbench, await loadBackgroundPrompts(), signal, onRow);
    });
  }

  /** Stops what is under way within two steps of the model; what is finished is stored. */
  stop(): void {
    this.#abort?.abort(new DOMException("Stopped by the user.", "AbortError"));
    this.#loader.stop();
  }

  #datasetOf(dataset: RunRequest["dataset"]): Promise<Dataset> | Dataset {
    if (typeof dataset === "string") return loadBuiltInDataset(dataset);
    return "stored" in dataset ? this.#loadStored(dataset.stored) : dataset;
  }

  /** The plan without the variants that the meaning gate turns away; these are kept beside it. */
  async #plan(
    request: RunRequest,
    dataset: Dataset,
    workbench: Workbench,
    signal: AbortSignal,
    onEvent: OnEvent,
  ): Promise<RunRecord> {
    const spec = specOf(request, dataset, workbench);
    onEvent({ kind: "preparing", what: "the wordings" });
    const { prompts, gate } = await gatePrompts(
      planPrompts(dataset, spec),
      dataset.examples.map(({ prompt }) => prompt),
      workbench.encoderIdentity.filesHash,
      async (texts) => {
        const vectors: (Float32Array | null)[] = [];
        // In parts, so that a stop does not wait for all of them.
        for (let start = 0; start < texts.length; start += EMBED_AT_ONCE) {
          signal.throwIfAborted();
          vectors.push(...(await workbench.encoder.embed(texts.slice(start, start + EMBED_AT_ONCE))));
        }
        return vectors;
      },
    );
    onEvent({ kind: "preparing", what: "the run" });
    return runOf(spec, dataset, prompts, gate, workbench.model.selfTest);
  }

  async #execute(run: RunRecord, workbench: Workbench, signal: AbortSignal, onEvent: OnEvent): Promise<void> {
    const started = performance.now();
    const before = run.elapsedMs["total"] ?? 0;
    const elapsed = () => ({ total: before + performance.now() - started });
    await exclusively(run.id, async () => {
      onEvent({ kind: "run", runId: run.id });
      await this.#store.updateRun(run.id, { status: "running", message: null });
      try {
        await executeRun(run, {
          engine: workbench.engine,
          encoder: workbench.encoder,
          store: this.#store,
          model: workbench.model,
          backgroundPrompts: await loadBackgroundPrompts(),
          signal,
          onProgress: (progress) => onEvent({ kind: "progress", progress }),
          onExamplesDone: (exampleIds) => onEvent({ kind: "examples-done", exampleIds }),
        });
        await this.#store.updateRun(run.id, { status: "finished", message: null, elapsedMs: elapsed() });
      } catch (error) {
        const stopped = signal.aborted;
        await this.#store.updateRun(run.id, {
          status: stopped ? "stopped" : "failed",
          message: stopped ? null : error instanceof Error ? error.message : String(error),
          elapsedMs: elapsed(),
        });
        // One rejected session run poisons what follows it: the next run gets fresh workers.
        if (!stopped) this.#loader.discard();
        throw error;
      }
    });
  }

  async #exclusive(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#abort) throw new Error("Another run is still under way in this tab. Stop it first.");
    const abort = (this.#abort = new AbortController());
    try {
      await work(abort.signal);
    } catch (error) {
      // Whatever a stopped call rejects with, the caller learns that it was stopped.
      throw abort.signal.aborted ? (abort.signal.reason as DOMException) : error;
    } finally {
      this.#abort = null;
    }
  }
}

function specOf(request: RunRequest, dataset: Dataset, { model, encoderIdentity }: Workbench): RunSpec {
  return {
    schema: "sago-run/1",
    productVersion,
    model: model.identity,
    device: model.device,
    encoder: {
      id: encoderIdentity.id,
      filesHash: encoderIdentity.filesHash,
      source: request.encoder.kind,
      revision: request.encoder.kind === "hub" ? request.encoder.revision : null,
    },
    dataset: {
      id: dataset.id,
      name: dataset.name,
      kind: dataset.kind,
      contentHash: contentKey(dataset),
      labels: dataset.labels ?? null,
    },
    template: { kind: model.chatTemplate ? "chat" : "raw", systemPrompt: dataset.system ?? null },
    decoding: request.decoding,
    seed: request.seed,
    examples: Math.min(request.examples, dataset.examples.length),
    variantsPerExample: request.variantsPerExample,
    wordings: request.wordings,
    nullEditsPerExample: NULL_EDITS_PER_EXAMPLE,
    rerunShare: RERUN_SHARE,
    unrelatedPairs: UNRELATED_PAIRS,
    batchRows: model.batchRows,
  };
}

function runOf(
  spec: RunSpec,
  dataset: Dataset,
  prompts: readonly PlannedPrompt[],
  meaningGate: MeaningGateRecord,
  selfTest: SelfTestRecord,
): RunRecord {
  const createdAt = new Date().toISOString();
  const chosen = new Set(prompts.map((prompt) => prompt.exampleId));
  return {
    id: contentKey({ spec, prompts, createdAt }).slice(0, 32),
    spec,
    createdAt,
    updatedAt: createdAt,
    status: "planned",
    message: null,
    prompts,
    golds: Object.fromEntries(
      dataset.examples.flatMap(({ id, gold }) => (gold && chosen.has(id) ? [[id, gold]] : [])),
    ),
    meaningGate,
    selfTest,
    elapsedMs: {},
  };
}

/** @throws {Error} if continuing would mix two models, devices or runtimes in one run */
function assertSameConditions(spec: RunSpec, { model, encoderIdentity }: Workbench): void {
  const differing = [
    spec.model.filesHash === model.identity.filesHash ? null : "the model's files have changed",
    spec.device.kind === model.device.kind ? null : `it began on ${spec.device.kind}`,
    spec.device.runtime === model.device.runtime ? null : `it began with ${spec.device.runtime}`,
    spec.encoder.filesHash === encoderIdentity.filesHash ? null : "the sentence encoder has changed",
  ].filter((reason) => reason !== null);
  if (differing.length > 0) {
    throw new Error(
      `This run cannot be continued here: ${differing.join(" and ")}. ` +
        "What it has is kept; start a new run instead.",
    );
  }
}
