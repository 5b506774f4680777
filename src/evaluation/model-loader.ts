import type { Encoder, Engine, LoadedModel, LoadProgress, ModelSource } from "../inference/index.ts";
import type { RunEvent, RunRequest } from "./run-request.ts";

/** A worker's typed interface together with the means to end it. */
export interface WorkerHandle<Api> {
  readonly api: Api;
  terminate(): void;
}

export interface LoadedEncoder {
  readonly id: string;
  readonly filesHash: string;
  readonly dimensions: number;
}

/** A model and a sentence encoder, ready for use. */
export interface Workbench {
  readonly engine: Engine;
  readonly encoder: Encoder;
  readonly model: LoadedModel;
  readonly encoderIdentity: LoadedEncoder;
}

type Wanted = Pick<RunRequest, "model" | "encoder" | "dtype" | "device">;

/**
 * Keeps one model and one encoder loaded, and loads others when they are asked for.
 *
 * A worker that failed is never used again: `discard` ends both, and the next `load` starts afresh.
 */
export class ModelLoader {
  readonly #makeEngine: () => WorkerHandle<Engine>;
  readonly #makeEncoder: () => WorkerHandle<Encoder>;
  #engine: WorkerHandle<Engine> | null = null;
  #encoder: WorkerHandle<Encoder> | null = null;
  #loaded: { readonly wanted: string; readonly workbench: Workbench } | null = null;

  constructor(makeEngine: () => WorkerHandle<Engine>, makeEncoder: () => WorkerHandle<Encoder>) {
    this.#makeEngine = makeEngine;
    this.#makeEncoder = makeEncoder;
  }

  /**
   * Stops what is computed at its next step. A load ends with its workers, since nothing in them would hear a
   * stop before its end; what was downloaded is kept.
   */
  stop(): void {
    if (this.#loaded === null) this.discard();
    else this.#engine?.api.stop();
  }

  async load(wanted: Wanted, onEvent: (event: RunEvent) => void): Promise<Workbench> {
    const identity = JSON.stringify([
      sourceName(wanted.model),
      sourceName(wanted.encoder),
      wanted.dtype,
      wanted.device,
    ]);
    if (this.#loaded?.wanted === identity) {
      this.#announce(this.#loaded.workbench, onEvent);
      return this.#loaded.workbench;
    }
    this.discard();
    const engine = (this.#engine = this.#makeEngine());
    const encoder = (this.#encoder = this.#makeEncoder());
    const reporter = (what: string) => (progress: LoadProgress) =>
      onEvent(
        progress.phase === "download"
          ? { kind: "loading", what, loadedBytes: progress.loadedBytes, totalBytes: progress.totalBytes }
          : { kind: "preparing", what },
      );
    try {
      const model = await engine.api.load(
        { source: wanted.model, device: wanted.device, dtype: wanted.dtype },
        reporter("the model"),
      );
      const encoderIdentity = await encoder.api.load(wanted.encoder, reporter("the sentence encoder"));
      const workbench = { engine: engine.api, encoder: encoder.api, model, encoderIdentity };
      this.#loaded = { wanted: identity, workbench };
      this.#announce(workbench, onEvent);
      return workbench;
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  #announce({ model }: Workbench, onEvent: (event: RunEvent) => void): void {
    onEvent({
      kind: "model",
      device: model.device,
      systemPrompt: model.chatTemplate?.defaultSystemPrompt ?? null,
    });
  }

  /** Ends both workers; whatever they were doing is rejected by their clients. */
  discard(): void {
    this.#engine?.terminate();
    this.#encoder?.terminate();
    this.#engine = null;
    this.#encoder = null;
    this.#loaded = null;
  }
}

function sourceName(source: ModelSource): string {
  switch (source.kind) {
    case "bundled":
      return `bundled ${source.baseUrl}`;
    case "hub":
      return `hub ${source.host} ${source.id} ${source.revision}`;
    case "folder":
      return `folder ${source.id} ${source.files.map(({ path, file }) => `${path}:${file.size}:${changedAt(file)}`).join(" ")}`;
  }
}

/** When a file on disk last changed: one of the same size may hold something else. */
function changedAt(file: Blob): number {
  return file instanceof File ? file.lastModified : 0;
}
