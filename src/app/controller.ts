import { get, writable, type Readable } from "svelte/store";
import { builtInDatasets, parseDataset, type Dataset } from "../datasets/index.ts";
import {
  analysisOfThisVersion,
  type Analysis,
  type Comparison,
  type ExampleDetail,
  type RunEvent,
  type RunRequest,
} from "../evaluation/index.ts";
import {
  estimateStorage,
  exportRun,
  modelKey,
  requestPersistence,
  type RunRecord,
  type RunStore,
} from "../storage/index.ts";
import type {
  AskedAddress,
  Controller,
  ControllerState,
  DatasetChoice,
  Phase,
  RunChoices,
  RunCost,
  TableFormat,
  TableName,
} from "../ui/controller.ts";
import type { AnalysisClient, DataClient, ExportClient, RunClient } from "../workers/index.ts";
import { PAPER_WORDINGS } from "../variants/index.ts";
import { productVersion } from "../version.ts";
import { DataDesk } from "./data-desk.ts";
import { estimateRun, type RunEstimate } from "./estimate.ts";
import { ensureExampleRun } from "./example-run.ts";
import { isAbortError } from "../workers/index.ts";
import { prepareOffline } from "./offline.ts";
import { rememberedSpeed, rememberSpeed } from "./remembered-speed.ts";
import type { Library } from "./model-library.ts";
import { describeFailure } from "./run-failure.ts";
import { RunWatch } from "./run-watch.ts";
import { ShownAnalysis } from "./shown-analysis.ts";
import { TryRunner } from "./try-runner.ts";

export interface ControllerParts {
  readonly runs: RunClient;
  readonly analyses: AnalysisClient;
  readonly exports: ExportClient;
  readonly store: RunStore;
  readonly library: Library;
  readonly data: DataClient;
  readonly requests: Readable<readonly AskedAddress[]>;
  /** The page's own folder, as an absolute URL. */
  readonly base: string;
}

const BACKGROUND_PROMPTS = 64;
const BUNDLED_SHAPE = { layers: 30, hiddenSize: 576 };
const WORDINGS = 7;

