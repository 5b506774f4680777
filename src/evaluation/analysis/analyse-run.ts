import { isEmptyResponse } from "../../metrics/index.ts";
import { createRandom, shareInterval } from "../../statistics/index.ts";
import { AXES, type AxisId, type RunBundle } from "../../storage/index.ts";
import { productVersion } from "../../version.ts";
import { ANALYSIS_SCHEMA, type Analysis, type AxisResult, type Estimate } from "../analysis-result.ts";
import { defaultRelabellings, testAboveSampling, testsAboveFloor } from "./above-floor.ts";
import { activationDistances, activationShape } from "./activation-axis.ts";
import { qualityBeside } from "./answer-quality.ts";
import type { AxisDistances } from "./axis-distances.ts";
import { CalibratedAxis } from "./calibrated-axis.ts";
import { confidenceDistances } from "./confidence-axis.ts";
import { determinismOf } from "./determinism.ts";
import { exampleResults } from "./example-results.ts";
import { generationDistances } from "./generation-axis.ts";
import { jointEstimates, type MeasuredAxes } from "./joint-bootstrap.ts";
import { mirroringResults } from "./mirroring-axis.ts";
import { notesOf } from "./notes.ts";
import { indexRun, type ExampleRecords, type RunIndex } from "./run-index.ts";
import { pairExamples } from "./unrelated-pairs.ts";

export interface AnalysisOptions {
  /** Bootstrap resamples behind every interval. */
  readonly replications: number;
  /** Relabellings of each Monte Carlo test; by default as many as the size of the run asks for. */
  readonly relabellings?: number;
  /** Restricts the analysis to these examples. */
  readonly onlyExamples?: readonly string[];
  /** Asked now and then; true ends the analysis. */
  readonly isCancelled?: () => boolean;
}

/** Below this an analysis is called exploratory. */
const CONFIRMATORY_EXAMPLES = 64;

/**
 * Recomputes every figure of a run from its records. Incomplete examples are left out; the result depends on the
 * run's seed and its records only, not on their order.
 *
 * @throws {DOMException} `AbortError` once `isCancelled` says so
 * @throws {RangeError} if a record is not what its type promises
 */
export function analyseRun(bundle: RunBundle, options: AnalysisOptions): Analysis {
  const isCancelled = options.isCancelled ?? (() => false);
  const index = indexRun(bundle, options.onlyExamples ? new Set(options.onlyExamples) : null);
  const { spec, examples } = index;
  const random = createRandom(`${spec.seed}/analysis`);
  const measured = measureAxes(index, isCancelled);
  const results = exampleResults(index, measured);
  const joint = jointEstimates(
    measured,
    results.map(({ axes }) => ({
      generation: axes.generation.instability !== null,
      activation: axes.activation.instability !== null,
      confidence: axes.confidence.instability !== null,
      mirroring: axes.mirroring.instability !== null,
    })),
    random.split("bootstrap"),
    { replications: options.replications, isCancelled, sampled: index.repeats > 1 },
  );
  stopIf(isCancelled);
  const relabellings = options.relabellings ?? defaultRelabellings(examples.length);
  const tests = testsAboveFloor(measured, random.split("above-floor"), relabellings);
  const result = (axis: Exclude<AxisId, "mirroring">): AxisResult => ({
    axis,
    ...joint.axes[axis].estimate,
    floor: joint.axes[axis].floor,
    raw: rawOf(measured[axis], examples.length),
    aboveFloor: tests[axis],
    changed: changedShare(examples, measured, axis),
    layers: axis === "activation" ? layerCurve(measured.activation) : null,
  });
  const axes: Record<AxisId, AxisResult> = {
    generation: {
      ...result("generation"),
      ...(index.repeats > 1
        ? { aboveSampling: testAboveSampling(examples, random.split("above-sampling"), relabellings) }
        : {}),
    },
    activation: result("activation"),
    confidence: result("confidence"),
    mirroring: mirroringResult(measured, joint, tests.mirroring),
  };
  const beside = qualityBeside(examples, spec, rejectedIn(bundle.run, examples));
  const composite = {
    ...joint.composite,
    complete: joint.compositeAxes.length === AXES.length,
    axes: joint.compositeAxes,
  };
  return {
    schema: ANALYSIS_SCHEMA,
    runId: bundle.run.id,
    productVersion,
    examplesPlanned: index.planned,
    examplesAnalysed: examples.length,
    exploratory: examples.length < CONFIRMATORY_EXAMPLES,
    bootstrapReplications: options.replications,
    axes,
    composite,
    examples: results,
    beside,
    determinism: determinismOf(index),
    notes: notesOf(index, measured, axes, beside, bundle.run.meaningGate),
    further: null,
  };
}

/** Distances of all axes, each computed once. */
export function measureAxes(index: RunIndex, isCancelled: () => boolean = () => false): MeasuredAxes {
  const { examples, spec } = index;
  const random = createRandom(`${spec.seed}/distances`);
  const pairs = pairExamples(examples.length, random.split("unrelated-pairs"));
  const n = examples.length;
  const generation = new CalibratedAxis(
    withoutAnswers(examples) ? unavailable(n, "all answers are empty") : generationDistances(examples, pairs),
    n,
  );
  stopIf(isCancelled);
  const shape = activationShape(examples);
  const activation = new CalibratedAxis(
    shape === null ? unavailable(n, NO_ACTIVATIONS) : activationDistances(examples, pairs, shape),
    n,
  );
  stopIf(isCancelled);
  const confidence = new CalibratedAxis(confidenceDistances(examples), n);
  stopIf(isCancelled);
  const mirroring = withoutAnswers(examples)
    ? { results: examples.map(() => null), reasons: examples.map(() => "all answers are empty") }
    : mirroringResults(examples, random.split("mirroring"));
  stopIf(isCancelled);
  return { generation, activation, confidence, mirroring };
}

