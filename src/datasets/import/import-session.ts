import { parseDataset } from "../parse-dataset.ts";
import type { Dataset } from "../schema.ts";
import { buildDataset, type BuiltDataset } from "./build-dataset.ts";
import { suggestMapping, type ImportMapping } from "./mapping.ts";
import { readFile, type ImportFile } from "./read-file.ts";
import {
  ImportFileError,
  type ImportedTable,
  type ImportProblem,
  type TableFormat,
  type TableRow,
} from "./table.ts";

/** What the page shows of a table: a few rows stand for all. */
export interface TablePreview {
  readonly file: string;
  readonly format: TableFormat;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly firstRows: readonly TableRow[];
}

export interface ImportPreview {
  readonly tables: readonly TablePreview[];
  /** Datasets in Sago's own format, ready to be kept. */
  readonly datasets: readonly Dataset[];
  readonly mapping: ImportMapping | null;
  readonly problems: readonly ImportProblem[];
}

const PREVIEW_ROWS = 8;

/** One import from its files to a dataset. The tables stay here; the page sees a preview of them. */
export class ImportSession {
  #tables: readonly ImportedTable[] = [];

  /** Reads files; one that cannot be read is a problem and does not keep the others out. */
  async open(files: readonly ImportFile[]): Promise<ImportPreview> {
    const tables: ImportedTable[] = [];
    const datasets: Dataset[] = [];
    const problems: ImportProblem[] = [];
    for (const file of files) {
      try {
        const read = await readFile(file);
        if (read.kind === "table") {
          tables.push(read.table);
          if (read.table.rows.length === 0) problems.push(withoutRows(file.name));
          continue;
        }
        const parsed = parseDataset(read.dataset);
        if (parsed.ok) datasets.push(parsed.dataset);
        else
          problems.push(
            ...parsed.problems.map(({ where, message }) => ({
              file: file.name,
              place: where,
              reason: message,
            })),
          );
      } catch (error) {
        if (!(error instanceof ImportFileError)) throw error;
        problems.push({ file: file.name, place: null, reason: error.message.slice(file.name.length + 2) });
      }
    }
    this.#tables = tables;
    return {
      tables: tables.map(({ file, format, columns, rows }) => ({
        file,
        format,
        columns,
        rows: rows.length,
        firstRows: rows.slice(0, PREVIEW_ROWS),
      })),
      datasets,
      mapping: suggestMapping(tables),
      problems: [...problems, ...tables.flatMap((table) => table.problems)],
    };
  }

  /** The dataset that a mapping makes of the files. */
  build(mapping: ImportMapping, id: string): BuiltDataset {
    return buildDataset(this.#tables, mapping, id);
  }
}

function withoutRows(file: string): ImportProblem {
  return { file, place: null, reason: "The file has no row that could be used." };
}
