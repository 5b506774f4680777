import { flatten } from "./flatten.ts";
import {
  columnsOf,
  ImportFileError,
  type ImportedTable,
  type ImportProblem,
  type TableRow,
} from "./table.ts";

/**
 * JSON: a list of objects, or an object in which one member is such a list.
 *
 * @throws {ImportFileError} with the line where the text stops being JSON, or if there is no list in it
 */
export function readJson(file: string, text: string): ImportedTable {
  const parsed = parse(file, text);
  const list = listIn(parsed);
  if (list === null) {
    throw new ImportFileError(
      file,
      "The file holds no list of entries. A list of objects is expected, one for each prompt.",
    );
  }
  const rows: TableRow[] = [];
  const problems: ImportProblem[] = [];
  list.forEach((entry, at) => addEntry(file, entry, `entry ${at + 1}`, rows, problems));
  return { file, format: "json", columns: columnsOf(rows), rows, problems };
}

/** JSON lines: one object a line. Blank lines are skipped, a broken line is named and left out. */
export function readJsonLines(file: string, text: string): ImportedTable {
  const rows: TableRow[] = [];
  const problems: ImportProblem[] = [];
  text.split(/\r\n?|\n/u).forEach((line, at) => {
    if (line.trim() === "") return;
    const place = `line ${at + 1}`;
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      problems.push({ file, place, reason: "The line is not JSON. Each line must hold one whole object." });
      return;
    }
    addEntry(file, entry, place, rows, problems);
  });
  return { file, format: "jsonl", columns: columnsOf(rows), rows, problems };
}

/** The parsed text, whatever it is. @throws {ImportFileError} */
export function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, position] = /position (\d+)/u.exec(error instanceof Error ? error.message : "") ?? [];
    const where =
      position === undefined
        ? ""
        : ` It stops being JSON in line ${text.slice(0, Number(position)).split("\n").length}.`;
    throw new ImportFileError(
      file,
      `The file is not complete JSON.${where} It may have been cut off, or edited by hand.`,
    );
  }
}

function addEntry(
  file: string,
  entry: unknown,
  place: string,
  rows: TableRow[],
  problems: ImportProblem[],
): void {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    problems.push({ file, place, reason: "This is not an object with named values." });
    return;
  }
  rows.push({ place, cells: flatten(entry) });
}

function listIn(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (typeof value !== "object" || value === null) return null;
  const lists = Object.values(value).filter(
    (member): member is unknown[] =>
      Array.isArray(member) && member.some((entry) => typeof entry === "object"),
  );
  return lists.reduce<unknown[] | null>(
    (longest, list) => (list.length > (longest?.length ?? 0) ? list : longest),
    null,
  );
}