/** What the page can do. The one owner of the page's state; everything heavy happens in workers. */
export class RunController implements Controller {
  readonly library: Library;
  readonly defaults: RunChoices;
  readonly tryPrompt: TryRunner;
  readonly data: DataDesk;
  readonly requests: Readable<readonly AskedAddress[]>;
  readonly #parts: ControllerParts;
  readonly #analysis: ShownAnalysis;
  readonly #state = writable<ControllerState>({
    phase: { kind: "idle" },
    run: null,
    analysis: null,
    device: null,
    systemPrompt: null,
    unfinished: null,
    storage: { usedBytes: null, quotaBytes: null, persisted: null },
    exampleRun: { kind: "absent" },
    offline: { kind: "preparing" },
  });
  readonly #runs = writable<readonly RunRecord[]>([]);
  readonly #datasets = new Map<string, Dataset>();
  #snapshot: ControllerState | null = null;
  #busy = false;
  /** Settles when nothing is under way. */
  #working: Promise<void> = Promise.resolve();

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.library = parts.library;
    this.requests = parts.requests;
    this.#state.subscribe((state) => (this.#snapshot = state));
    this.#analysis = new ShownAnalysis(parts.analyses, {
      shownRunId: () => this.#current.state.run?.id ?? null,
      current: () => this.#current.state.analysis,
      show: (analysis) => this.#change({ analysis }),
    });
    this.tryPrompt = new TryRunner(parts.runs, parts.library);
    this.data = new DataDesk(parts.data, parts.library);
    this.defaults = {
      modelId: get(parts.library.state).modelId,
      datasetId: builtInDatasets()[0]?.id ?? "",
      examples: 16,
      variantsPerExample: null,
      wordings: "own",
      device: "auto",
      decoding: { kind: "greedy", temperature: null, maxNewTokens: 64, repeats: 1 },
      seed: 7,
    };
  }

  get state(): Readable<ControllerState> {
    return this.#state;
  }

  /** The runs of this browser, newest first. */
  get runs(): Readable<readonly RunRecord[]> {
    return this.#runs;
  }

  /** The built-in sets, then the reader's own, then those added in this tab. */
  get datasets(): readonly DatasetChoice[] {
    const own = [...this.#datasets.values()].map((dataset) => ({
      id: dataset.id,
      name: dataset.name,
      description: dataset.description,
      kind: dataset.kind,
      examples: dataset.examples.length,
    }));
    return [...builtInDatasets(), ...this.data.choices, ...own];
  }

  /** Reads what the browser has stored; call once. */
  async open(): Promise<void> {
    await this.#refreshRuns();
    await this.#refreshStorage();
    await this.data.refresh();
    const runs = this.#current.runs;
    const unfinished = runs.find((run) => run.status === "running" || run.status === "stopped") ?? null;
    this.#change({ unfinished });
    const own = runs.filter((run) => run.stored !== true);
    const shown = own.find((run) => run.status === "finished") ?? unfinished ?? runs[0];
    if (shown) await this.openRun(shown.id);
  }

  /** Makes the page open without a network, and with threads, on its next visits. */
  prepareOffline(): Promise<void> {
    const isIdle = () => !this.#busy && get(this.tryPrompt.state).phase.kind === "idle";
    return prepareOffline(this.#parts.base, isIdle, (offline) => this.#change({ offline }));
  }

  /**
   * Brings the example run that comes with the page, and shows it if nothing else is there to show. A failure
   * is in the state: the page works without it.
   */
  async openExampleRun(): Promise<void> {
    const { store, analyses, base } = this.#parts;
    this.#change({ exampleRun: { kind: "opening" } });
    try {
      const runId = await ensureExampleRun(store, analyses, base);
      await this.#refreshRuns();
      await this.#refreshStorage();
      if (this.#current.state.run === null && !this.#busy) await this.openRun(runId);
      this.#change({ exampleRun: { kind: "here" } });
    } catch (error) {
      const reason = error instanceof Error ? error.message : "No reason was given.";
      this.#change({ exampleRun: { kind: "failed", reason } });
    }
  }

  /**
   * Adds a dataset for this tab.
   *
   * @throws {Error} naming every problem with its place
   */
  addDataset(value: unknown): DatasetChoice {
    const parsed = parseDataset(value);
    if (!parsed.ok) {
      const problems = parsed.problems.slice(0, 20).map(({ where, message }) => `${where}: ${message}`);
      const more = parsed.problems.length > 20 ? [`… and ${parsed.problems.length - 20} more`] : [];
      throw new Error(["This dataset cannot be used.", ...problems, ...more].join("\n"));
    }
    const { dataset } = parsed;
    if (builtInDatasets().some((builtIn) => builtIn.id === dataset.id)) {
      throw new Error(`The id "${dataset.id}" belongs to a built-in set. Choose another id.`);
    }
    this.#datasets.set(dataset.id, dataset);
    return {
      id: dataset.id,
      name: dataset.name,
      description: dataset.description,
      kind: dataset.kind,
      examples: dataset.examples.length,
    };
  }

  /** Time, storage and answers of a run before it starts. */
  estimate(choices: RunChoices): RunEstimate & Pick<RunCost, "wordings"> {
    const wordings = this.#wordings(choices);
    const cost = estimateRun({
      ...(this.library.shape(choices.modelId) ?? BUNDLED_SHAPE),
      examples: choices.examples,
      wordingsPerExample: wordings ?? WORDINGS,
      repeats: choices.decoding.kind === "sampled" ? choices.decoding.repeats : 1,
      maxNewTokens: choices.decoding.maxNewTokens,
      backgroundPrompts: BACKGROUND_PROMPTS,
      unitsPerSecond: rememberedSpeed(choices.modelId, choices.device),
    });
    return { ...cost, wordings };
  }

  /** Of a question besides the original, at most; null where the set does not say how many it has. */
  #wordings({ datasetId, variantsPerExample, wordings }: RunChoices): number | null {
    const inSet = this.datasets.find(({ id }) => id === datasetId)?.variants;
    const own = wordings === "paper" ? 0 : inSet;
    if (own === undefined) return variantsPerExample;
    const all = own + (wordings === "own" ? 0 : PAPER_WORDINGS);
    return Math.min(variantsPerExample ?? all, all);
  }

  /** Runs; resolves when the run has finished, stopped or failed, which `state` tells apart. */
  async start(choices: RunChoices): Promise<void> {
    await this.#begin(choices, (onEvent) => this.#parts.runs.start(this.#request(choices), onEvent));
  }

  /** Continues an interrupted run from its next missing piece. */
  async resume(runId: string): Promise<void> {
    const run = await this.#parts.store.getRun(runId);
    if (!run) throw new Error("This run is no longer in the browser’s storage, so it cannot go on.");
    const { spec } = run;
    const sources = await this.library.sourcesOf(spec);
    this.#change({ run });
    await this.#begin({ modelId: modelKey(spec.model), device: spec.device.kind }, (onEvent) =>
      this.#parts.runs.resume(runId, sources, onEvent),
    );
  }

  /** Acts within two steps of the model; what is done stays. */
  stop(): Promise<void> {
    if (this.#busy) {
      this.#change({ phase: { kind: "stopping" } });
      this.#parts.runs.stop();
    }
    return this.#working;
  }

  /** Forgets a run and all it has. */
  async discard(runId: string): Promise<void> {
    await this.#parts.store.deleteRun(runId);
    if (this.#current.state.run?.id === runId) this.#change({ run: null, analysis: null });
    if (this.#current.state.unfinished?.id === runId) this.#change({ unfinished: null });
    await this.#refreshRuns();
    await this.#refreshStorage();
  }

  /** Shows a stored run. */
  async openRun(runId: string): Promise<void> {
    const run = await this.#parts.store.getRun(runId);
    if (!run) return;
    this.#change({ run, device: run.spec.device, systemPrompt: run.spec.template.systemPrompt });
    const kept = await this.#parts.store.loadAnalysis(runId);
    const current = kept === null ? null : analysisOfThisVersion(kept.analysis);
    if (current) this.#change({ analysis: current });
    else await this.#analysis.update(runId, run.status === "finished");
    this.#analysis.deepen(runId, run.status === "finished");
    if (!this.#busy) this.#change({ phase: restingPhase(run, this.#current.state.analysis) });
  }

  detail(runId: string, exampleId: string): Promise<ExampleDetail> {
    return this.#parts.analyses.detail(runId, exampleId);
  }

  compare(runIds: readonly string[]): Promise<Comparison> {
    return this.#parts.analyses.compare(runIds);
  }

  async exportRun(runId: string): Promise<Blob> {
    // What is still being computed belongs into the file.
    await this.#analysis.deepened;
    return exportRun(this.#parts.store, runId, { productVersion });
  }

  async exportTable(runId: string, name: TableName, format: TableFormat): Promise<Blob> {
    const { analysis } = this.#current.state;
    return this.#parts.exports.table(runId, name, format, analysis?.runId === runId ? analysis : null);
  }

  exportComparison(comparison: Comparison, format: TableFormat): Promise<Blob> {
    return this.#parts.exports.comparison(comparison, format);
  }

  async importRun(file: Blob): Promise<void> {
    const { runId } = await this.#parts.analyses.importFile(file);
    await this.#refreshRuns();
    await this.openRun(runId);
  }

  /** Asks the browser to keep this page's data even when the disk runs full. */
  async requestPersistence(): Promise<boolean> {
    const { granted } = await requestPersistence();
    await this.#refreshStorage();
    return granted;
  }

  async deleteEverything(): Promise<void> {
    await this.#parts.store.deleteEverything();
    await this.data.refresh();
    this.#change({ run: null, analysis: null, unfinished: null, phase: { kind: "idle" } });
    await this.#refreshRuns();
    await this.#refreshStorage();
  }

  #request(choices: RunChoices): RunRequest {
    const model = this.library.request(choices.modelId);
    this.library.assertRuns(choices.modelId, choices.device);
    return {
      model: model.source,
      encoder: this.library.request(get(this.library.state).encoderId).source,
      dtype: model.dtype,
      device: choices.device,
      dataset: this.#datasets.get(choices.datasetId) ?? this.data.reference(choices.datasetId),
      examples: choices.examples,
      variantsPerExample: choices.variantsPerExample,
      wordings: choices.wordings,
      decoding: { ...choices.decoding, topP: null },
      seed: choices.seed,
    };
  }

  #begin(
    device: Pick<RunChoices, "modelId" | "device">,
    work: (onEvent: (event: RunEvent) => void) => Promise<void>,
  ): Promise<void> {
    if (!this.#busy) this.#working = this.#work(device, work);
    return this.#working;
  }

  async #work(
    { modelId, device }: Pick<RunChoices, "modelId" | "device">,
    work: (onEvent: (event: RunEvent) => void) => Promise<void>,
  ): Promise<void> {
    this.#busy = true;
    this.#change({ phase: { kind: "preparing", what: "the run" }, unfinished: null });
    const watch = new RunWatch();
    let runId: string | null = null;
    const onEvent = (event: RunEvent) => {
      switch (event.kind) {
        case "model":
          this.#change({ device: event.device, systemPrompt: event.systemPrompt });
          return;
        case "run":
          runId = event.runId;
          void this.#showRun(event.runId);
          return;
        case "examples-done":
          if (runId) void this.#analysis.updateSoon(runId);
          return;
        default:
          if (this.#current.state.phase.kind !== "stopping") this.#change({ phase: watch.phase(event) });
      }
    };
    try {
      await work(onEvent);
      const speed = watch.unitsPerSecond;
      if (speed !== null) rememberSpeed(modelId, device, speed);
      if (runId) await this.#settle(runId);
    } catch (error) {
      if (isAbortError(error)) {
        if (runId) await this.#settle(runId);
        else this.#change({ phase: { kind: "idle" } });
      } else {
        if (runId) await this.#settle(runId);
        this.#change({ phase: describeFailure(error, { runId, ...watch.examplesSeen }) });
      }
    } finally {
      this.#busy = false;
      await this.library.refresh(modelId);
      await this.#refreshRuns();
      await this.#refreshStorage();
    }
  }

  /** The last analysis of a run that has ended, one way or another. */
  async #settle(runId: string): Promise<void> {
    const run = await this.#parts.store.getRun(runId);
    if (!run) return;
    await this.#analysis.settle(runId, run.status === "finished");
    const unfinished = run.status === "finished" ? null : run;
    this.#change({ run, unfinished, phase: restingPhase(run, this.#current.state.analysis) });
  }

  async #showRun(runId: string): Promise<void> {
    const run = await this.#parts.store.getRun(runId);
    const changed = this.#current.state.run?.id !== runId;
    if (run) this.#change(changed ? { run, analysis: null } : { run });
  }

  async #refreshRuns(): Promise<void> {
    this.#runs.set(await this.#parts.store.listRuns());
  }

  async #refreshStorage(): Promise<void> {
    const space = await estimateStorage();
    this.#change({
      storage: space.available
        ? { usedBytes: space.usageBytes, quotaBytes: space.quotaBytes, persisted: space.persisted }
        : { usedBytes: null, quotaBytes: null, persisted: null },
    });
  }

  get #current(): { readonly state: ControllerState; readonly runs: readonly RunRecord[] } {
    let runs: readonly RunRecord[] = [];
    this.#runs.subscribe((value) => (runs = value))();
    if (!this.#snapshot) throw new Error("The page's state is read before it exists.");
    return { state: this.#snapshot, runs };
  }

  #change(changes: Partial<ControllerState>): void {
    this.#state.update((state) => ({ ...state, ...changes }));
  }
}

/** What a stored run looks like when nothing is under way. */
function restingPhase(run: RunRecord, analysis: Analysis | null): Phase {
  // Nobody here waited for the run that comes with the page: its time belongs to another machine.
  if (run.stored === true) return { kind: "idle" };
  const answers = analysis?.beside.answers ?? 0;
  if (run.status === "finished") return { kind: "finished", elapsedMs: run.elapsedMs["total"] ?? 0, answers };
  return {
    kind: "stopped",
    examplesDone: analysis?.examplesAnalysed ?? 0,
    examples: analysis?.examplesPlanned ?? run.spec.examples,
  };
}
