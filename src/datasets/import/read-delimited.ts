import Papa from "papaparse";
import { ImportFileError, type ImportedTable, type ImportProblem, type TableRow } from "./table.ts";

/** A quotation mark that is not closed swallows what follows; reading starts again behind its line, so often at most. */
const MOST_RESTARTS = 50;

/**
 * Comma- or tab-separated text (RFC 4180, and semicolons or bars where the file uses them) with a header.
 *
 * Line breaks of any kind count as one and are "\n" inside cells. Blank lines are skipped. A row with too many or
 * too few cells, or with a quotation mark that is not closed, is named with its line and left out; the rows behind
 * it are read. Cells are text and stay as they are: nothing is trimmed, no number is recognised.
 *
 * @throws {ImportFileError} if there is no header, or no end to broken quotations
 */
export function readDelimited(file: string, text: string, format: "csv" | "tsv"): ImportedTable {
  const lines = text.replace(/\r\n?/gu, "\n");
  const delimiter = format === "tsv" ? "\t" : guessDelimiter(lines);
  const problems: ImportProblem[] = [];
  const rows: TableRow[] = [];
  let header: string[] | null = null;
  let rest = lines;
  let line = 1;
  for (let restarts = 0; ; restarts += 1) {
    const broken = readUntilBroken(rest, delimiter, line, (cells, at) => {
      if (header === null) {
        header = uniqueNames(cells);
        return;
      }
      const wrong = cellCountProblem(cells, header.length);
      if (wrong !== null) problems.push({ file, place: `line ${at}`, reason: wrong });
      else rows.push({ place: `line ${at}`, cells: named(cells, header) });
    });
    if (broken === null) break;
    problems.push({
      file,
      place: `line ${broken.line}`,
      reason:
        "The quotation marks of a cell do not close where the cell ends. Close them, and double the marks inside it.",
    });
    if (restarts >= MOST_RESTARTS) {
      throw new ImportFileError(
        file,
        `Quotation marks are broken in more than ${MOST_RESTARTS} lines, the first being ${problems[0]?.place ?? "unknown"}. The file may use another way to quote.`,
      );
    }
    const next = broken.rest.indexOf("\n");
    if (next < 0) break;
    rest = broken.rest.slice(next + 1);
    line = broken.line + 1;
  }
  if (header === null) throw new ImportFileError(file, "The file has no line with the names of its columns.");
  return { file, format, columns: header, rows, problems };
}

/**
 * Reads rows up to the first whose quotation does not end.
 *
 * @returns that row's line and the text from its start; null where all could be read
 */
function readUntilBroken(
  text: string,
  delimiter: string,
  firstLine: number,
  onRow: (cells: readonly string[], line: number) => void,
): { readonly line: number; readonly rest: string } | null {
  let line = firstLine;
  let cursor = 0;
  let broken: { readonly line: number; readonly rest: string } | null = null;
  Papa.parse<string[]>(text, {
    delimiter,
    newline: "\n",
    step: ({ data, errors, meta }, parser) => {
      if (broken !== null) return;
      if (errors.some(({ type }) => type === "Quotes")) {
        broken = { line, rest: text.slice(cursor) };
        parser.abort();
        return;
      }
      if (data.some((cell) => cell.trim() !== "")) onRow(data, line);
      line += 1;
      for (const cell of data)
        for (let at = cell.indexOf("\n"); at >= 0; at = cell.indexOf("\n", at + 1)) line += 1;
      cursor = meta.cursor;
    },
  });
  return broken;
}

/** The one that occurs most often in the first line; a header seldom holds any of them inside a name. */
function guessDelimiter(text: string): string {
  const first = text.split("\n").find((line) => line.trim() !== "") ?? "";
  const counts = [",", ";", "\t", "|"].map((mark) => ({ mark, count: first.split(mark).length - 1 }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).mark;
}

function cellCountProblem(cells: readonly string[], columns: number): string | null {
  if (cells.length === columns) return null;
  // Empty cells at the end lose nothing.
  if (cells.length > columns && cells.slice(columns).every((cell) => cell.trim() === "")) return null;
  return `The row has ${cells.length} ${cells.length === 1 ? "cell" : "cells"}, but there are ${columns} columns. A cell with a separator in it needs quotation marks.`;
}

function named(cells: readonly string[], header: readonly string[]): Record<string, string> {
  const row: Record<string, string> = Object.create(null) as Record<string, string>;
  header.forEach((column, at) => {
    const cell = cells[at];
    if (cell !== undefined && cell !== "") row[column] = cell;
  });
  return row;
}

/** Every column gets a name of its own. */
function uniqueNames(cells: readonly string[]): string[] {
  const seen = new Set<string>();
  return cells.map((cell, at) => {
    const wanted = cell.trim() || `column ${at + 1}`;
    let name = wanted;
    for (let copy = 2; seen.has(name); copy += 1) name = `${wanted} (${copy})`;
    seen.add(name);
    return name;
  });
}
