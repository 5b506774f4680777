/** The engine as the rest of the page sees it: the same interface, in a worker of its own. */
import * as Comlink from "comlink";
import type {
  Engine,
  EngineProgress,
  GenerateRequest,
  GenerateResult,
  LoadedModel,
  LoadProgress,
  LoadRequest,
  LocalEngine,
  ScoreRequest,
  ScoreResult,
  TemplatedPrompt,
} from "../inference/index.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

export interface SilenceLimits {
  /** Without a byte while files are downloaded. */
  readonly downloadMs: number;
  /** While the session is prepared: nothing can be heard from a worker that compiles. */
  readonly sessionMs: number;
  /** Without a step while tokens are computed: a long prompt in a large model on one thread takes minutes. */
  readonly computeMs: number;
}

const DEFAULT_LIMITS: SilenceLimits = { downloadMs: 120_000, sessionMs: 900_000, computeMs: 900_000 };

export class EngineClient implements Engine {
  readonly #connection: WorkerConnection<LocalEngine>;
  readonly #limits: SilenceLimits;

  constructor(spawn: () => WorkerLike = spawnEngine, limits: SilenceLimits = DEFAULT_LIMITS) {
    this.#connection = new WorkerConnection("The engine", spawn);
    this.#limits = limits;
  }

  /** True after a failure: `replace` the worker and load again. */
  get failed(): boolean {
    return this.#connection.failed;
  }

  /** Loading cannot be interrupted inside the worker; an abort ends the worker (see `replace`). */
  load(
    request: LoadRequest,
    onProgress: (progress: LoadProgress) => void,
    signal?: AbortSignal,
  ): Promise<LoadedModel> {
    const { downloadMs, sessionMs } = this.#limits;
    return this.#connection.call(
      (remote, alive) =>
        remote.load(
          request,
          Comlink.proxy((progress: LoadProgress) => {
            alive(progress.phase === "session" ? sessionMs : downloadMs);
            onProgress(progress);
          }),
        ),
      { silenceMs: downloadMs, signal, stop: null },
    );
  }

  template(
    prompts: readonly string[],
    options: { readonly kind: "chat" | "raw"; readonly systemPrompt: string | null },
    signal?: AbortSignal,
  ): Promise<TemplatedPrompt[]> {
    return this.#compute((remote) => remote.template(prompts, options), signal);
  }

  generate(
    requests: readonly GenerateRequest[],
    onResult: (result: GenerateResult) => void | Promise<void>,
    onProgress: (progress: EngineProgress) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    return this.#compute(
      (remote, alive) =>
        remote.generate(
          requests,
          Comlink.proxy((result: GenerateResult) => {
            alive();
            return onResult(result);
          }),
          Comlink.proxy((progress: EngineProgress) => {
            alive();
            onProgress(progress);
          }),
        ),
      signal,
    );
  }

  score(
    requests: readonly ScoreRequest[],
    onResult: (result: ScoreResult) => void | Promise<void>,
    onProgress: (progress: EngineProgress) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    return this.#compute(
      (remote, alive) =>
        remote.score(
          requests,
          Comlink.proxy((result: ScoreResult) => {
            alive();
            return onResult(result);
          }),
          Comlink.proxy((progress: EngineProgress) => {
            alive();
            onProgress(progress);
          }),
        ),
      signal,
    );
  }

  stop(): void {
    this.#connection.send((remote) => remote.stop());
  }

  dispose(): Promise<void> {
    return this.#compute((remote) => remote.dispose(), undefined);
  }

  /** Bytes that the runtime holds; null where it cannot be told. */
  heldBytes(): Promise<number | null> {
    return this.#compute((remote) => remote.heldBytes(), undefined);
  }

  terminate(): void {
    this.#connection.terminate();
  }

  /** A fresh worker in place of a failed one; the model must be loaded again. */
  replace(): void {
    this.#connection.replace();
  }

  #compute<T>(
    invoke: (remote: Comlink.Remote<LocalEngine>, alive: () => void) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.#connection.call(invoke, {
      silenceMs: this.#limits.computeMs,
      signal,
      stop: () => this.stop(),
    });
  }
}

/** An engine in a new worker, with the means to end it. */
export function openEngine(): { readonly api: EngineClient; terminate(): void } {
  const api = new EngineClient();
  return { api, terminate: () => api.terminate() };
}

function spawnEngine(): Worker {
  return new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module", name: "sago-engine" });
}
