import { SagoDatabase, type DatabaseOptions } from "./database.ts";
import { LiveValue } from "./live-value.ts";
import { analysisReader, runReader } from "./record-schemas.ts";
import {
  RECORD_TABLES,
  keyOf,
  readRecords,
  type BrokenRecord,
  type RecordTable,
  type RecordTypes,
  type RecordsByTable,
} from "./record-tables.ts";
import type {
  ActivationRecord,
  AnalysisRecord,
  BackgroundRecord,
  EmbeddingRecord,
  GenerationRecord,
  RunBundle,
  RunRecord,
  ScoreRecord,
} from "./records.ts";
import {
  addRun,
  missingRun,
  requireRecords,
  requireRun,
  requireValid,
  runExists,
  writeRecords,
} from "./run-writes.ts";
import { DATABASE_NAME } from "./schema-versions.ts";
import { ofRun, readKeys, readRun } from "./stored-run.ts";
import { check } from "./validation.ts";

export interface RunStoreOptions extends DatabaseOptions {
  /** Another name keeps tests apart. */
  readonly name?: string;
  /** Told of every broken record that a read leaves out. */
  readonly onBroken?: (record: BrokenRecord) => void;
}

export interface LoadedRun extends RunBundle {
  /** What was left out because it could not be read. */
  readonly broken: readonly BrokenRecord[];
}

/** A run as it was at one moment, read table by table, some records at a time, in the order of their keys. */
export interface RunSnapshot {
  readonly run: RunRecord;
  readonly analysis: AnalysisRecord | null;
  /** @throws {StorageError} `missing` if a record disappears meanwhile (the run was deleted) */
  read<T extends RecordTable>(table: T): AsyncGenerator<RecordTypes[T][]>;
}

/** Keys of the usable records of a run: what a continued run need not compute again. */
export type ExistingKeys = Readonly<Record<RecordTable, ReadonlySet<string>>>;

/** What may change about a run after its creation. */
export type RunChanges = Partial<Pick<RunRecord, "status" | "message" | "elapsedMs">>;

/** Records read at a time where a whole run need not be in memory at once. */
const BATCH = 128;

/**
 * The runs of this browser. Every method rejects with a `StorageError` and nothing else. Writes that belong
 * together are one transaction: a rejected write has left nothing behind. A record is written at most once
 * in effect: writing one with the same key replaces it.
 */
export class RunStore {
  readonly #database: SagoDatabase;
  readonly #onBroken: (record: BrokenRecord) => void;

  constructor(options: RunStoreOptions = {}) {
    this.#database = new SagoDatabase(options.name ?? DATABASE_NAME, options);
    this.#onBroken = options.onBroken ?? (() => {});
  }

