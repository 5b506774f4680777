/**
 * The database's released schemas. Each entry is frozen once released: a change is a new version with an
 * `upgrade`, and a test creates a real database of every earlier version and opens it. Primary keys never
 * change in place.
 */
import type { Dexie, Transaction } from "dexie";

export const DATABASE_NAME = "sago";

const RECORD_KEY = "[runId+key]";

/** Version 1: what a run leaves behind, without analyses. Runs had one total time and an `error`. */
export const SCHEMA_VERSION_1 = {
  runs: "id, createdAt",
  backgrounds: RECORD_KEY,
  generations: RECORD_KEY,
  activations: RECORD_KEY,
  scores: RECORD_KEY,
  embeddings: RECORD_KEY,
} as const;

/** Version 2: stored analyses; records of one example are found without reading the whole run. */
export const SCHEMA_VERSION_2 = {
  ...SCHEMA_VERSION_1,
  generations: `${RECORD_KEY}, [runId+exampleId]`,
  activations: `${RECORD_KEY}, [runId+exampleId]`,
  scores: `${RECORD_KEY}, [runId+exampleId]`,
  embeddings: `${RECORD_KEY}, [runId+exampleId]`,
  analyses: RECORD_KEY,
} as const;

/** Version 3: sets of the reader's own; what a list shows of a set is apart from its text, which may be large. */
export const SCHEMA_VERSION_3 = {
  ...SCHEMA_VERSION_2,
  datasets: "id, createdAt",
  datasetContents: "id",
} as const;

export const CURRENT_VERSION = 3;

/** Declares every version on a database that has not been opened yet. */
export function declareVersions(database: Dexie): void {
  database.version(1).stores(SCHEMA_VERSION_1);
  database.version(2).stores(SCHEMA_VERSION_2).upgrade(upgradeTo2);
  // New tables only: runs of version 2 stay as they are, and may lack a gate and strengths.
  database.version(3).stores(SCHEMA_VERSION_3);
}

/**
 * Runs: the total `elapsedMs` becomes times by phase, `error` becomes `message`. Generations: the list of
 * close steps was not recorded, so it starts empty.
 */
async function upgradeTo2(transaction: Transaction): Promise<void> {
  await transaction
    .table<Record<string, unknown>>("runs")
    .toCollection()
    .modify((run) => {
      if (typeof run.elapsedMs === "number") run.elapsedMs = { total: run.elapsedMs };
      run.message = typeof run.error === "string" ? run.error : null;
      delete run.error;
    });
  await transaction
    .table<Record<string, unknown>>("generations")
    .toCollection()
    .modify((generation) => {
      generation.closeSteps ??= [];
    });
}
