/** What exported files are called. */
import type { Comparison, RunRecord, TableFormat } from "./controller.ts";

export const FORMAT_NAMES: readonly (readonly [format: TableFormat, label: string])[] = [
  ["csv", "CSV"],
  ["jsonl", "JSONL"],
  ["parquet", "Parquet"],
];

/** Dataset, model, day and run, so that files lie beside each other in order and none is mistaken for another. */
export function exportName({ spec, createdAt, id }: RunRecord, what: string, extension: string): string {
  const parts = [
    "sago",
    spec.dataset.id,
    spec.model.id,
    spec.model.dtype,
    createdAt.slice(0, 10),
    id.slice(0, 8),
    what,
  ];
  return `${parts.map(plain).join("-")}.${extension}`;
}

/** @param day - ISO 8601 date of the export */
export function comparisonName({ runs }: Comparison, day: string, extension: string): string {
  return `sago-comparison-${runs.length}-runs-${day.slice(0, 10)}.${extension}`;
}

/** Letters and digits of any script, dots and dashes: nothing that a file system or a shell takes for more. */
function plain(part: string): string {
  const words = part.match(/[\p{L}\p{N}][\p{L}\p{N}._]*/gu) ?? ["unnamed"];
  return words.join("-").slice(0, 60);
}
