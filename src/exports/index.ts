/** Exports: tables of a run and of a comparison, as JSONL, CSV and Parquet. Plain data in, text and bytes out. */
import type { Table } from "./table.ts";
import { toParquet } from "./write-parquet.ts";
import { toCsv, toJsonLines } from "./write-text.ts";

export { answerTable, summariseAnswer, type AnswerSummary } from "./answer-table.ts";
export { axisTable } from "./axis-table.ts";
export { comparisonTable } from "./comparison-table.ts";
export { questionTable } from "./question-table.ts";
export type { Cell, Column, Table } from "./table.ts";
export { EXPORT_SCHEMA } from "./write-parquet.ts";

export const TABLE_NAMES = ["answers", "questions", "axes"] as const;
export type TableName = (typeof TABLE_NAMES)[number];
export const TABLE_FORMATS = ["jsonl", "csv", "parquet"] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

const MEDIA_TYPES: Readonly<Record<TableFormat, string>> = {
  jsonl: "application/jsonl",
  csv: "text/csv;charset=utf-8",
  parquet: "application/vnd.apache.parquet",
};

/** A table as one file; its name's extension is the format. */
export function tableFile(table: Table, format: TableFormat): Blob {
  const write = { jsonl: toJsonLines, csv: toCsv, parquet: toParquet }[format];
  return new Blob([write(table)], { type: MEDIA_TYPES[format] });
}
