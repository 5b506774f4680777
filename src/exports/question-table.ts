/** One row a question: its four axes with what they are made of, and what went wrong. */
import type { Analysis, ExamplePrompt, ExampleResult } from "../evaluation/index.ts";
import { AXES, type AxisId, type RunRecord } from "../storage/index.ts";
import { goldText, NO_GOLD, runColumns } from "./run-columns.ts";
import { column, measured, tableOf, withReason, type ColumnOf, type Table } from "./table.ts";

interface QuestionSource {
  readonly run: RunRecord;
  readonly example: ExampleResult;
}

/** The analysed questions in the order of the plan. Those that are not complete have no row. */
export function questionTable(run: RunRecord, analysis: Analysis): Table {
  return tableOf(
    questionColumns,
    analysis.examples.map((example) => ({ run, example })),
  );
}

const NOT_COMPARED = "there is nothing to compare";

export const questionColumns: readonly ColumnOf<QuestionSource>[] = [
  ...runColumns<QuestionSource>(),
  column({ name: "example_id", type: "text", meaning: "The question" }, ({ example }) => example.exampleId),
  column({ name: "prompt", type: "text", meaning: "Its original wording" }, ({ example }) => example.prompt),
  ...measured<QuestionSource>(
    { name: "gold", type: "text", meaning: "The accepted answers, as the text of a JSON array" },
    ({ example }) => ({ value: goldText(example.gold), reason: NO_GOLD }),
  ),
  count("wordings", "Wordings beside the original", (example) => variantsOf(example).length),
  count("null_edits", "Edits without meaning", (example) => nullEditsOf(example).length),
  count(
    "truncated",
    "First answers that did not end by themselves",
    (example) => example.prompts.filter(({ finish }) => finish !== "eos").length,
  ),
  count("empty", "First answers without text", (example) => flagged(example, "empty")),
  count("looping", "First answers that repeat themselves", (example) => flagged(example, "looping")),
  ...withReason<QuestionSource>(
    "correct",
    [
      column(
        {
          name: "correct_original",
          type: "boolean",
          meaning: "An accepted answer was found under the original wording",
        },
        ({ example }) => example.prompts.find(({ role }) => role === "original")?.correct ?? null,
      ),
      column(
        {
          name: "correct_wordings",
          type: "integer",
          unit: "answers",
          range: "0 to wordings",
          meaning: "Of the other wordings, how many had an accepted answer",
        },
        ({ example }) =>
          example.gold === null ? null : variantsOf(example).filter(({ correct }) => correct === true).length,
      ),
    ],
    () => NO_GOLD,
  ),
  ...withReason<QuestionSource>(
    "composite",
    [
      column(
        {
          name: "composite",
          type: "number",
          meaning: "Equal-weight mean of the instability on the axes that could be measured",
        },
        ({ example }) => example.composite,
      ),
    ],
    () => "no axis could be measured",
  ),
  column(
    { name: "composite_complete", type: "boolean", meaning: "All four axes are in the composite" },
    ({ example }) => example.complete,
  ),
  ...AXES.flatMap((axis) => axisColumns(axis)),
  column(
    {
      name: "flags",
      type: "text",
      meaning: "What stands out, in words separated by semicolons; an empty text where nothing does",
    },
    ({ example }) => example.flags.map(({ text }) => text).join("; "),
  ),
];

function axisColumns(axis: AxisId): ColumnOf<QuestionSource>[] {
  const mirrors = axis === "mirroring";
  const instability = measured<QuestionSource>(
    {
      name: `${axis}_instability`,
      type: "number",
      range: mirrors ? "0 to 1" : "around 0 to 1, not clipped",
      meaning: mirrors
        ? "How far answers take on the style of their own wording; 1 is a full copy"
        : "0: no change; 1: as different as answers to unrelated prompts",
    },
    ({ example: { axes } }) => ({ value: axes[axis].instability, reason: axes[axis].reason }),
  );
  if (mirrors)
    return [
      ...instability,
      ...withReason<QuestionSource>(
        "mirroring_similarity",
        [
          similarity("mirroring_matched", "Likeness of style of answers to their own wording", "B"),
          similarity(
            "mirroring_mismatched",
            "The same to the other wordings, which is what chance gives",
            "C",
          ),
          similarity(
            "mirroring_signed",
            "Matched minus mismatched: above 0 style is copied, below it avoided",
            "signed",
          ),
        ],
        ({ example: { axes } }) => axes.mirroring.reason,
      ),
    ];
  const unit = axis === "confidence" ? "√ bits" : "1 − cosine";
  const raw = (letter: "B" | "W" | "C" | "N", name: string, meaning: string): ColumnOf<QuestionSource> =>
    column(
      {
        name: `${axis}_${name}`,
        type: "number",
        unit,
        range: axis === "confidence" ? "0 to 1" : "0 to 2",
        meaning,
      },
      ({ example: { axes } }) => axes[axis][letter],
    );
  return [
    ...instability,
    ...withReason<QuestionSource>(
      `${axis}_raw`,
      [
        raw("B", "between", "B: mean distance between wordings"),
        raw("W", "within", "W: mean distance between repeats of one wording"),
        raw("C", "ceiling", "C: mean distance of unrelated pairs, the same for all questions"),
        raw("N", "floor", "N: mean distance of edits without meaning to the original"),
        column(
          {
            name: `${axis}_above_floor`,
            type: "number",
            unit,
            meaning: "B − N: how much more wordings do than edits without meaning",
          },
          ({ example: { axes } }) => {
            const { B, N } = axes[axis];
            return B === null || N === null ? null : B - N;
          },
        ),
      ],
      ({ example: { axes } }) => axes[axis].reason ?? NOT_COMPARED,
    ),
  ];
}

function similarity(name: string, meaning: string, part: "B" | "C" | "signed"): ColumnOf<QuestionSource> {
  return column(
    { name, type: "number", range: part === "signed" ? "−2 to 2" : "−1 to 1", meaning },
    ({ example: { axes } }) => axes.mirroring[part],
  );
}

function count(
  name: string,
  meaning: string,
  of: (example: ExampleResult) => number,
): ColumnOf<QuestionSource> {
  return column({ name, type: "integer", range: "0 and up", meaning }, ({ example }) => of(example));
}

function variantsOf({ prompts }: ExampleResult): ExamplePrompt[] {
  return prompts.filter(({ role }) => role === "variant");
}

function nullEditsOf({ prompts }: ExampleResult): ExamplePrompt[] {
  return prompts.filter(({ role }) => role === "null-edit");
}

function flagged({ prompts }: ExampleResult, kind: "empty" | "looping"): number {
  return prompts.filter(({ flags }) => flags.includes(kind)).length;
}
