/** The analysis of stored runs, in a worker of its own. */
import type * as Comlink from "comlink";
import type { Analysis, AnalysisService, ExampleDetail } from "../evaluation/index.ts";
import type { ImportResult } from "../storage/index.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

/** Thousands of examples take seconds; a worker that says nothing for this long is broken. */
const SILENCE_MS = 600_000;

export class AnalysisClient {
  readonly #connection: WorkerConnection<AnalysisService>;

  constructor(spawn: () => WorkerLike = spawnAnalysisWorker) {
    this.#connection = new WorkerConnection("The analysis", spawn);
  }

  /** @param keep - whether the analysis is stored with the run */
  analyse(runId: string, keep: boolean): Promise<Analysis> {
    return this.#call((remote) => remote.analyse(runId, keep));
  }

  /** Adds the run of an exported file. */
  importFile(file: Blob): Promise<ImportResult> {
    return this.#call((remote) => remote.importFile(file));
  }

  detail(runId: string, exampleId: string): Promise<ExampleDetail> {
    return this.#call((remote) => remote.detail(runId, exampleId));
  }

  #call<T>(invoke: (remote: Comlink.Remote<AnalysisService>) => Promise<T>): Promise<T> {
    if (this.#connection.failed) this.#connection.replace();
    return this.#connection.call(invoke, { silenceMs: SILENCE_MS, stop: null });
  }
}

function spawnAnalysisWorker(): Worker {
  return new Worker(new URL("./analysis.worker.ts", import.meta.url), {
    type: "module",
    name: "sago-analysis",
  });
}