  /** @throws {StorageError} `invalid` if the run breaks its schema or its id exists */
  async createRun(run: RunRecord): Promise<void> {
    requireValid(check(runReader, run, "run"));
    await this.#database.attempt("save the new run", () =>
      this.#database.transaction("rw", this.#database.runs, () => addRun(this.#database, run)),
    );
  }

  /** Changes a run's state and sets `updatedAt`. @throws {StorageError} `missing` */
  async updateRun(runId: string, changes: RunChanges): Promise<void> {
    const { status, message, elapsedMs } = changes;
    const fields = {
      updatedAt: new Date().toISOString(),
      ...(status === undefined ? {} : { status }),
      ...(message === undefined ? {} : { message }),
      ...(elapsedMs === undefined ? {} : { elapsedMs }),
    };
    await this.#database.attempt("update the run", async () => {
      const found = await this.#database.runs
        .where(":id")
        .equals(runId)
        .modify((run) => {
          if (typeof run === "object" && run !== null) Object.assign(run, fields);
        });
      if (found === 0) throw missingRun(runId);
    });
  }

  /** Newest first. */
  async listRuns(): Promise<RunRecord[]> {
    const stored = await this.#database.attempt("list the runs", () =>
      this.#database.runs.orderBy("createdAt").reverse().toArray(),
    );
    return stored.flatMap((value) => this.#readRun(idOf(value), value) ?? []);
  }

  /** null where there is none, or where it is broken. */
  async getRun(runId: string): Promise<RunRecord | null> {
    const stored = await this.#database.attempt("read the run", () => this.#database.runs.get(runId));
    return stored === undefined ? null : this.#readRun(runId, stored);
  }

  /** Deletes a run with everything that belongs to it; does nothing where there is none. */
  async deleteRun(runId: string): Promise<void> {
    await this.#database.attempt("delete the run", () =>
      this.#database.transaction("rw", this.#database.tables, async () => {
        await this.#database.runs.delete(runId);
        for (const table of [...RECORD_TABLES, "analyses"] as const)
          await ofRun(this.#database, table, runId).delete();
      }),
    );
  }

  /** Makes a finished variant durable: its generation and activations, all or nothing. */
  async putGeneration(finished: {
    readonly generation: GenerationRecord;
    readonly activations: readonly ActivationRecord[];
  }): Promise<void> {
    await this.#put(finished.generation.runId, {
      generations: [finished.generation],
      activations: finished.activations,
    });
  }

  async putScores(scores: readonly ScoreRecord[]): Promise<void> {
    const runId = scores[0]?.runId;
    if (runId !== undefined) await this.#put(runId, { scores });
  }

  async putEmbeddings(embeddings: readonly EmbeddingRecord[]): Promise<void> {
    const runId = embeddings[0]?.runId;
    if (runId !== undefined) await this.#put(runId, { embeddings });
  }

  /** A run has one background: an earlier one of another key is replaced. */
  async putBackground(background: BackgroundRecord): Promise<void> {
    await this.#put(background.runId, { backgrounds: [background] });
  }

  /** A run has one stored analysis: an earlier one is replaced. */
  async saveAnalysis(record: AnalysisRecord): Promise<void> {
    requireValid(check(analysisReader, record, "analysis"));
    await this.#database.attempt("save the analysis", () =>
      this.#database.transaction("rw", ["runs", "analyses"], async () => {
        await requireRun(this.#database, record.runId);
        await ofRun(this.#database, "analyses", record.runId).delete();
        await this.#database.analyses.put(record);
      }),
    );
  }

  /** null where there is none, or where it is broken. */
  async loadAnalysis(runId: string): Promise<AnalysisRecord | null> {
    const stored = await this.#database.attempt("read the analysis", () =>
      ofRun(this.#database, "analyses", runId).first(),
    );
    return stored === undefined ? null : this.#readAnalysis(runId, stored);
  }

  /** All records of a run as they are at one moment, in the order of their keys; null where there is no run. */
  async loadBundle(runId: string): Promise<LoadedRun | null> {
    return this.#load(runId, null);
  }

  /** As `loadBundle`, with the records of one example only. */
  async loadExample(runId: string, exampleId: string): Promise<LoadedRun | null> {
    return this.#load(runId, exampleId);
  }

  /** For runs that need not be in memory at once; null where there is none, or where it is broken. */
  async openSnapshot(runId: string): Promise<RunSnapshot | null> {
    const stored = await this.#database.attempt("read the run", () => readKeys(this.#database, runId));
    const run = stored.run === undefined ? null : this.#readRun(runId, stored.run);
    if (run === null) return null;
    const analysis = stored.analysis === undefined ? null : this.#readAnalysis(runId, stored.analysis);
    return { run, analysis, read: (table) => this.#readByKeys(table, runId, stored.keys[table]) };
  }

  /**
   * Keys of what a run already has; empty where there is no run. Every record is read and checked, so that a
   * broken one counts as missing and is computed again.
   */
  async existingKeys(runId: string): Promise<ExistingKeys> {
    const keys = {
      backgrounds: new Set<string>(),
      generations: new Set<string>(),
      activations: new Set<string>(),
      scores: new Set<string>(),
      embeddings: new Set<string>(),
    };
    const snapshot = await this.openSnapshot(runId);
    if (snapshot === null) return keys;
    for (const table of RECORD_TABLES) {
      for await (const records of snapshot.read(table)) {
        for (const record of records) keys[table].add(record.key);
      }
    }
    return keys;
  }

  async hasRun(runId: string): Promise<boolean> {
    return this.#database.attempt("look for the run", () => runExists(this.#database, runId));
  }

  /** Adds a whole run, all or nothing. @throws {StorageError} `invalid` if it is broken or its id exists */
  async addBundle(bundle: RunBundle, analysis: AnalysisRecord | null): Promise<void> {
    const { run, background, generations, activations, scores, embeddings } = bundle;
    const backgrounds = background === null ? [] : [background];
    const records = { backgrounds, generations, activations, scores, embeddings };
    requireValid(check(runReader, run, "run"));
    requireRecords(run.id, records);
    if (analysis !== null) requireValid(check(analysisReader, analysis, "analysis"));
    await this.#database.attempt("save the run", () =>
      this.#database.transaction("rw", this.#database.tables, async () => {
        await addRun(this.#database, run);
        await writeRecords(this.#database, run.id, records);
        if (analysis !== null) await this.#database.analyses.put(analysis);
      }),
    );
  }

  /** Deletes every run of this browser. */
  async deleteEverything(): Promise<void> {
    await this.#database.attempt("delete the stored runs", () =>
      this.#database.transaction("rw", this.#database.tables, () =>
        Promise.all(this.#database.tables.map((table) => table.clear())),
      ),
    );
  }

  /** The runs, newest first, again after every change in any tab. */
  watchRuns(): LiveValue<RunRecord[]> {
    return this.#watch(() => this.listRuns());
  }

  /** One run, again after every change in any tab; null where there is none. */
  watchRun(runId: string): LiveValue<RunRecord | null> {
    return this.#watch(() => this.getRun(runId));
  }

  /** Closes the connection; a later call opens it again. */
  close(): void {
    this.#database.close({ disableAutoOpen: false });
  }

  async #put(runId: string, records: RecordsByTable): Promise<void> {
    requireRecords(runId, records);
    const tables = RECORD_TABLES.filter((table) => records[table] !== undefined);
    await this.#database.attempt("save the results", () =>
      this.#database.transaction("rw", ["runs", ...tables], async () => {
        // A run deleted in another tab must not leave records that nothing refers to.
        await requireRun(this.#database, runId);
        await writeRecords(this.#database, runId, records);
      }),
    );
  }

  async *#readByKeys<T extends RecordTable>(
    table: T,
    runId: string,
    keys: readonly [string, string][],
  ): AsyncGenerator<RecordTypes[T][]> {
    for (let start = 0; start < keys.length; start += BATCH) {
      const values = await this.#database.attempt("read the run's records", () =>
        this.#database[table].bulkGet(keys.slice(start, start + BATCH)),
      );
      if (values.includes(undefined)) throw missingRun(runId);
      const { records, broken } = readRecords(table, runId, values);
      broken.forEach(this.#onBroken);
      yield records;
    }
  }

  async #load(runId: string, exampleId: string | null): Promise<LoadedRun | null> {
    const stored = await this.#database.attempt("read the run", () =>
      readRun(this.#database, runId, exampleId),
    );
    const run = stored.run === undefined ? null : this.#readRun(runId, stored.run);
    if (run === null) return null;
    const broken: BrokenRecord[] = [];
    const usable = <T extends RecordTable>(table: T) => {
      const read = readRecords(table, runId, stored.records[table]);
      broken.push(...read.broken);
      return read.records;
    };
    const loaded = {
      run,
      background: usable("backgrounds")[0] ?? null,
      generations: usable("generations"),
      activations: usable("activations"),
      scores: usable("scores"),
      embeddings: usable("embeddings"),
      broken,
    };
    broken.forEach(this.#onBroken);
    return loaded;
  }

  #readRun(runId: string, value: unknown): RunRecord | null {
    const checked = check(runReader, value, "run");
    if (checked.ok) return checked.value;
    this.#onBroken({ table: "runs", runId, key: runId, problems: checked.problems });
    return null;
  }

  #readAnalysis(runId: string, value: unknown): AnalysisRecord | null {
    const checked = check(analysisReader, value, "analysis");
    if (checked.ok) return checked.value;
    this.#onBroken({ table: "analyses", runId, key: keyOf(value), problems: checked.problems });
    return null;
  }

  #watch<T>(query: () => Promise<T>): LiveValue<T> {
    return new LiveValue(() => this.#database.ready(), query);
  }
}

function idOf(run: unknown): string {
  const id: unknown = typeof run === "object" && run !== null ? Reflect.get(run, "id") : undefined;
  return typeof id === "string" ? id : "unknown";
}
