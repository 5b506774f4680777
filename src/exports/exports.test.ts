import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { readFile } from "node:fs/promises";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { syntheticBundle } from "../../tests/fixtures/synthetic-bundle.ts";
import { XSS_CORPUS } from "../../tests/xss-corpus.ts";
import { analyseRun } from "../evaluation/analysis/index.ts";
import { analysedRun } from "../evaluation/compare/analysed-run-fixtures.ts";
import { compareRuns } from "../evaluation/index.ts";
import type { RunBundle } from "../storage/index.ts";
import { answerColumns } from "./answer-table.ts";
import { axisColumns } from "./axis-table.ts";
import { comparisonColumns } from "./comparison-table.ts";
import { questionColumns } from "./question-table.ts";
import {
  answerTable,
  axisTable,
  comparisonTable,
  EXPORT_SCHEMA,
  questionTable,
  summariseAnswer,
  tableFile,
  type Column,
  type Table,
  type TableFormat,
} from "./index.ts";
import { column, tableOf, withReason } from "./table.ts";
import { unguarded } from "./write-text.ts";

const whole = syntheticBundle({ examples: 6, repeats: 2, rerunDistance: 0.3 });
/** Its last question has no right answer. */
const bundle: RunBundle = {
  ...whole,
  run: { ...whole.run, golds: Object.fromEntries(Object.entries(whole.run.golds).slice(0, -1)) },
};
const analysis = analyseRun(bundle, { replications: 50 });
const comparison = compareRuns(
  ["First", "Second"].map((model) => analysedRun(bundle, model, "Set", analysis)),
  "seed",
);
const answersOf = ({ run, generations }: RunBundle) =>
  answerTable(run, analysis, generations.map(summariseAnswer));
const tables: Readonly<Record<string, Table>> = {
  answers: answersOf(bundle),
  questions: questionTable(bundle.run, analysis),
  axes: axisTable(bundle.run, analysis),
  comparison: comparisonTable(comparison),
};

/** Texts that formats are known to stumble over. */
const HARD_TEXTS = [
  ...XSS_CORPUS.map(({ text }) => text),
  "",
  " ",
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "\t=1",
  "\r\nnext",
  "'quoted",
  "''twice",
  "\uff1d1+1",
  'say "no", twice\nor not',
  "a\rb",
  "a\ufeffmark",
  "مرحبا 👩‍🔬 ﬁ",
  "null",
  "\u0000",
];
const hard = tableOf(
  [
    column({ name: "text", type: "text", meaning: "" }, (text: string) => text),
    column({ name: "length", type: "integer", meaning: "" }, (text: string) => text.length),
  ],
  HARD_TEXTS,
);
/** Doubles at the edges of what can be written. */
const NUMBERS = [
  0.1,
  1 / 3,
  1e-308,
  5e-324,
  Number.MAX_VALUE,
  -1.7976931348623157e308,
  2 ** 53 + 2,
  -0.5,
  1e21,
];
const numbers = tableOf(
  withReason(
    "value",
    [column({ name: "value", type: "number", meaning: "" }, (value: number) => value)],
    () => "not a number",
  ),
  [...NUMBERS, NaN, Infinity],
);

async function readBack(table: Table, format: TableFormat): Promise<Record<string, unknown>[]> {
  const file = tableFile(table, format);
  if (format === "parquet") return parquetReadObjects({ file: await file.arrayBuffer() });
  const text = await file.text();
  if (format === "jsonl")
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const parsed = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
  expect(parsed.errors).toEqual([]);
  return parsed.data.map((row) =>
    Object.fromEntries(table.columns.map((each) => [each.name, fromCsv(row[each.name] ?? "", each)])),
  );
}

function fromCsv(text: string, { type, reasonIn, isReason }: Column): unknown {
  if (text === "" && (type !== "text" || reasonIn !== null || isReason)) return null;
  if (type === "boolean") return text === "true";
  return type === "text" ? unguarded(text) : Number(text);
}