/** Variants of the analysed examples that the meaning gate turned away; runs made before there was one have none. */
function rejectedIn({ meaningGate }: RunBundle["run"], examples: readonly ExampleRecords[]): number {
  const ids = new Set(examples.map(({ id }) => id));
  return meaningGate?.rejected.filter(({ exampleId }) => ids.has(exampleId)).length ?? 0;
}

const NO_ACTIVATIONS = "this run has no activations: the layers of its model could not be read";

function withoutAnswers(examples: readonly ExampleRecords[]): boolean {
  return examples.every(({ wordings }) =>
    wordings.every(({ generations }) => generations.every(({ text }) => isEmptyResponse(text))),
  );
}

function unavailable(examples: number, reason: string): AxisDistances {
  const none = { variants: [], nullEdits: [] };
  return {
    layers: 1,
    between: new Float64Array(examples).fill(NaN),
    nullEdits: new Float64Array(examples).fill(NaN),
    rerun: new Float64Array(examples),
    unrelated: {
      first: new Int32Array(0),
      second: new Int32Array(0),
      distances: new Float64Array(0),
      comparisons: 0,
    },
    toOriginal: Array.from({ length: examples }, () => none),
    reasons: Array.from({ length: examples }, () => reason),
    counts: { between: 0, rerun: 0, nullEdits: 0 },
  };
}

function stopIf(isCancelled: () => boolean): void {
  if (isCancelled()) throw new DOMException("The analysis was cancelled.", "AbortError");
}

function rawOf({ distances, means }: CalibratedAxis, examples: number): AxisResult["raw"] {
  const { counts, unrelated } = distances;
  const mean = (values: Float64Array) => {
    const known = values.filter((value) => !Number.isNaN(value));
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  return {
    B: { mean: mean(means.between), pairs: counts.between },
    // Where nothing samples, W is 0 by construction.
    W: { mean: examples === 0 ? null : means.rerun, pairs: counts.rerun },
    C: { mean: mean(means.unrelated), pairs: unrelated.comparisons },
    N: { mean: mean(means.nullEdits), pairs: counts.nullEdits },
  };
}

/** From these distances on a prompt counts as changed; below it is rounding. */
const CHANGED_FROM = { activation: 1e-6, confidence: 1e-3 } as const;

function changedShare(
  examples: readonly ExampleRecords[],
  measured: MeasuredAxes,
  axis: Exclude<AxisId, "mirroring">,
): AxisResult["changed"] {
  const { reasons, toOriginal } = measured[axis].distances;
  let count = 0;
  let total = 0;
  for (const [at, { original, variants }] of examples.entries()) {
    if (reasons[at] !== null) continue;
    total += 1;
    const changed =
      axis === "generation"
        ? variants.some(({ generations }) => generations[0].text !== original.generations[0].text)
        : toOriginal[at]?.variants.some((distance) => distance !== null && distance > CHANGED_FROM[axis]);
    if (changed) count += 1;
  }
  return share(count, total);
}

function share(count: number, total: number): AxisResult["changed"] {
  const interval = shareInterval(count, total).value;
  return { count, total, low: interval?.low ?? null, high: interval?.high ?? null };
}

function layerCurve(axis: CalibratedAxis): AxisResult["layers"] {
  if (axis.reason !== null) return null;
  return Array.from({ length: axis.distances.layers }, (_, layer) => ({
    layer: layer + 1,
    estimate: axis.ofLayer(layer, "between"),
    floor: axis.ofLayer(layer, "nullEdits"),
  }));
}

/** Examples whose own pairing test is below this count as changed: by chance one in twenty would be. */
const MIRRORING_ALPHA = 0.05;

function mirroringResult(
  { mirroring }: MeasuredAxes,
  joint: { axes: Record<AxisId, { estimate: Estimate; floor: Estimate }>; signedMirroring: Estimate },
  aboveFloor: AxisResult["aboveFloor"],
): AxisResult {
  const known = mirroring.results.filter((result) => result !== null);
  const mean = (pick: (result: (typeof known)[number]) => number) =>
    known.length === 0 ? null : known.reduce((sum, result) => sum + pick(result), 0) / known.length;
  const pairs = known.reduce((sum, { rows: { length } }) => sum + length, 0);
  const otherPairs = known.reduce((sum, { rows: { length } }) => sum + length * (length - 1), 0);
  const none = { mean: null, pairs: 0 };
  return {
    axis: "mirroring",
    ...joint.axes.mirroring.estimate,
    signed: joint.signedMirroring,
    floor: joint.axes.mirroring.floor,
    raw: {
      B: { mean: mean(({ test }) => test.matched), pairs },
      W: none,
      C: { mean: mean(({ test }) => test.mismatched), pairs: otherPairs },
      N: none,
    },
    aboveFloor,
    changed: share(known.filter(({ test }) => test.pValue <= MIRRORING_ALPHA).length, known.length),
    layers: null,
  };
}
