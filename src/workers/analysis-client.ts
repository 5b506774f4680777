/** The analysis of stored runs, in a worker of its own. */
import type * as Comlink from "comlink";
import type { Analysis, AnalysisService, Comparison, ExampleDetail } from "../evaluation/index.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

/** Thousands of examples take seconds; a worker that says nothing for this long is broken. */
const SILENCE_MS = 600_000;

export class AnalysisClient {
  readonly #connection: WorkerConnection<AnalysisService>;
  /** Ends the analysis that is under way. */
  #current: AbortController | null = null;

  constructor(spawn: () => WorkerLike = spawnAnalysisWorker) {
    this.#connection = new WorkerConnection("The analysis", spawn);
  }

  /**
   * The headline of a run. Whatever was being analysed before is of no interest any more: it is ended at once, with its
   * worker, and rejects with `AbortError`.
   * @param keep - whether the analysis is stored with the run
   */
  analyse(runId: string, keep: boolean): Promise<Analysis> {
    return this.#supersede((remote) => remote.analyse(runId, keep));
  }

  /** The rest of a run's analysis; ends what was being analysed before, as `analyse` does. */
  deepen(analysis: Analysis, keep: boolean): Promise<Analysis> {
    return this.#supersede((remote) => remote.deepen(analysis, keep));
  }

  /** What several runs say together. */
  compare(runIds: readonly string[]): Promise<Comparison> {
    return this.#supersede((remote) => remote.compare(runIds));
  }

  detail(runId: string, exampleId: string): Promise<ExampleDetail> {
    return this.#call((remote) => remote.detail(runId, exampleId));
  }

  async #supersede<T>(invoke: (remote: Comlink.Remote<AnalysisService>) => Promise<T>): Promise<T> {
    this.#current?.abort();
    const current = new AbortController();
    this.#current = current;
    try {
      return await this.#call(invoke, current.signal);
    } finally {
      if (this.#current === current) this.#current = null;
    }
  }

  #call<T>(
    invoke: (remote: Comlink.Remote<AnalysisService>) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (this.#connection.failed) this.#connection.replace();
    return this.#connection.call(invoke, { silenceMs: SILENCE_MS, signal, stop: null });
  }
}

function spawnAnalysisWorker(): Worker {
  return new Worker(new URL("./analysis.worker.ts", import.meta.url), {
    type: "module",
    name: "sago-analysis",
  });
}
