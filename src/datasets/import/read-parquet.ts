import { parquetReadObjects } from "hyparquet";
import { flatten } from "./flatten.ts";
import { columnsOf, ImportFileError, type ImportedTable, type TableRow } from "./table.ts";

/**
 * Parquet, uncompressed or with Snappy.
 *
 * @throws {ImportFileError} if the file is damaged or uses a codec that is not among these
 */
export async function readParquet(file: string, bytes: Uint8Array): Promise<ImportedTable> {
  // The reader wants a buffer of its own, without the bytes around a view.
  const buffer = bytes.slice().buffer;
  let entries: readonly unknown[];
  try {
    entries = await parquetReadObjects({ file: buffer });
  } catch (error) {
    const why = error instanceof Error ? error.message : "no details were given";
    throw new ImportFileError(
      file,
      `The Parquet file cannot be read (${why}). Files without compression or with Snappy can; write it again in this way.`,
    );
  }
  const rows: TableRow[] = entries.map((entry, at) => ({ place: `row ${at + 1}`, cells: flatten(entry) }));
  return { file, format: "parquet", columns: columnsOf(rows), rows, problems: [] };
}
