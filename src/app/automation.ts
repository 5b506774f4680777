import { get } from "svelte/store";
import type { Analysis } from "../evaluation/index.ts";
import { AXES } from "../storage/index.ts";
import type { RunController } from "./controller.ts";

/** What `npm run evaluate` asks of the page; see tools/evaluate.mjs. */
interface EvaluateChoices {
  readonly modelId: string | null;
  readonly examples: number;
  readonly variantsPerExample: number | null;
  readonly maxNewTokens: number;
  readonly device: "wasm" | "webgpu";
  readonly seed: number;
}

type Outcome =
  | { readonly ok: true; readonly runId: string; readonly summary: readonly string[] }
  | { readonly ok: false; readonly message: string };

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
      const modelId = choices.modelId ?? controller.defaults.modelId;
      if (!controller.models.some(({ id }) => id === modelId)) {
        const known = controller.models.map(({ id }) => id).join(", ");
        return { ok: false, message: `There is no model "${modelId}". With this page: ${known}.` };
      }
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
