/** Runs, as the page sees them: executed in a worker of their own. */
import * as Comlink from "comlink";
import type { RunEvent, RunRequest, RunService, TryRequest, TryRow } from "../evaluation/index.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

type OnEvent = (event: RunEvent) => void;

export class RunClient {
  readonly #connection: WorkerConnection<RunService>;

  constructor(spawn: () => WorkerLike = spawnRunWorker) {
    this.#connection = new WorkerConnection("The run's worker", spawn);
  }

  start(request: RunRequest, onEvent: OnEvent): Promise<void> {
    return this.#call((remote) => remote.start(request, Comlink.proxy(onEvent)));
  }

  resume(runId: string, request: Pick<RunRequest, "model" | "encoder">, onEvent: OnEvent): Promise<void> {
    return this.#call((remote) => remote.resume(runId, request, Comlink.proxy(onEvent)));
  }

  tryPrompt(request: TryRequest, onEvent: OnEvent, onRow: (row: TryRow) => void): Promise<void> {
    return this.#call((remote) => remote.tryPrompt(request, Comlink.proxy(onEvent), Comlink.proxy(onRow)));
  }

  /** What is under way rejects with `AbortError`. */
  stop(): void {
    this.#connection.send((remote) => remote.stop());
  }

  /** Ends the worker and all that it drives; the next call starts afresh. */
  replace(): void {
    this.#connection.replace();
  }

  #call(invoke: (remote: Comlink.Remote<RunService>) => Promise<void>): Promise<void> {
    if (this.#connection.failed) this.#connection.replace();
    // The engine and the encoder are watched where they are called; a run itself may take hours.
    return this.#connection.call(invoke, { silenceMs: null, stop: () => this.stop() });
  }
}

function spawnRunWorker(): Worker {
  return new Worker(new URL("./run.worker.ts", import.meta.url), { type: "module", name: "sago-run" });
}
