/** Tables of runs as files, written in a worker of their own, so that neither the page nor an analysis waits for them. */
import type { Analysis, Comparison } from "../evaluation/index.ts";
import type { TableFormat, TableName } from "../exports/index.ts";
import type { ExportService } from "./export-service.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

/** Thousands of questions take seconds; a worker that says nothing for this long is broken. */
const SILENCE_MS = 300_000;

export class ExportClient {
  readonly #connection: WorkerConnection<ExportService>;

  constructor(spawn: () => WorkerLike = spawnExportWorker) {
    this.#connection = new WorkerConnection("The export", spawn);
  }

  /** @param shown - the analysis to write where none is stored */
  table(runId: string, name: TableName, format: TableFormat, shown: Analysis | null): Promise<Blob> {
    if (this.#connection.failed) this.#connection.replace();
    return this.#connection.call((remote) => remote.table(runId, name, format, shown), {
      silenceMs: SILENCE_MS,
      stop: null,
    });
  }

  comparison(comparison: Comparison, format: TableFormat): Promise<Blob> {
    if (this.#connection.failed) this.#connection.replace();
    return this.#connection.call((remote) => remote.comparison(comparison, format), {
      silenceMs: SILENCE_MS,
      stop: null,
    });
  }
}

function spawnExportWorker(): Worker {
  return new Worker(new URL("./export.worker.ts", import.meta.url), { type: "module", name: "sago-export" });
}
