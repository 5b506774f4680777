/** A comparison of runs: for each run one row an axis, and one of the composite. */
import type { ComparedRun, Comparison, Estimate } from "../evaluation/index.ts";
import { AXES, type AxisId } from "../storage/index.ts";
import { column, tableOf, withReason, type ColumnOf, type Table } from "./table.ts";

interface ComparedSource {
  readonly run: ComparedRun;
  readonly axis: AxisId | "composite";
}

/** The compared runs in the order of the comparison. */
export function comparisonTable(comparison: Comparison): Table {
  return tableOf(
    comparisonColumns,
    comparison.runs.flatMap((run) => [...AXES, "composite" as const].map((axis) => ({ run, axis }))),
  );
}

const SCALE = "around 0 to 1";
const PROBABILITY = "0 to 1";

function estimateOf({ run, axis }: ComparedSource): Estimate {
  return axis === "composite" ? run.composite : run.axes[axis];
}

const number = (
  name: string,
  range: string,
  meaning: string,
  of: (source: ComparedSource) => number | null,
): ColumnOf<ComparedSource> => column({ name, type: "number", range, meaning }, of);

const ofAxis =
  (part: "floor" | "pooledCeiling" | "adjustedP") =>
  ({ run, axis }: ComparedSource) =>
    axis === "composite" ? null : run.axes[axis][part];

const COMPOSITE = "the composite has none of its own";
const because =
  (other: string) =>
  ({ axis, run }: ComparedSource) =>
    axis === "composite" ? COMPOSITE : run.axes[axis].estimate === null ? run.axes[axis].reason : other;

export const comparisonColumns: readonly ColumnOf<ComparedSource>[] = [
  column({ name: "run_id", type: "text", meaning: "The run" }, ({ run }) => run.runId),
  column(
    { name: "created_at", type: "text", range: "ISO 8601, UTC", meaning: "When it was begun" },
    ({ run }) => run.createdAt,
  ),
  column(
    {
      name: "contender",
      type: "text",
      meaning: "The model, with whatever of its setting tells the contenders apart",
    },
    ({ run }) => run.contender,
  ),
  column({ name: "dataset_name", type: "text", meaning: "The set of questions" }, ({ run }) => run.dataset),
  column(
    {
      name: "n",
      type: "integer",
      unit: "questions",
      range: "0 and up",
      meaning: "Questions that were analysed",
    },
    ({ run }) => run.examples,
  ),
  column(
    { name: "axis", type: "text", range: `${AXES.join(", ")}, composite`, meaning: "Which axis" },
    ({ axis }) => axis,
  ),
  ...withReason<ComparedSource>(
    "estimate",
    [
      number(
        "estimate",
        SCALE,
        "Instability: 0 no change, 1 as different as unrelated prompts (mirroring: a full copy)",
        (source) => estimateOf(source).estimate,
      ),
      number("low", SCALE, "Lower end of its 95 % interval", (source) => estimateOf(source).low),
      number("high", SCALE, "Upper end of its 95 % interval", (source) => estimateOf(source).high),
    ],
    (source) => estimateOf(source).reason,
  ),
  ...withReason<ComparedSource>(
    "floor",
    [
      number(
        "floor",
        SCALE,
        "The same for edits without meaning (mirroring: what chance gives)",
        ofAxis("floor"),
      ),
    ],
    because("there were no edits without meaning"),
  ),
  ...withReason<ComparedSource>(
    "pooled_ceiling",
    [
      number(
        "pooled_ceiling",
        SCALE,
        "The axis with one ceiling over the contender's datasets",
        ofAxis("pooledCeiling"),
      ),
    ],
    because("there is one dataset only, or the axis has no ceiling to pool"),
  ),
  ...withReason<ComparedSource>(
    "p_holm",
    [
      number(
        "p_holm",
        PROBABILITY,
        "P-value against the floor, after Holm over the axes of all runs that are compared",
        ofAxis("adjustedP"),
      ),
      column(
        { name: "above_floor", type: "boolean", meaning: "`p_holm` is at most 0.05" },
        ({ run, axis }) => (axis === "composite" ? null : run.axes[axis].above),
      ),
    ],
    because("there was nothing to test against"),
  ),
  ...withReason<ComparedSource>(
    "accuracy",
    [
      number(
        "accuracy",
        PROBABILITY,
        "Share of questions with an accepted answer under the original wording",
        ({ run: { accuracy } }) => (accuracy === null ? null : accuracy.correct / accuracy.total),
      ),
      number(
        "accuracy_low",
        PROBABILITY,
        "Lower end of its 95 % Wilson interval",
        ({ run }) => run.accuracy?.low ?? null,
      ),
      number("accuracy_high", PROBABILITY, "Upper end of it", ({ run }) => run.accuracy?.high ?? null),
    ],
    () => "the set has no right answers",
  ),
  ...withReason<ComparedSource>(
    "accuracy_wordings",
    [
      number(
        "accuracy_worst",
        PROBABILITY,
        "Accuracy of the worst single wording",
        ({ run }) => run.accuracyWorst,
      ),
      number(
        "accuracy_best",
        PROBABILITY,
        "Accuracy of the best single wording",
        ({ run }) => run.accuracyBest,
      ),
    ],
    () => "the set has no right answers, or its questions share no wordings",
  ),
];
