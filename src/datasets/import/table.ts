/** One value of a row: a text, or a list of texts where the file has lists. Missing and null are left out. */
export type Cell = string | readonly string[];

export interface TableRow {
  /** Where the row is in its file, in words: "line 12", "entry 3". */
  readonly place: string;
  readonly cells: Readonly<Record<string, Cell>>;
}

/** A row that cannot be used, or a remark about one that can. */
export interface ImportProblem {
  readonly file: string;
  /** In words; null where the whole file is meant. */
  readonly place: string | null;
  /** What is wrong, as a sentence. */
  readonly reason: string;
}

/** A file as rows with named columns. */
export interface ImportedTable {
  readonly file: string;
  readonly format: TableFormat;
  /** In the order in which they first occur. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  readonly problems: readonly ImportProblem[];
}

export type TableFormat = "csv" | "tsv" | "json" | "jsonl" | "parquet";

/** A file that cannot be read at all; the message says why and what to do. */
export class ImportFileError extends Error {
  override readonly name = "ImportFileError";
  constructor(
    readonly file: string,
    message: string,
  ) {
    super(`${file}: ${message}`);
  }
}

/** Columns in the order in which they first occur. */
export function columnsOf(rows: readonly TableRow[]): string[] {
  const columns = new Set<string>();
  for (const { cells } of rows) for (const column in cells) columns.add(column);
  return [...columns];
}
