import { importRun, type ImportResult, type RunStore } from "../storage/index.ts";
import { analyseRun, exampleDetail } from "./analysis/index.ts";
import type { Analysis, ExampleDetail } from "./analysis-result.ts";
import { contentKey } from "./content-key.ts";

/** Bootstrap replications of what the page shows by default. */
export const REPLICATIONS = 2000;

/** Recomputes every figure of a stored run. It lives in a worker and reads the database itself. */
export class AnalysisService {
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /**
   * @param keep - whether the analysis is stored with the run
   * @throws {Error} if the run is not stored in this browser
   */
  async analyse(runId: string, keep: boolean): Promise<Analysis> {
    const bundle = await this.#store.loadBundle(runId);
    if (!bundle) throw new Error("This run is no longer in the browser's storage.");
    const analysis = analyseRun(bundle, { replications: REPLICATIONS });
    if (keep) {
      await this.#store.saveAnalysis({
        key: contentKey({ piece: "analysis", runId }),
        runId,
        createdAt: new Date().toISOString(),
        analysis,
      });
    }
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

  /** What the example page shows beyond the analysis. */
  async detail(runId: string, exampleId: string): Promise<ExampleDetail> {
    const bundle = await this.#store.loadBundle(runId);
    if (!bundle) throw new Error("This run is no longer in the browser's storage.");
    return exampleDetail(bundle, exampleId);
  }
}
