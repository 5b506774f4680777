/** The sentence encoder as the rest of the page sees it, in a worker of its own. */
import * as Comlink from "comlink";
import type { EmbeddedText, Encoder, LoadProgress, LocalEncoder, ModelSource } from "../inference/index.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

/** See the engine's limits; an encoder is small. */
const LOAD_SILENCE_MS = 300_000;
const EMBED_SILENCE_MS = 900_000;

export class EncoderClient implements Encoder {
  readonly #connection: WorkerConnection<LocalEncoder>;

  constructor(spawn: () => WorkerLike = spawnEncoder) {
    this.#connection = new WorkerConnection("The sentence encoder", spawn);
  }

  get failed(): boolean {
    return this.#connection.failed;
  }

  load(
    source: ModelSource,
    onProgress: (progress: LoadProgress) => void,
    signal?: AbortSignal,
  ): Promise<{ readonly id: string; readonly filesHash: string; readonly dimensions: number }> {
    return this.#connection.call(
      (remote, alive) =>
        remote.load(
          source,
          Comlink.proxy((progress: LoadProgress) => {
            alive();
            onProgress(progress);
          }),
        ),
      { silenceMs: LOAD_SILENCE_MS, signal, stop: null },
    );
  }

  embed(texts: readonly string[], signal?: AbortSignal): Promise<(Float32Array | null)[]> {
    return this.#connection.call((remote) => remote.embed(texts), {
      silenceMs: EMBED_SILENCE_MS,
      signal,
      stop: () => this.#connection.send((remote) => remote.stop()),
    });
  }

  embedTokens(texts: readonly string[], signal?: AbortSignal): Promise<(EmbeddedText | null)[]> {
    return this.#connection.call((remote) => remote.embedTokens(texts), {
      silenceMs: EMBED_SILENCE_MS,
      signal,
      stop: () => this.#connection.send((remote) => remote.stop()),
    });
  }

  dispose(): Promise<void> {
    return this.#connection.call((remote) => remote.dispose(), { silenceMs: EMBED_SILENCE_MS, stop: null });
  }

  terminate(): void {
    this.#connection.terminate();
  }

  replace(): void {
    this.#connection.replace();
  }
}

/** An encoder in a new worker, with the means to end it. */
export function openEncoder(): { readonly api: EncoderClient; terminate(): void } {
  const api = new EncoderClient();
  return { api, terminate: () => api.terminate() };
}

function spawnEncoder(): Worker {
  return new Worker(new URL("./encoder.worker.ts", import.meta.url), {
    type: "module",
    name: "sago-encoder",
  });
}
