import type { Analysis } from "../evaluation/index.ts";
import { isAbortError, type AnalysisClient } from "../workers/index.ts";

/** At most one analysis a second while a run goes on: each reads the whole run. */
const PAUSE_MS = 1000;

/** Where the analysis is shown. */
export interface AnalysisView {
  readonly shownRunId: () => string | null;
  readonly current: () => Analysis | null;
  readonly show: (analysis: Analysis) => void;
}

/** Keeps the analysis of the shown run up to date: the headline first, then everything beyond it. */
export class ShownAnalysis {
  readonly #client: Pick<AnalysisClient, "analyse" | "deepen">;
  readonly #view: AnalysisView;
  /** Null when no updates are under way. */
  #updating: Promise<void> | null = null;
  #again = false;
  #deepened: Promise<void> = Promise.resolve();

  constructor(client: Pick<AnalysisClient, "analyse" | "deepen">, view: AnalysisView) {
    this.#client = client;
    this.#view = view;
  }

  /** Settles when the rest of an analysis is there, or was given up. */
  get deepened(): Promise<void> {
    return this.#deepened;
  }

  /** Analyses now, or once more after the analysis that is under way. Never rejects: `settle` says what went wrong. */
  async updateSoon(runId: string): Promise<void> {
    this.#again = true;
    this.#updating ??= this.#updateWhileAsked(runId);
    await this.#updating;
  }

  async #updateWhileAsked(runId: string): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        await this.update(runId, false);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    } catch {
      // A picture of a run in progress is not worth ending it for. The last update meets the same fault, and reports it.
    } finally {
      this.#updating = null;
    }
  }

  /** @param keep - whether the analysis is stored with the run */
  async update(runId: string, keep: boolean): Promise<void> {
    try {
      const analysis = await this.#client.analyse(runId, keep);
      if (this.#view.shownRunId() === runId) this.#view.show(analysis);
    } catch (error) {
      // Another analysis was asked for in the meantime, so this one is not waited for.
      if (!isAbortError(error)) throw error;
    }
  }

  /** The last update of a run that has ended, one way or another; what lies beyond the headline is not waited for. */
  async settle(runId: string, keep: boolean): Promise<void> {
    await this.#updating;
    await this.update(runId, keep);
    this.deepen(runId, keep);
  }

  /** Completes the analysis that is shown, where it is not whole. Nothing waits for it but an export. */
  deepen(runId: string, keep: boolean): void {
    const analysis = this.#view.current();
    if (analysis === null || analysis.runId !== runId || analysis.further !== null) return;
    this.#deepened = this.#client
      .deepen(analysis, keep)
      .catch((error: unknown) => {
        if (isAbortError(error)) return null;
        const message = error instanceof Error ? error.message : "no reason was given";
        return { ...analysis, notes: [...analysis.notes, `More numbers could not be computed: ${message}`] };
      })
      .then((whole) => {
        if (whole !== null && this.#view.shownRunId() === runId) this.#view.show(whole);
      });
  }
}
