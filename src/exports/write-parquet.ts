import { parquetWriteBuffer } from "hyparquet-writer";
import type { Column, Table } from "./table.ts";

const TYPES = {
  text: "STRING",
  number: "DOUBLE",
  integer: "INT32",
  boolean: "BOOLEAN",
} as const satisfies Record<Column["type"], string>;

/** The name of this layout of columns, also found in the file's own metadata. */
export const EXPORT_SCHEMA = "sago-export/1";

/** Parquet with Snappy; a column that can have gaps is optional, and a gap is null. */
export function toParquet({ columns, rows }: Table): ArrayBuffer {
  return parquetWriteBuffer({
    columnData: columns.map(({ name, type, reasonIn, isReason }) => ({
      name,
      type: TYPES[type],
      nullable: reasonIn !== null || isReason,
      data: rows.map((row) => row[name] ?? null),
    })),
    kvMetadata: [{ key: "schema", value: EXPORT_SCHEMA }],
  });
}
