/**
 * The one object that the interface talks to. The interface reads its state, calls its methods and holds
 * nothing of a run itself; who implements it (the real engine, or made-up data in development) it cannot tell.
 */
import type { Analysis, Comparison, ExampleDetail } from "../evaluation/index.ts";
import type { TableFormat, TableName } from "../exports/index.ts";
import type { DeviceIdentity, RunRecord, WordingSource } from "../storage/index.ts";
import type { ModelLibrary } from "./library.ts";
import type { DataController } from "./data-controller.ts";

export type {
  Analysis,
  AxisResult,
  ComparedCell,
  ComparedRun,
  Comparison,
  Estimate,
  Finding,
  ExampleAxis,
  ExampleDetail,
  ExamplePrompt,
  ExampleResult,
  Flag,
  AxisIndependence,
  AxisPair,
  OrderChange,
  DoseAxis,
  DoseCurve,
  DoseResponse,
  FurtherAnalysis,
  FurtherNumber,
  NumberGroup,
  PaperScore,
} from "../evaluation/index.ts";
export type {
  AxisId,
  DeviceIdentity,
  RunRecord,
  RunSpec,
  SelfTestRecord,
  WordingSource,
} from "../storage/index.ts";
export type {
  FormatChoice,
  Kept,
  LibraryState,
  ModelChoice,
  ModelDownload,
  ModelLibrary,
  OpenedFolder,
} from "./library.ts";
export type { TableFormat, TableName } from "../exports/index.ts";
export { AXES, modelKey, WORDING_SOURCES } from "../storage/index.ts";

export type * from "./data-controller.ts";

/** Svelte's store contract, spelled out so that no other folder needs Svelte: `run` is called at once and on each change. */
export interface Readable<T> {
  subscribe(run: (value: T) => void): () => void;
}

/** What is being fetched: bytes so far, of how many, and how fast. The total is constant within one `what`. */
export interface Loading {
  readonly kind: "loading";
  readonly loadedBytes: number;
  readonly totalBytes: number;
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
  /** Completes "Loading …": "the model", "the sentence encoder". */
  readonly what: string;
}

/** Three parts, each a whole sentence: what happened, what is safe, what to do. */
export interface Failure {
  readonly kind: "failed";
  readonly title: string;
  readonly safe: string;
  readonly next: string;
  readonly canContinue: boolean;
}

export type Phase =
  | { readonly kind: "idle" }
  | Loading
  /** No count yet: a session is created. `what` completes "Preparing …": "the model", "the run". */
  | { readonly kind: "preparing"; readonly what: string }
  | {
      readonly kind: "running";
      readonly examplesDone: number;
      readonly examples: number;
      /** Pieces of work (answers, scorings); the bar follows these. */
      readonly pieceDone: number;
      readonly pieces: number;
      readonly tokensPerSecond: number | null;
      readonly secondsLeft: number | null;
      /** One phrase: "writing answers", "scoring answers", "comparing". */
      readonly activity: string;
    }
  | { readonly kind: "stopping" }
  | { readonly kind: "finished"; readonly elapsedMs: number; readonly answers: number }
  | { readonly kind: "stopped"; readonly examplesDone: number; readonly examples: number }
  | Failure;

export interface RunChoices {
  /** As the library calls it. */
  readonly modelId: string;
  readonly datasetId: string;
  readonly examples: number;
  /** null: every wording that the set has. */
  readonly variantsPerExample: number | null;
  /** Where wordings come from: the set, the paper's families by rule, or both. */
  readonly wordings: WordingSource;
  readonly device: "auto" | "wasm" | "webgpu";
  readonly decoding: {
    readonly kind: "greedy" | "sampled";
    readonly temperature: number | null;
    readonly maxNewTokens: number;
    /** Answers to each prompt; 1 for greedy. */
    readonly repeats: number;
  };
  readonly seed: number;
}

export interface StorageUse {
  readonly usedBytes: number | null;
  readonly quotaBytes: number | null;
  readonly persisted: boolean | null;
}

export interface ControllerState {
  readonly phase: Phase;
  /** The run that is shown: the running one, an opened one, or the stored one. */
  readonly run: RunRecord | null;
  readonly analysis: Analysis | null;
  /** Null until a run has chosen one. */
  readonly device: DeviceIdentity | null;
  /** The chat template's own system prompt, for the reader to see. */
  readonly systemPrompt: string | null;
  /** An interrupted run that can be continued; null while one is going on. */
  readonly unfinished: RunRecord | null;
  readonly storage: StorageUse;
  /** Whether the page opens without a network on its next visit. */
  readonly offline:
    | { readonly kind: "ready" }
    | { readonly kind: "preparing" }
    | { readonly kind: "unavailable"; readonly reason: string };
  /** The run that comes with the page. */
  readonly exampleRun:
    { readonly kind: "absent" | "opening" | "here" } | { readonly kind: "failed"; readonly reason: string };
}

