/** The analysis of stored runs, in a worker of its own. */
import type * as Comlink from "comlink";
import type { Analysis, AnalysisService, Comparison, ExampleDetail } from "../evaluation/index.ts";
import type { ImportResult } from "../storage/index.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

/** Thousands of examples take seconds; a worker that says nothing for this long is broken. */
const SILENCE_MS = 600_000;

/** A worker, and how to end what it is computing. */
interface Lane {
  readonly connection: WorkerConnection<AnalysisService>;
  current: AbortController | null;
}

/**
 * Three workers, each started when it is first needed: an analysis that is ended, with its worker, must not take a
 * file being imported or a comparison with it.
 */
export class AnalysisClient {
  readonly #analyses: Lane;
  readonly #comparisons: Lane;
  readonly #reading: Lane;

  constructor(spawn: () => WorkerLike = spawnAnalysisWorker) {
    const lane = (): Lane => ({ connection: new WorkerConnection("The analysis", spawn), current: null });
    this.#analyses = lane();
    this.#comparisons = lane();
    this.#reading = lane();
  }

  /**
   * The headline of a run. Whatever was being analysed before is of no interest any more: it is ended at once, with its
   * worker, and rejects with `AbortError`.
   * @param keep - whether the analysis is stored with the run
   */
  analyse(runId: string, keep: boolean): Promise<Analysis> {
    return supersede(this.#analyses, (remote) => remote.analyse(runId, keep));
  }

  /** The rest of a run's analysis; ends what was being analysed before, as `analyse` does. */
  deepen(analysis: Analysis, keep: boolean): Promise<Analysis> {
    return supersede(this.#analyses, (remote) => remote.deepen(analysis, keep));
  }

  /** What several runs say together; ends the comparison before it, which rejects with `AbortError`. */
  compare(runIds: readonly string[]): Promise<Comparison> {
    return supersede(this.#comparisons, (remote) => remote.compare(runIds));
  }

  /** Adds the run of an exported file. */
  importFile(file: Blob): Promise<ImportResult> {
    return call(this.#reading, (remote) => remote.importFile(file));
  }

  detail(runId: string, exampleId: string): Promise<ExampleDetail> {
    return call(this.#reading, (remote) => remote.detail(runId, exampleId));
  }
}

async function supersede<T>(
  lane: Lane,
  invoke: (remote: Comlink.Remote<AnalysisService>) => Promise<T>,
): Promise<T> {
  lane.current?.abort();
  const current = new AbortController();
  lane.current = current;
  try {
    return await call(lane, invoke, current.signal);
  } finally {
    if (lane.current === current) lane.current = null;
  }
}

function call<T>(
  { connection }: Lane,
  invoke: (remote: Comlink.Remote<AnalysisService>) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  if (connection.failed) connection.replace();
  return connection.call(invoke, { silenceMs: SILENCE_MS, signal, stop: null });
}

function spawnAnalysisWorker(): Worker {
  return new Worker(new URL("./analysis.worker.ts", import.meta.url), {
    type: "module",
    name: "sago-analysis",
  });
}
