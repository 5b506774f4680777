/** The engine behind `engine.worker.ts`: one model, one serial queue. Plain class, testable in Node. */
import { EngineError } from "./engine-error.ts";
import { generate } from "./decoding/generate.ts";
import { score } from "./decoding/score.ts";
import { workerSurroundings, type DeviceSurroundings } from "./device.ts";
import type { ModelFolder } from "./files/model-folder.ts";
import { openModelFolder } from "./files/open-model-folder.ts";
import { loadDecoder, type LoadedDecoder } from "./load-decoder.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import { Runtime } from "./runtime/open-session.ts";
import { RUNTIME_VERSION } from "./runtime/runtime-version.ts";
import { SerialQueue } from "./serial-queue.ts";
import { chatPrompt, rawPrompt, sharedPrefix } from "./text/prompts.ts";
import { tokenTexts } from "./text/token-texts.ts";
import type {
  Engine,
  EngineProgress,
  GenerateRequest,
  GenerateResult,
  LoadedModel,
  LoadProgress,
  LoadRequest,
  ModelSource,
  ScoreRequest,
  ScoreResult,
  TemplatedPrompt,
} from "./types.ts";
import { yieldToMessages } from "./yield-to-messages.ts";

/** What the engine takes from outside; replaced in tests. */
export interface EngineSurroundings {
  readonly device: DeviceSurroundings;
  readonly openFolder: (source: ModelSource) => ModelFolder;
  readonly runtime: Pick<Runtime, "open">;
  readonly maxRows: number | null;
}

export class LocalEngine implements Engine {
  readonly #surroundings: EngineSurroundings;
  readonly #queue = new SerialQueue();
  #loaded: LoadedDecoder | null = null;

  constructor(surroundings: Partial<EngineSurroundings> = {}) {
    this.#surroundings = {
      device: surroundings.device ?? workerSurroundings(),
      openFolder: surroundings.openFolder ?? openModelFolder,
      runtime: surroundings.runtime ?? new Runtime(),
      maxRows: surroundings.maxRows ?? null,
    };
  }

  load(request: LoadRequest, onProgress: (progress: LoadProgress) => void): Promise<LoadedModel> {
    return this.#queue.add(async () => {
      await this.#release();
      const { device, openFolder, runtime } = this.#surroundings;
      const folder = openFolder(request.source);
      this.#loaded = await loadDecoder(folder, request, device, runtime, RUNTIME_VERSION, onProgress);
      return this.#loaded.description;
    });
  }

  template(
    prompts: readonly string[],
    options: { readonly kind: "chat" | "raw"; readonly systemPrompt: string | null },
  ): Promise<TemplatedPrompt[]> {
    return this.#queue.add(async () => {
      const { tokenizer, template, prefixes } = this.#require();
      if (options.kind === "chat" && template !== null) {
        prefixes.announce(sharedPrefix(tokenizer, template, options.systemPrompt));
      }
      return Promise.resolve(
        prompts.map((prompt) =>
          options.kind === "raw"
            ? rawPrompt(tokenizer, prompt)
            : chatPrompt(tokenizer, template, prompt, options.systemPrompt),
        ),
      );
    });
  }

  generate(
    requests: readonly GenerateRequest[],
    onResult: (result: GenerateResult) => void | Promise<void>,
    onProgress: (progress: EngineProgress) => void,
  ): Promise<void> {
    return this.#queue.add(async (throwIfStopped) => {
      const { decoder, prefixes, tokenizer, endTokenIds, thinking, description } = this.#require();
      const now = (): number => performance.now();
      const progress = new ProgressReporter(requests.length, onProgress, now);
      const limits = {
        endTokenIds,
        thinking,
        contextLength: description.contextLength,
        maxRows: this.#surroundings.maxRows ?? description.batchRows,
      };
      try {
        await generate(decoder, requests, limits, {
          checkpoint: async () => {
            await yieldToMessages();
            throwIfStopped();
          },
          prefixes,
          read: (ids) => {
            const texts = tokenTexts(ids, (part) => tokenizer.decode(part));
            return { text: tokenizer.decode(ids), tokenTexts: texts };
          },
          onResult,
          onDecoded: (decoded, finished) => progress.update(decoded, finished),
          now,
        });
      } finally {
        progress.flush();
      }
    });
  }

  score(
    requests: readonly ScoreRequest[],
    onResult: (result: ScoreResult) => void | Promise<void>,
    onProgress: (progress: EngineProgress) => void,
  ): Promise<void> {
    return this.#queue.add(async (throwIfStopped) => {
      const { decoder, prefixes, description } = this.#require();
      const progress = new ProgressReporter(requests.length, onProgress, () => performance.now());
      let scored = 0;
      try {
        for (const [index, request] of requests.entries()) {
          const result = await score(decoder, request, description.contextLength, prefixes, async () => {
            await yieldToMessages();
            throwIfStopped();
          });
          scored += request.responseTokenIds.length;
          progress.update(scored, index + 1);
          await onResult(result);
        }
      } finally {
        progress.flush();
      }
    });
  }

  stop(): void {
    this.#queue.stop();
  }

  async dispose(): Promise<void> {
    this.stop();
    await this.#queue.add(() => this.#release());
  }

  /** Bytes that the runtime holds; null where it cannot be told. */
  heldBytes(): number | null {
    return this.#loaded?.decoder.session.heldBytes() ?? null;
  }

  async #release(): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = null;
    loaded?.prefixes.dispose();
    await loaded?.decoder.session.dispose();
  }

  #require(): LoadedDecoder {
    if (this.#loaded === null) throw new EngineError("not-loaded", "No model is loaded. Load one first.");
    return this.#loaded;
  }
}
