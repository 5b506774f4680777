/** Tables as text: JSONL, and CSV that a spreadsheet can open without running anything. */
import Papa from "papaparse";
import type { Table } from "./table.ts";

/**
 * Texts that a spreadsheet would take for a formula, and those that begin with the mark that is put before them.
 * The full-width forms count as well: some spreadsheets read them as the plain ones.
 */
const GUARDED = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;

/** One JSON object a line, with every column, in order; missing is null. Numbers are the shortest text of the double. */
export function toJsonLines({ rows }: Table): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/**
 * RFC 4180 with a line of names, CRLF, missing as an empty field. A text that begins with `=`, `+`, `-`, `@`, a tab, a
 * line break or an apostrophe gets one apostrophe in front: whoever takes the first apostrophe of a text away has
 * exactly what was there. Numbers are never changed.
 */
export function toCsv({ columns, rows }: Table): string {
  const text = Papa.unparse(
    {
      fields: columns.map(({ name }) => name),
      data: rows.map((row) => columns.map(({ name }) => row[name])),
    },
    { newline: "\r\n", escapeFormulae: GUARDED },
  );
  return `${text}\r\n`;
}

/** What a text was before `toCsv` guarded it. */
export function unguarded(text: string): string {
  return text.startsWith("'") ? text.slice(1) : text;
}
