/** One row an axis: what the run says as a whole. */
import type { Analysis, AxisResult } from "../evaluation/index.ts";
import { AXES, type RunRecord } from "../storage/index.ts";
import { runColumns } from "./run-columns.ts";
import { column, tableOf, withReason, type ColumnOf, type Table } from "./table.ts";

interface AxisSource {
  readonly run: RunRecord;
  readonly analysis: Analysis;
  readonly axis: AxisResult;
}

/** Four rows, in the order of the axes. */
export function axisTable(run: RunRecord, analysis: Analysis): Table {
  return tableOf(
    axisColumns,
    AXES.map((axis) => ({ run, analysis, axis: analysis.axes[axis] })),
  );
}

type Of = (axis: AxisResult) => number | boolean | string | null;
const SCALE = "around 0 to 1";
const PROBABILITY = "0 to 1";

const number = (name: string, range: string, meaning: string, of: Of, unit = ""): ColumnOf<AxisSource> =>
  column({ name, type: "number", unit, range, meaning }, ({ axis }) => of(axis));
const integer = (name: string, meaning: string, of: Of, unit = ""): ColumnOf<AxisSource> =>
  column({ name, type: "integer", unit, range: "0 and up", meaning }, ({ axis }) => of(axis));
const group = (
  stem: string,
  columns: readonly ColumnOf<AxisSource>[],
  reason: (axis: AxisResult) => string | null,
) => withReason(stem, columns, ({ axis }) => reason(axis));

const RAW = "that of the axis: 1 − cosine, √ bits, or likeness of style";

export const axisColumns: readonly ColumnOf<AxisSource>[] = [
  ...runColumns<AxisSource>(),
  column(
    { name: "axis", type: "text", range: AXES.join(", "), meaning: "Which axis" },
    ({ axis }) => axis.axis,
  ),
  column(
    {
      name: "examples_planned",
      type: "integer",
      unit: "questions",
      range: "1 and up",
      meaning: "Questions of the run",
    },
    ({ analysis }) => analysis.examplesPlanned,
  ),
  column(
    {
      name: "n",
      type: "integer",
      unit: "questions",
      range: "0 and up",
      meaning: "Questions that were complete and analysed",
    },
    ({ analysis }) => analysis.examplesAnalysed,
  ),
  ...group(
    "estimate",
    [
      number(
        "estimate",
        SCALE,
        "Instability: 0 no change, 1 as different as unrelated prompts (mirroring: a full copy)",
        ({ estimate }) => estimate,
      ),
      number("low", SCALE, "Lower end of its 95 % interval", ({ low }) => low),
      number("high", SCALE, "Upper end of its 95 % interval", ({ high }) => high),
    ],
    ({ reason }) => reason,
  ),
  ...group(
    "floor",
    [
      number(
        "floor",
        SCALE,
        "The same for edits without meaning (mirroring: what chance gives); never subtracted",
        ({ floor }) => floor.estimate,
      ),
      number("floor_low", SCALE, "Lower end of its 95 % interval", ({ floor }) => floor.low),
      number("floor_high", SCALE, "Upper end of its 95 % interval", ({ floor }) => floor.high),
    ],
    ({ floor, reason }) => floor.reason ?? reason,
  ),
  ...group(
    "raw",
    [
      number(
        "between",
        "0 and up",
        "B: mean distance between wordings (mirroring: matched likeness of style)",
        ({ raw }) => raw.B.mean,
        RAW,
      ),
      number(
        "within",
        "0 and up",
        "W: mean distance between repeats of one wording",
        ({ raw }) => raw.W.mean,
        RAW,
      ),
      number(
        "ceiling",
        "0 and up",
        "C: mean distance of unrelated pairs, where the scale has its 1 (mirroring: mismatched likeness)",
        ({ raw }) => raw.C.mean,
        RAW,
      ),
      number(
        "null_edits",
        "0 and up",
        "N: mean distance of edits without meaning to the original",
        ({ raw }) => raw.N.mean,
        RAW,
      ),
    ],
    ({ axis, reason }) =>
      reason ?? (axis === "mirroring" ? "mirroring has no W and no N" : "there were no such pairs"),
  ),
  integer("between_pairs", "Pairs behind B", ({ raw }) => raw.B.pairs, "pairs"),
  integer("within_pairs", "Pairs behind W", ({ raw }) => raw.W.pairs, "pairs"),
  integer("ceiling_pairs", "Pairs behind C", ({ raw }) => raw.C.pairs, "pairs"),
  integer("null_edit_pairs", "Pairs behind N", ({ raw }) => raw.N.pairs, "pairs"),
  column(
    { name: "test", type: "text", meaning: "The test against the floor" },
    ({ axis }) => axis.aboveFloor.test,
  ),
  ...group(
    "test",
    [
      number("p_value", PROBABILITY, "Its p-value", ({ aboveFloor }) => aboveFloor.pValue),
      number(
        "p_holm",
        PROBABILITY,
        "After Holm over the axes that could be tested",
        ({ aboveFloor }) => aboveFloor.adjustedP,
      ),
      column(
        { name: "above_floor", type: "boolean", meaning: "`p_holm` is at most 0.05" },
        ({ axis }) => axis.aboveFloor.above,
      ),
      number(
        "difference",
        "",
        "Mean over questions of the tested difference",
        ({ aboveFloor }) => aboveFloor.difference,
        RAW,
      ),
    ],
    ({ aboveFloor, reason }) => aboveFloor.reason ?? reason,
  ),
  integer(
    "test_n",
    "Questions that the test could use",
    ({ aboveFloor }) => aboveFloor.examples,
    "questions",
  ),
  ...group(
    "p_sampling",
    [
      number(
        "p_sampling",
        PROBABILITY,
        "Different wordings against repeats of one wording, not adjusted",
        ({ aboveSampling }) => aboveSampling?.pValue ?? null,
      ),
    ],
    ({ aboveSampling }) => aboveSampling?.reason ?? "only the generation axis of sampled runs has this test",
  ),
  ...group(
    "signed",
    [
      number(
        "signed",
        "−2 to 2",
        "Mirroring: mean of matched minus mismatched likeness of style",
        ({ signed }) => signed?.estimate ?? null,
      ),
      number("signed_low", "−2 to 2", "Lower end of its 95 % interval", ({ signed }) => signed?.low ?? null),
      number(
        "signed_high",
        "−2 to 2",
        "Upper end of its 95 % interval",
        ({ signed }) => signed?.high ?? null,
      ),
    ],
    ({ axis, signed, reason }) =>
      axis === "mirroring" ? (signed?.reason ?? reason) : "only mirroring has a sign",
  ),
  integer(
    "changed",
    "Questions with any change at all (mirroring: whose own test has p ≤ 0.05)",
    ({ changed }) => changed.count,
    "questions",
  ),
  integer("changed_of", "Of so many", ({ changed }) => changed.total, "questions"),
  ...group(
    "changed_share",
    [
      number(
        "changed_share_low",
        PROBABILITY,
        "Lower end of the 95 % Wilson interval of their share",
        ({ changed }) => changed.low,
      ),
      number("changed_share_high", PROBABILITY, "Upper end of it", ({ changed }) => changed.high),
    ],
    ({ reason }) => reason ?? "no question could be looked at",
  ),
  column(
    {
      name: "bootstrap_replications",
      type: "integer",
      range: "1 and up",
      meaning: "Resamples behind the intervals",
    },
    ({ analysis }) => analysis.bootstrapReplications,
  ),
];
