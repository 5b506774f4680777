import { createRandom } from "../../../statistics/index.ts";
import type { RunBundle } from "../../../storage/index.ts";
import type { FurtherAnalysis, FurtherNumber, NumberGroup } from "../../further-result.ts";
import { measureAxes, type AnalysisOptions } from "../analyse-run.ts";
import { exampleResults } from "../example-results.ts";
import { indexRun, type RunIndex } from "../run-index.ts";
import { pairExamples } from "../unrelated-pairs.ts";
import { activationNumbers } from "./activation-numbers.ts";
import { answerDefects } from "./answer-defects.ts";
import { answerGroups } from "./answer-groups.ts";
import { answerNumbers } from "./answer-numbers.ts";
import { axisIndependence } from "./axis-independence.ts";
import { confidenceNumbers } from "./confidence-numbers.ts";
import { doseResponse } from "./dose-response.ts";
import { meansWithIntervals, type Draft } from "./example-means.ts";
import { indexNumbers } from "./index-numbers.ts";
import { layerGeometry } from "./layer-geometry.ts";
import { mirroringNumbers } from "./mirroring-numbers.ts";
import { paperScores } from "./paper-scores.ts";

/**
 * Everything beyond the headline. It takes as long again, so the page shows the headline first.
 * Arguments, errors and independence of the order of records as for `analyseRun`.
 */
export function furtherAnalysis(bundle: RunBundle, options: AnalysisOptions): FurtherAnalysis {
  const isCancelled = options.isCancelled ?? (() => false);
  const step = <T>(work: () => T): T => {
    if (isCancelled()) throw new DOMException("The analysis was cancelled.", "AbortError");
    return work();
  };
  const { replications } = options;
  const index = indexRun(bundle, options.onlyExamples ? new Set(options.onlyExamples) : null);
  const { examples, spec } = index;
  const random = createRandom(`${spec.seed}/further`);
  const measured = measureAxes(index, isCancelled);
  const results = exampleResults(index, measured);
  const groups = step(() =>
    answerGroups(index, pairExamples(examples.length, random.split("unrelated-answers"))),
  );
  const group = (id: NumberGroup["id"], title: string, drafts: () => Draft[]): NumberGroup =>
    step(() => ({
      id,
      title,
      numbers: numbersOf(drafts(), index, random.split(`numbers/${id}`), replications),
    }));
  return {
    numbers: [
      group("generation", "Answers", () => [
        ...answerNumbers(index, groups, random.split("answers")),
        ...answerDefects(index, measured),
      ]),
      group("activation", "Activations", () => activationNumbers(examples, groups)),
      group("confidence", "Confidence", () => confidenceNumbers(index)),
      group("mirroring", "Mirroring", () => mirroringNumbers(examples, groups)),
      group("indices", "Other indices", () => indexNumbers(index, results)),
    ],
    geometry: step(() => layerGeometry(examples)),
    paper: step(() => paperScores(index)),
    independence: step(() =>
      axisIndependence(examples, results, measured, random.split("independence"), replications),
    ),
    dose: step(() => doseResponse(examples, measured, random.split("dose"), replications)),
  };
}

function numbersOf(
  drafts: readonly Draft[],
  { examples }: RunIndex,
  random: ReturnType<typeof createRandom>,
  replications: number,
): FurtherNumber[] {
  const means = drafts.filter(({ values }) => values !== undefined);
  const estimates = meansWithIntervals(
    means.map(({ values = [] }) => values),
    means.map(({ missing }) => missing),
    random,
    replications,
  );
  return drafts.map(({ id, name, meaning, values, whole, missing }): FurtherNumber => {
    const estimate = estimates[means.findIndex((draft) => draft.id === id)];
    if (values !== undefined && estimate !== undefined) {
      return { id, name, meaning, ...estimate, examples: values.filter((value) => value !== null).length };
    }
    const value = whole?.value ?? null;
    const none = { id, name, meaning, low: null, high: null };
    return value === null
      ? { ...none, estimate: null, reason: missing ?? "it could not be measured", examples: 0 }
      : { ...none, estimate: value, reason: whole?.noInterval ?? null, examples: examples.length };
  });
}