/** An address that the page or one of its workers asked. */
export interface AskedAddress {
  readonly url: string;
  /** Who asked, each once: "the page", "the language model". */
  readonly from: readonly string[];
  readonly times: number;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  /** Of all answers together, as sent; null where the browser does not say. */
  readonly bytes: number | null;
}

export interface DatasetChoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: RunRecord["spec"]["dataset"]["kind"];
  readonly examples: number;
  /** Wordings of a question besides the original, on average. */
  readonly variants?: number;
}

/** What a run would cost. `seconds` is null where nothing was measured on this machine yet. */
export interface RunCost {
  readonly seconds: number | null;
  /** Storage that the results take. */
  readonly bytes: number;
  readonly answers: number;
  /** Of each question besides the original, at most; null where the set does not say how many it has. */
  readonly wordings: number | null;
  /** Smallest mean difference from noise that is found in 4 of 5 such runs, in SDs over questions. */
  readonly detectableEffect: number;
}

/** A wording of the reader's own prompt, proposed or typed. */
export interface TryVariant {
  readonly id: string;
  readonly family: string;
  readonly label: string;
  readonly text: string;
}

/** One answer as it comes in; distances are raw, to the first row, and null until they are known. */
export interface TryRow extends TryVariant {
  readonly response: string;
  /** False once the answer is whole. */
  readonly partial: boolean;
  readonly tokens: readonly { readonly text: string; readonly probability: number }[];
  /** What the model thought before its answer; null where it did not, or has not answered yet. */
  readonly thinking: { readonly text: string; readonly tokens: number; readonly closed: boolean } | null;
  readonly generationDistance: number | null;
  readonly activationDistance: number | null;
  readonly confidenceDistance: number | null;
}

export interface TryState {
  readonly phase:
    | { readonly kind: "idle" }
    | Loading
    | { readonly kind: "preparing"; readonly what: string }
    | { readonly kind: "running"; readonly done: number; readonly total: number; readonly activity: string }
    | { readonly kind: "finished" }
    | { readonly kind: "stopped" }
    | Failure;
  /** The original first, then the wordings in the order they were given. */
  readonly rows: readonly TryRow[];
}

export interface TryController {
  readonly state: Readable<TryState>;
  /** Wordings by rule, at once and without the model. */
  propose(prompt: string): TryVariant[];
  /** Resolves when it is over, however it ended: failures are in the state, not thrown. */
  run(prompt: string, variants: readonly TryVariant[], settings: TrySettings): Promise<void>;
  stop(): void;
}

export interface TrySettings {
  readonly modelId: string;
  readonly device: RunChoices["device"];
  readonly maxNewTokens: number;
}

/**
 * Everything that the page can ask for. `start`, `stop` and `resume` settle when the state shows the outcome;
 * a run that fails ends in the phase "failed" and does not reject. The other promises reject with an `Error`
 * whose message is a sentence for the reader, shown where the action was asked for.
 */
export interface Controller {
  readonly state: Readable<ControllerState>;
  readonly runs: Readable<readonly RunRecord[]>;
  readonly library: ModelLibrary;
  readonly datasets: readonly DatasetChoice[];
  /** What the run bar holds on the first visit; the model is the library's. */
  readonly defaults: RunChoices;
  readonly tryPrompt: TryController;
  /** The reader's own sets. */
  readonly data: DataController;
  /** Every address that was asked since the page was opened, by it or by its workers. */
  readonly requests: Readable<readonly AskedAddress[]>;
  estimate(choices: RunChoices): RunCost;
  start(choices: RunChoices): Promise<void>;
  stop(): Promise<void>;
  resume(runId: string): Promise<void>;
  /** Deletes a run and everything that belongs to it. */
  discard(runId: string): Promise<void>;
  /** Shows a stored run: state.run and state.analysis are its own afterwards. */
  openRun(runId: string): Promise<void>;
  detail(runId: string, exampleId: string): Promise<ExampleDetail>;
  /** What several stored runs say together; those without an analysis are analysed first. */
  compare(runIds: readonly string[]): Promise<Comparison>;
  exportRun(runId: string): Promise<Blob>;
  /** A table of a stored run, as docs/export-format.md describes it. */
  exportTable(runId: string, name: TableName, format: TableFormat): Promise<Blob>;
  exportComparison(comparison: Comparison, format: TableFormat): Promise<Blob>;
  importRun(file: File): Promise<void>;
  requestPersistence(): Promise<boolean>;
  deleteEverything(): Promise<void>;
}
