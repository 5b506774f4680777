/** Storage: what a run leaves behind, kept in this browser, exported and imported. */
export * from "./records.ts";
export { RunStore } from "./run-store.ts";
export type { ExistingKeys, LoadedRun, RunChanges, RunSnapshot, RunStoreOptions } from "./run-store.ts";
export type { BrokenRecord, RecordTable } from "./record-tables.ts";
export { LiveValue } from "./live-value.ts";
export type { LiveState } from "./live-value.ts";
export { StorageError } from "./storage-error.ts";
export type { StorageErrorCode } from "./storage-error.ts";
export type { RecordProblem } from "./validation.ts";
export { estimateStorage, requestPersistence } from "./storage-space.ts";
export type { PersistenceResult, StorageEstimateResult } from "./storage-space.ts";
export { exportRun } from "./run-export.ts";
export type { ExportOptions } from "./run-export.ts";
export { importRun, parseRunFile } from "./run-import.ts";
export type { ImportResult, ParsedRunFile } from "./run-import.ts";
export { RUN_FILE_SCHEMA, RunFileError } from "./run-file.ts";
export { DatasetStore } from "./dataset-store.ts";
export type { StoredDataset } from "./dataset-store.ts";
