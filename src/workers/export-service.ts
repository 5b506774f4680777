import { analysisOfThisVersion, type Analysis, type Comparison } from "../evaluation/index.ts";
import {
  answerTable,
  axisTable,
  comparisonTable,
  questionTable,
  summariseAnswer,
  tableFile,
  type AnswerSummary,
  type Table,
  type TableFormat,
  type TableName,
} from "../exports/index.ts";
import type { RunSnapshot, RunStore } from "../storage/index.ts";

/** Writes tables of stored runs. It lives in a worker and reads the database itself. */
export class ExportService {
  readonly #store: Pick<RunStore, "openSnapshot">;

  constructor(store: Pick<RunStore, "openSnapshot">) {
    this.#store = store;
  }

  /**
   * A table of a stored run as a file.
   * @param shown - the analysis to write where none is stored, which is so while a run goes on
   * @throws {Error} if the run is not stored, or was never analysed
   */
  async table(runId: string, name: TableName, format: TableFormat, shown: Analysis | null): Promise<Blob> {
    const snapshot = await this.#store.openSnapshot(runId);
    if (snapshot === null) throw new Error("This run is no longer in the browser's storage.");
    const analysis = analysisOfThisVersion(snapshot.analysis?.analysis ?? null) ?? shown;
    if (analysis === null)
      throw new Error("This run has no results yet. Open it, and export it when its results are shown.");
    return tableFile(await tableOf(snapshot, analysis, name), format);
  }

  /** What runs say together, as it is shown. */
  comparison(comparison: Comparison, format: TableFormat): Blob {
    return tableFile(comparisonTable(comparison), format);
  }
}

async function tableOf(snapshot: RunSnapshot, analysis: Analysis, name: TableName): Promise<Table> {
  switch (name) {
    case "questions":
      return questionTable(snapshot.run, analysis);
    case "axes":
      return axisTable(snapshot.run, analysis);
    case "answers": {
      const answers: AnswerSummary[] = [];
      // Read in pieces: the records of a large run would not fit in memory at once.
      for await (const records of snapshot.read("generations")) answers.push(...records.map(summariseAnswer));
      return answerTable(snapshot.run, analysis, answers);
    }
  }
}
