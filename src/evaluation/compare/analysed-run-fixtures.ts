import type { RunBundle } from "../../storage/index.ts";
import type { Analysis } from "../analysis-result.ts";
import type { AnalysedRun } from "./comparison.ts";

/** A run of the bundle's settings, under the names of another model and dataset, with the given analysis. */
export function analysedRun(
  { run: { spec } }: Pick<RunBundle, "run">,
  model: string,
  dataset: string,
  analysis: Analysis,
  change: Partial<AnalysedRun["spec"]> = {},
): AnalysedRun {
  return {
    runId: `${model}/${dataset}`,
    createdAt: "2026-01-01T00:00:00Z",
    spec: {
      ...spec,
      model: { ...spec.model, id: model },
      dataset: { ...spec.dataset, name: dataset, contentHash: dataset },
      ...change,
    },
    analysis,
  };
}
