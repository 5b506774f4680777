/** Writes to a run's tables, for use inside a transaction, and the checks that come before one. */
import type { SagoDatabase } from "./database.ts";
import { RECORD_TABLES, readRecords, type RecordsByTable } from "./record-tables.ts";
import type { RunRecord } from "./records.ts";
import { StorageError } from "./storage-error.ts";
import { ofRun } from "./stored-run.ts";
import type { Checked, RecordProblem } from "./validation.ts";

/** Inside a transaction. @throws {StorageError} `invalid` if there is a run of that id */
export async function addRun(database: SagoDatabase, run: RunRecord): Promise<void> {
  if (await runExists(database, run.id)) {
    throw new StorageError("invalid", `A run with the id ${run.id} exists already. It was left as it is.`);
  }
  await database.runs.add(run);
}

/** Inside a transaction. @throws {StorageError} `missing` */
export async function requireRun(database: SagoDatabase, runId: string): Promise<void> {
  if (!(await runExists(database, runId))) throw missingRun(runId);
}

/** Inside a transaction. */
export async function writeRecords(
  database: SagoDatabase,
  runId: string,
  records: RecordsByTable,
): Promise<void> {
  if (records.backgrounds !== undefined) await ofRun(database, "backgrounds", runId).delete();
  for (const table of RECORD_TABLES) {
    const values = records[table] ?? [];
    if (values.length > 0) await database[table].bulkPut(values);
  }
}

/** Counts, so that the run's prompts are not read for every variant. */
export async function runExists(database: SagoDatabase, runId: string): Promise<boolean> {
  return (await database.runs.where(":id").equals(runId).count()) > 0;
}

/** @throws {StorageError} `invalid` if a record breaks its contract or belongs to another run */
export function requireRecords(runId: string, records: RecordsByTable): void {
  for (const table of RECORD_TABLES) {
    const values = records[table] ?? [];
    refuse(readRecords(table, runId, values).broken.flatMap(({ problems }) => problems));
    const stray = values.find((record) => record.runId !== runId);
    if (stray === undefined) continue;
    throw new StorageError("invalid", `A record of run ${stray.runId} was to be saved with run ${runId}.`);
  }
}

/** @throws {StorageError} `invalid` */
export function requireValid<T>(checked: Checked<T>): void {
  if (!checked.ok) refuse(checked.problems);
}

/** A broken record is a mistake of the caller, and is named where it is made, not when it is read. */
function refuse(problems: readonly RecordProblem[]): void {
  if (problems.length === 0) return;
  const list = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new StorageError(
    "invalid",
    `A broken record was not saved (${list}). What was saved before is safe.`,
  );
}

export function missingRun(runId: string): StorageError {
  return new StorageError(
    "missing",
    `The run ${runId} is not stored here: it may have been deleted in another tab.`,
  );
}
