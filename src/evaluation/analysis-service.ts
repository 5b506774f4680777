import { importRun, type ImportResult, type RunBundle, type RunStore } from "../storage/index.ts";
import { analyseRun, exampleDetail, furtherAnalysis } from "./analysis/index.ts";
import type { Analysis, ExampleDetail } from "./analysis-result.ts";
import { compareRuns, type AnalysedRun, type Comparison } from "./compare/index.ts";
import { contentKey } from "./content-key.ts";
import { analysisOfThisVersion } from "./stored-analysis.ts";

/** Bootstrap replications of what the page shows by default. */
export const REPLICATIONS = 2000;

/** Recomputes every figure of a stored run. It lives in a worker and reads the database itself. */
export class AnalysisService {
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /**
   * The headline of a stored run; `further` is null.
   * @param keep - whether the analysis is stored with the run
   * @throws {Error} if the run is not stored in this browser
   */
  async analyse(runId: string, keep: boolean): Promise<Analysis> {
    const analysis = analyseRun(await this.#bundle(runId), { replications: REPLICATIONS });
    if (keep) await this.#keep(analysis);
    return analysis;
  }

  /**
   * Adds the run of an exported file: reading and checking megabytes is no work for the page's own thread.
   * @throws {RunFileError} if the file is not a whole and valid run; nothing is changed then
   * @throws {StorageError}
   */
  importFile(file: Blob): Promise<ImportResult> {
    return importRun(this.#store, file);
  }

  /** The same analysis with everything beyond the headline. It takes as long again, so the headline is shown first. */
  async deepen(analysis: Analysis, keep: boolean): Promise<Analysis> {
    const bundle = await this.#bundle(analysis.runId);
    const further = furtherAnalysis(bundle, { replications: REPLICATIONS });
    const whole = { ...analysis, further };
    if (keep) await this.#keep(whole);
    return whole;
  }

  /** What the example page shows beyond the analysis. */
  async detail(runId: string, exampleId: string): Promise<ExampleDetail> {
    return exampleDetail(await this.#bundle(runId), exampleId);
  }

  /**
   * What stored runs say together, from their stored analyses; a run without one, or with one of another version, is
   * analysed first and its analysis kept.
   */
  async compare(runIds: readonly string[]): Promise<Comparison> {
    const analysed: AnalysedRun[] = [];
    for (const runId of runIds) {
      const run = await this.#store.getRun(runId);
      if (!run) throw new Error("One of these runs is no longer in the browser's storage.");
      const kept = analysisOfThisVersion((await this.#store.loadAnalysis(runId))?.analysis ?? null);
      const headline = kept ?? (await this.analyse(runId, true));
      const analysis = headline.further === null ? await this.deepen(headline, true) : headline;
      analysed.push({ runId, createdAt: run.createdAt, spec: run.spec, analysis });
    }
    return compareRuns(analysed, [...runIds].sort().join(","));
  }

  async #bundle(runId: string): Promise<RunBundle> {
    const bundle = await this.#store.loadBundle(runId);
    if (!bundle) throw new Error("This run is no longer in the browser's storage.");
    return bundle;
  }

  #keep(analysis: Analysis): Promise<void> {
    const { runId } = analysis;
    const key = contentKey({ piece: "analysis", runId });
    return this.#store.saveAnalysis({ key, runId, createdAt: new Date().toISOString(), analysis });
  }
}
