/**
 * One worker and the calls that are waiting for it. Every call settles: with its result, with its error, or
 * with the reason why the worker will never answer (it failed to load, crashed, was ended, or fell silent).
 */
import * as Comlink from "comlink";
import { abortError, EngineError } from "../inference/index.ts";
import "./error-transfer.ts";

/** The part of `Worker` that is needed; a fake one stands in for it in tests. */
export type WorkerLike = Pick<
  Worker,
  "postMessage" | "addEventListener" | "removeEventListener" | "terminate"
>;

export interface CallOptions {
  /** Longest time without a sign of life (`alive`) before the worker counts as hung; null: no limit. */
  readonly silenceMs: number | null;
  readonly signal?: AbortSignal | undefined;
  /** How to stop the running call; null: only ending the worker does. */
  readonly stop: (() => void) | null;
}

/** Time that a stopped call has to come to its next checkpoint, before its worker is ended. */
const STOP_GRACE_MS = 60_000;

export class WorkerConnection<Api> {
  readonly #spawn: () => WorkerLike;
  readonly #name: string;
  readonly #pending = new Set<(reason: Error) => void>();
  #worker: WorkerLike | null = null;
  #remote: Comlink.Remote<Api> | null = null;
  #failure: Error | null = null;

  /** @param name - what the worker is to the reader, for messages: "The engine" */
  constructor(name: string, spawn: () => WorkerLike) {
    this.#name = name;
    this.#spawn = spawn;
  }

  /** True if the worker failed or was ended; then `replace` before the next call. */
  get failed(): boolean {
    return this.#failure !== null;
  }

  /**
   * Calls the worker.
   * @param invoke - gets the remote and a function to call at every sign of life, with a new limit if it changes
   * @throws the worker's own error; AbortError; {EngineError} `worker-failed` or `worker-silent`
   */
  async call<T>(
    invoke: (remote: Comlink.Remote<Api>, alive: (silenceMs?: number) => void) => Promise<T>,
    options: CallOptions,
  ): Promise<T> {
    const { signal } = options;
    if (signal?.aborted) throw abortError();
    if (this.#failure !== null) throw this.#failure;
    const remote = this.#connect();
    let timer: ReturnType<typeof setTimeout> | null = null;
    let graceTimer: ReturnType<typeof setTimeout> | null = null;
    let limit = options.silenceMs;
    let reject: (reason: Error) => void = () => undefined;
    const failure = new Promise<never>((_, rejectFailure) => (reject = rejectFailure));
    const watch = (silenceMs?: number): void => {
      if (timer !== null) clearTimeout(timer);
      if (silenceMs !== undefined) limit = silenceMs;
      if (limit !== null) timer = setTimeout(() => this.#fail(this.#silent(limit ?? 0)), limit);
    };
    const onAbort = (): void => {
      if (options.stop === null) {
        reject(abortError());
        this.#fail(abortError());
        return;
      }
      options.stop();
      graceTimer = setTimeout(() => {
        reject(abortError());
        this.#fail(this.#silent(STOP_GRACE_MS));
      }, STOP_GRACE_MS);
    };
    this.#pending.add(reject);
    signal?.addEventListener("abort", onAbort, { once: true });
    watch();
    try {
      return await Promise.race([invoke(remote, watch), failure]);
    } finally {
      if (timer !== null) clearTimeout(timer);
      if (graceTimer !== null) clearTimeout(graceTimer);
      this.#pending.delete(reject);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Sends a message without waiting for an answer; nothing happens if there is no worker. */
  send(message: (remote: Comlink.Remote<Api>) => Promise<unknown>): void {
    if (this.#remote === null) return;
    // The answer is of no interest: whatever goes wrong in the worker, its pending calls tell.
    message(this.#remote).catch(() => undefined);
  }

  /** Ends the worker; every pending call rejects. */
  terminate(reason: Error = new EngineError("worker-failed", `${this.#name} was ended.`)): void {
    this.#fail(reason);
  }

  /** Ends the worker, if there still is one, and starts afresh with the next call. */
  replace(): void {
    this.#fail(new EngineError("worker-failed", `${this.#name} was replaced.`));
    this.#failure = null;
  }

  #connect(): Comlink.Remote<Api> {
    if (this.#remote !== null) return this.#remote;
    const worker = this.#spawn();
    worker.addEventListener("error", this.#onError);
    worker.addEventListener("messageerror", this.#onMessageError);
    this.#worker = worker;
    return (this.#remote = Comlink.wrap<Api>(worker));
  }

  readonly #onError = (event: Event): void => {
    const detail = "message" in event && typeof event.message === "string" ? event.message : "";
    this.#fail(
      new EngineError(
        "worker-failed",
        detail === ""
          ? `${this.#name} could not be started. Reload the page; if it persists, the files of the page are incomplete.`
          : `${this.#name} failed: ${detail}`,
      ),
    );
  };

  readonly #onMessageError = (): void => {
    this.#fail(new EngineError("worker-failed", `${this.#name} sent something that could not be read.`));
  };

  #silent(afterMs: number): EngineError {
    return new EngineError(
      "worker-silent",
      `${this.#name} has not answered for ${Math.round(afterMs / 1000)} seconds and was ended. Load the model again; a smaller model may help.`,
      { afterMs },
    );
  }

  #fail(reason: Error): void {
    this.#failure ??= reason;
    const worker = this.#worker;
    this.#worker = null;
    this.#remote = null;
    worker?.removeEventListener("error", this.#onError);
    worker?.removeEventListener("messageerror", this.#onMessageError);
    worker?.terminate();
    for (const reject of [...this.#pending]) reject(reason);
    this.#pending.clear();
  }
}
