/** Datasets from files: CSV, TSV, JSON, JSON lines and Parquet. */
export type { BuiltDataset } from "./build-dataset.ts";
export { ImportSession, type ImportPreview, type TablePreview } from "./import-session.ts";
export type { ImportMapping, WordingColumn } from "./mapping.ts";
export type { ImportFile } from "./read-file.ts";
export type { Cell, ImportProblem, TableFormat, TableRow } from "./table.ts";
