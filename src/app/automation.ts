import { get } from "svelte/store";
import type { Analysis } from "../evaluation/index.ts";
import { AXES, type WordingSource } from "../storage/index.ts";
import type { RunController } from "./controller.ts";

/** What `npm run evaluate` asks of the page; see tools/evaluate.mjs. */
interface EvaluateChoices {
  /** In the list, or on the hub (`owner/name`, `owner/name@revision`); null: the one that is chosen. */
  readonly modelId: string | null;
  /** As `modelId`. */
  readonly encoderId?: string | null;
  /** null: the sensible one. */
  readonly dtype?: string | null;
  /** For gated models of the hub; kept in memory only. */
  readonly token?: string | null;
  readonly examples: number;
  readonly variantsPerExample: number | null;
  /** Left out: the set's own. */
  readonly wordings?: WordingSource;
  readonly maxNewTokens: number;
  readonly device: "wasm" | "webgpu";
  readonly seed: number;
}

type Outcome =
  | { readonly ok: true; readonly runId: string; readonly summary: readonly string[] }
  | { readonly ok: false; readonly message: string };

type Opened = { readonly ok: true; readonly id: string } | { readonly ok: false; readonly message: string };

/**
 * The page's handle for scripts, `globalThis.sago`: the same controller as the Run button, with answers that
 * cross into another process as plain data.
 */
export class Automation {
  readonly controller: RunController;
  #export: Blob | null = null;

  constructor(controller: RunController) {
    this.controller = controller;
  }

  /** Runs and reports; a failure is an answer with the page's own message, not a rejection. */
  async evaluate(
    dataset: { readonly id: string } | { readonly file: string; readonly text: string },
    choices: EvaluateChoices,
    onProgress: (line: string) => void,
  ): Promise<Outcome> {
    const { controller } = this;
    try {
      const chosen = "id" in dataset ? dataset : controller.addDataset(readJson(dataset.file, dataset.text));
      if (!controller.datasets.some(({ id }) => id === chosen.id)) {
        const known = controller.datasets.map(({ id }) => id).join(", ");
        return { ok: false, message: `There is no dataset "${chosen.id}". Built in: ${known}.` };
      }
      const { library } = controller;
      if (choices.token) library.giveToken(choices.token);
      const modelId = await this.#modelOf(
        choices.modelId ?? get(library.state).modelId,
        "language",
        onProgress,
      );
      if (choices.encoderId) library.use(await this.#modelOf(choices.encoderId, "encoder", onProgress));
      if (choices.dtype) this.#chooseFormat(modelId, choices.dtype);
      const stopReporting = controller.state.subscribe(({ phase }) => {
        if (phase.kind === "loading") {
          onProgress(`Loading ${phase.what}: ${percent(phase.loadedBytes, phase.totalBytes)}`);
        } else if (phase.kind === "preparing") onProgress(`Preparing ${phase.what}`);
        else if (phase.kind === "running") {
          const left = phase.secondsLeft === null ? "" : `, ${Math.ceil(phase.secondsLeft)} s left`;
          const done = percent(phase.pieceDone, phase.pieces);
          onProgress(
            `${done}, ${phase.examplesDone} of ${phase.examples} questions, ${phase.activity}${left}`,
          );
        }
      });
      await controller.start({
        modelId,
        datasetId: chosen.id,
        examples: choices.examples,
        variantsPerExample: choices.variantsPerExample,
        wordings: choices.wordings ?? "own",
        device: choices.device,
        decoding: { kind: "greedy", temperature: null, maxNewTokens: choices.maxNewTokens, repeats: 1 },
        seed: choices.seed,
      });
      stopReporting();
      const { phase, run, analysis } = get(controller.state);
      if (phase.kind === "failed")
        return { ok: false, message: `${phase.title} ${phase.safe} ${phase.next}` };
      if (!run || !analysis) return { ok: false, message: "The run ended without a result." };
      return { ok: true, runId: run.id, summary: summarise(analysis) };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The id of the folder that the page was given last, as its list of models calls it. */
  async openedFolder(): Promise<Opened> {
    const opened = this.controller.library.lastOpened;
    if (opened === null) return { ok: false, message: "The page was given no folder." };
    try {
      return { ok: true, id: await opened };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error) };
    }
  }

  async #modelOf(
    wanted: string,
    role: "language" | "encoder",
    onProgress: (line: string) => void,
  ): Promise<string> {
    const { library } = this.controller;
    const offered = () => {
      const { models, encoders } = get(library.state);
      return role === "encoder" ? encoders : models;
    };
    const known = offered().find(({ id }) => id === wanted);
    if (known) return known.id;
    if (!wanted.includes("/")) {
      const names = offered().map(({ id }) => id);
      throw new Error(`There is no model "${wanted}". With this page: ${names.join(", ")}.`);
    }
    onProgress(`Looking up ${wanted} on ${get(library.state).host}`);
    const id = await library.lookUp(wanted);
    if (offered().some((model) => model.id === id)) return id;
    throw new Error(
      role === "encoder"
        ? `${wanted} is a language model, not a sentence encoder.`
        : `${wanted} is a sentence encoder, not a language model.`,
    );
  }

  #chooseFormat(id: string, dtype: string): void {
    const { library } = this.controller;
    const formats = get(library.state).models.find((model) => model.id === id)?.formats ?? [];
    if (!formats.some((format) => format.dtype === dtype)) {
      const names = formats.map((format) => format.dtype).join(", ");
      throw new Error(`${id} has no number format "${dtype}". It has: ${names}.`);
    }
    library.set(id, { dtype });
  }

  /** Makes the export of a run ready to be fetched in pieces; its size in bytes. */
  async prepareExport(runId: string): Promise<number> {
    this.#export = await this.controller.exportRun(runId);
    return this.#export.size;
  }

  /** The prepared export as one text; for small runs. */
  async exportText(): Promise<string> {
    if (!this.#export) throw new Error("No export was prepared.");
    return this.#export.text();
  }

  /** Bytes [from, to) of the prepared export, in base64. */
  async exportChunk(from: number, to: number): Promise<string> {
    if (!this.#export) throw new Error("No export was prepared.");
    const bytes = new Uint8Array(await this.#export.slice(from, to).arrayBuffer());
    const parts: string[] = [];
    for (let start = 0; start < bytes.length; start += 8192) {
      parts.push(String.fromCharCode(...bytes.subarray(start, start + 8192)));
    }
    return btoa(parts.join(""));
  }
}

function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

const percent = (part: number, whole: number): string =>
  whole > 0 ? `${Math.floor((100 * part) / whole)} %` : "0 %";

function summarise(analysis: Analysis): string[] {
  return AXES.map((axis) => {
    const { estimate, low, high, reason, floor } = analysis.axes[axis];
    if (estimate === null) return `${axis.padEnd(11)} not available: ${reason}`;
    const interval =
      low === null || high === null ? `(${reason})` : `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
    const noise = floor.estimate === null ? "" : `  floor ${floor.estimate.toFixed(3)}`;
    return `${axis.padEnd(11)} ${estimate.toFixed(3)} ${interval}${noise}`;
  });
}