describe.each(["jsonl", "csv", "parquet"] as const)("a table as %s", (format) => {
  it.each(Object.entries(tables))("gives back every value of %s, bit by bit", async (_, table) => {
    expect(table.rows.length).toBeGreaterThan(0);
    expect(await readBack(table, format)).toEqual(table.rows);
  });

  it("gives back texts that would be markup, formulas, quotes or line breaks elsewhere", async () => {
    expect(await readBack(hard, format)).toEqual(hard.rows);
  });

  it("gives back doubles exactly, and a missing one with its reason", async () => {
    expect(await readBack(numbers, format)).toEqual([
      ...NUMBERS.map((value) => ({ value, value_reason: null })),
      { value: null, value_reason: "not a number" },
      { value: null, value_reason: "not a number" },
    ]);
  });

  it("has its columns where there are no rows", async () => {
    const empty = tableOf(answerColumns, []);
    expect(await readBack(empty, format)).toEqual([]);
  });
});

describe("exported tables", () => {
  it.each(Object.entries(tables))("%s: a value is missing exactly where a reason stands", (_, table) => {
    let missing = 0;
    for (const row of table.rows) {
      for (const { name, reasonIn, isReason } of table.columns) {
        const gap = row[name] === null;
        if (reasonIn !== null && gap) expect(row[reasonIn], name).toEqual(expect.any(String));
        if (reasonIn === null && !isReason) expect(gap, name).toBe(false);
        if (!isReason || row[name] === null) continue;
        const explained = table.columns.filter((each) => each.reasonIn === name);
        expect(
          explained.some((each) => row[each.name] === null),
          name,
        ).toBe(true);
        missing += 1;
      }
    }
    expect(missing).toBeGreaterThan(0);
  });

  it("never let a spreadsheet see a formula, and leave numbers alone", async () => {
    const lines = (await tableFile(hard, "csv").text()).split("\r\n");
    expect(lines.filter((line) => /^"?[=+\-@\t]/.test(line))).toEqual([]);
    expect(await tableFile(numbers, "csv").text()).toContain("\r\n-0.5,\r\n");
  });

  it("hold what the analysis says", () => {
    const { axes, questions, answers } = tables;
    const generation = axes?.rows.find((row) => row["axis"] === "generation");
    expect(generation).toMatchObject({
      estimate: analysis.axes.generation.estimate,
      floor: analysis.axes.generation.floor.estimate,
      ceiling: analysis.axes.generation.raw.C.mean,
      n: 6,
    });
    expect(questions?.rows.map((row) => row["activation_instability"])).toEqual(
      analysis.examples.map((example) => example.axes.activation.instability),
    );
    expect(answers?.rows).toHaveLength(bundle.generations.length);
  });

  it("say of a question that is not complete why its answers have no distances", () => {
    const without = { ...analysis, examples: analysis.examples.slice(1) };
    const rows = answerTable(bundle.run, without, bundle.generations.map(summariseAnswer)).rows;
    const first = rows.find((row) => row["example_id"] === analysis.examples[0]?.exampleId);
    expect(first).toMatchObject({
      distance_generation: null,
      distance_generation_reason: "the question is not complete, so it was not analysed",
    });
  });

  it("name their layout in the Parquet file's own metadata", async () => {
    const file = tableFile(hard, "parquet");
    const { key_value_metadata: pairs } = parquetMetadata(await file.arrayBuffer());
    expect(pairs).toContainEqual({ key: "schema", value: EXPORT_SCHEMA });
  });
});

describe("docs/export-format.md", () => {
  const documented: Readonly<Record<string, readonly Column[]>> = {
    answers: answerColumns,
    questions: questionColumns,
    axes: axisColumns,
    comparison: comparisonColumns,
  };

  it.each(Object.entries(documented))("describes each column of %s as it is", async (name, columns) => {
    const text = await readFile("docs/export-format.md", "utf8");
    const section = text.split(/^## /m).find((part) => part.startsWith(`\`${name}\``)) ?? "";
    const cells = section
      .split("\n")
      .filter((line) => line.startsWith("|") && !/^[|\s-]+$/.test(line))
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(cells).toEqual([
      ["column", "type", "unit", "range", "meaning", "if missing"],
      ...columns.map(({ name: column, type, unit, range, meaning, reasonIn, isReason }) => [
        `\`${column}\``,
        type,
        unit,
        range,
        meaning,
        reasonIn !== null ? `\`${reasonIn}\`` : isReason ? "nothing is missing" : "never",
      ]),
    ]);
  });
});
