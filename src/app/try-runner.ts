import { get, writable, type Readable } from "svelte/store";
import type { RunEvent, TryRow as ArrivedRow, TryWording } from "../evaluation/index.ts";
import type { TryController, TryRow, TrySettings, TryState, TryVariant } from "../ui/controller.ts";
import { proposeVariants } from "../variants/index.ts";
import { isAbortError, type RunClient } from "../workers/index.ts";
import type { Library } from "./model-library.ts";
import { describeFailure } from "./run-failure.ts";
import { RunWatch } from "./run-watch.ts";

const SEED = 7;

/** "Try one prompt": a few wordings, their answers and raw distances as they arrive. Nothing is stored. */
export class TryRunner implements TryController {
  readonly #client: RunClient;
  readonly #library: Library;
  readonly #state = writable<TryState>({ phase: { kind: "idle" }, rows: [] });
  #running = false;

  constructor(client: RunClient, library: Library) {
    this.#client = client;
    this.#library = library;
  }

  get state(): Readable<TryState> {
    return this.#state;
  }

  propose(prompt: string): TryVariant[] {
    return proposeVariants(prompt, SEED).map(({ id, family, label, text }) => ({ id, family, label, text }));
  }

  async run(prompt: string, variants: readonly TryVariant[], settings: TrySettings): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    const original: TryWording = { id: "original", family: "original", label: "Original", text: prompt };
    const rows = [original, ...variants].map(blankRow);
    const watch = new RunWatch();
    this.#state.set({ phase: { kind: "preparing", what: "the model" }, rows });
    const onEvent = (event: RunEvent) => {
      if (event.kind !== "loading" && event.kind !== "preparing") return;
      const phase = watch.phase(event);
      if (phase.kind === "loading" || phase.kind === "preparing") this.#change({ phase });
    };
    try {
      const model = this.#library.request(settings.modelId);
      this.#library.assertRuns(settings.modelId, settings.device);
      await this.#client.tryPrompt(
        {
          model: model.source,
          encoder: this.#library.request(get(this.#library.state).encoderId).source,
          dtype: model.dtype,
          device: settings.device,
          wordings: [original, ...variants],
          maxNewTokens: settings.maxNewTokens,
        },
        onEvent,
        (row) => this.#arrived(row),
      );
      this.#change({ phase: { kind: "finished" } });
    } catch (error) {
      this.#change({
        phase: isAbortError(error)
          ? { kind: "stopped" }
          : describeFailure(error, { runId: null, examplesDone: 0, examples: 0 }),
      });
    } finally {
      this.#running = false;
    }
  }

  stop(): void {
    if (this.#running) void this.#client.stop();
  }

  #arrived(row: ArrivedRow): void {
    this.#state.update((state) => {
      const rows = state.rows.map((shown) => (shown.id === row.id ? filledRow(shown, row) : shown));
      const answered = rows.filter((shown) => !shown.partial).length;
      const compared = rows.filter((shown) => shown.generationDistance !== null).length;
      const total = 2 * rows.length - 1;
      return {
        rows,
        phase: {
          kind: "running",
          done: answered + compared,
          total,
          activity: answered < rows.length ? "writing answers" : "comparing answers",
        },
      };
    });
  }

  #change(changes: Partial<TryState>): void {
    this.#state.update((state) => ({ ...state, ...changes }));
  }
}

function blankRow(wording: TryWording): TryRow {
  return {
    ...wording,
    response: "",
    partial: true,
    tokens: [],
    thinking: null,
    generationDistance: null,
    activationDistance: null,
    confidenceDistance: null,
  };
}

function filledRow(shown: TryRow, row: ArrivedRow): TryRow {
  return {
    ...shown,
    response: row.response,
    partial: false,
    tokens: row.tokenTexts.map((text, index) => ({
      text,
      probability: Math.exp(row.logProbNats[index] ?? Number.NEGATIVE_INFINITY),
    })),
    thinking: row.thinking,
    generationDistance: row.distances?.generation ?? null,
    activationDistance: row.distances?.activation ?? null,
    confidenceDistance: row.distances?.confidence ?? null,
  };
}
