import type { Collection } from "dexie";
import { Dexie } from "dexie";
import type { SagoDatabase } from "./database.ts";
import type { RecordTable } from "./record-tables.ts";

type RecordKey = [runId: string, key: string];

/** Everything that a run has at one moment, still unchecked. */
export interface StoredRun {
  readonly run: unknown;
  readonly records: Readonly<Record<RecordTable, readonly unknown[]>>;
}

/** What a run had at one moment, by key, so that it can be read piece by piece. */
export interface StoredKeys {
  readonly run: unknown;
  readonly analysis: unknown;
  readonly keys: Readonly<Record<RecordTable, readonly RecordKey[]>>;
}

/** The records of a run in one table, in the order of their keys. */
export function ofRun(
  database: SagoDatabase,
  table: RecordTable | "analyses",
  runId: string,
): Collection<unknown, RecordKey> {
  return database[table].where("[runId+key]").between([runId, Dexie.minKey], [runId, Dexie.maxKey]);
}

/** Reads a run in one transaction. @param exampleId - null for all examples; a background has none */
export function readRun(
  database: SagoDatabase,
  runId: string,
  exampleId: string | null,
): PromiseLike<StoredRun> {
  const select = (table: RecordTable) =>
    table === "backgrounds" || exampleId === null
      ? ofRun(database, table, runId)
      : database[table].where("[runId+exampleId]").equals([runId, exampleId]);
  return database.transaction("r", database.tables, async () => ({
    run: await database.runs.get(runId),
    records: await everyTable((table) => select(table).toArray()),
  }));
}

/** Lists a run's keys in one transaction. */
export function readKeys(database: SagoDatabase, runId: string): PromiseLike<StoredKeys> {
  return database.transaction("r", database.tables, async () => ({
    run: await database.runs.get(runId),
    analysis: await ofRun(database, "analyses", runId).first(),
    keys: await everyTable((table) => ofRun(database, table, runId).primaryKeys()),
  }));
}

async function everyTable<T>(read: (table: RecordTable) => PromiseLike<T>): Promise<Record<RecordTable, T>> {
  return {
    backgrounds: await read("backgrounds"),
    generations: await read("generations"),
    activations: await read("activations"),
    scores: await read("scores"),
    embeddings: await read("embeddings"),
  };
}
