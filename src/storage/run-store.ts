import type { Collection } from "dexie";
import { Dexie } from "dexie";
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
import { DATABASE_NAME } from "./schema-versions.ts";
import { StorageError, toStorageError } from "./storage-error.ts";
import { check, type Checked } from "./validation.ts";

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
    this.#require(check(runReader, run, "run"));
    await this.#attempt("save the new run", () =>
      this.#database.transaction("rw", this.#database.runs, () => this.#addRun(run)),
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
    await this.#attempt("update the run", async () => {
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
    const stored = await this.#attempt("list the runs", () =>
      this.#database.runs.orderBy("createdAt").reverse().toArray(),
    );
    return stored.flatMap((value) => this.#readRun(idOf(value), value) ?? []);
  }

  /** null where there is none, or where it is broken. */
  async getRun(runId: string): Promise<RunRecord | null> {
    const stored = await this.#attempt("read the run", () => this.#database.runs.get(runId));
    return stored === undefined ? null : this.#readRun(runId, stored);
  }

  /** Deletes a run with everything that belongs to it; does nothing where there is none. */
  async deleteRun(runId: string): Promise<void> {
    await this.#attempt("delete the run", () =>
      this.#database.transaction("rw", this.#database.tables, async () => {
        await this.#database.runs.delete(runId);
        for (const table of [...RECORD_TABLES, "analyses"] as const) await this.#ofRun(table, runId).delete();
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
    this.#require(check(analysisReader, record, "analysis"));
    await this.#attempt("save the analysis", () =>
      this.#database.transaction("rw", ["runs", "analyses"], async () => {
        await this.#requireRun(record.runId);
        await this.#ofRun("analyses", record.runId).delete();
        await this.#database.analyses.put(record);
      }),
    );
  }

  /** null where there is none, or where it is broken. */
  async loadAnalysis(runId: string): Promise<AnalysisRecord | null> {
    const stored = await this.#attempt("read the analysis", () => this.#ofRun("analyses", runId).first());
    if (stored === undefined) return null;
    const checked = check(analysisReader, stored, "analysis");
    if (checked.ok) return checked.value;
    this.#onBroken({ table: "analyses", runId, key: keyOf(stored), problems: checked.problems });
    return null;
  }

  /** All records of a run as one consistent snapshot, in the order of their keys; null where there is no run. */
  async loadBundle(runId: string): Promise<LoadedRun | null> {
    return this.#load(runId, (table) => this.#ofRun(table, runId));
  }

  /** As `loadBundle`, with the records of one example only. */
  async loadExample(runId: string, exampleId: string): Promise<LoadedRun | null> {
    return this.#load(runId, (table) =>
      table === "backgrounds"
        ? this.#ofRun(table, runId)
        : this.#database[table].where("[runId+exampleId]").equals([runId, exampleId]),
    );
  }

  /**
   * Keys of what a run already has. Every record is read and checked, so that a broken one counts as
   * missing and is computed again.
   */
  async existingKeys(runId: string): Promise<ExistingKeys> {
    const keys = {
      backgrounds: new Set<string>(),
      generations: new Set<string>(),
      activations: new Set<string>(),
      scores: new Set<string>(),
      embeddings: new Set<string>(),
    };
    for (const table of RECORD_TABLES) {
      for await (const records of this.readInBatches(table, runId)) {
        for (const record of records) keys[table].add(record.key);
      }
    }
    return keys;
  }

  /**
   * The usable records of one table of a run, some at a time, in the order of their keys.
   * Records added after the first batch are not seen.
   * @throws {StorageError} `missing` if a record disappears meanwhile (the run was deleted)
   */
  async *readInBatches<T extends RecordTable>(table: T, runId: string): AsyncGenerator<RecordTypes[T][]> {
    const ids = await this.#attempt("list the run's records", () => this.#ofRun(table, runId).primaryKeys());
    for (let start = 0; start < ids.length; start += BATCH) {
      const values = await this.#attempt("read the run's records", () =>
        this.#database[table].bulkGet(ids.slice(start, start + BATCH)),
      );
      if (values.includes(undefined)) throw missingRun(runId);
      const { records, broken } = readRecords(table, runId, values);
      broken.forEach(this.#onBroken);
      yield records;
    }
  }

  /** Adds a whole run, all or nothing. @throws {StorageError} `invalid` if it is broken or its id exists */
  async addBundle(bundle: RunBundle, analysis: AnalysisRecord | null): Promise<void> {
    const { run, background, generations, activations, scores, embeddings } = bundle;
    const backgrounds = background === null ? [] : [background];
    const records = { backgrounds, generations, activations, scores, embeddings };
    this.#require(check(runReader, run, "run"));
    this.#requireRecords(run.id, records);
    if (analysis !== null) this.#require(check(analysisReader, analysis, "analysis"));
    await this.#attempt("save the run", () =>
      this.#database.transaction("rw", this.#database.tables, async () => {
        await this.#addRun(run);
        await this.#write(run.id, records);
        if (analysis !== null) await this.#database.analyses.put(analysis);
      }),
    );
  }

  /** Deletes every run of this browser. */
  async deleteEverything(): Promise<void> {
    await this.#attempt("delete the stored runs", () =>
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
    this.#requireRecords(runId, records);
    const tables = RECORD_TABLES.filter((table) => records[table] !== undefined);
    await this.#attempt("save the results", () =>
      this.#database.transaction("rw", ["runs", ...tables], async () => {
        // A run deleted in another tab must not leave records that nothing refers to.
        await this.#requireRun(runId);
        await this.#write(runId, records);
      }),
    );
  }

  /** Inside a transaction. */
  async #write(runId: string, records: RecordsByTable): Promise<void> {
    if (records.backgrounds !== undefined) await this.#ofRun("backgrounds", runId).delete();
    for (const table of RECORD_TABLES) {
      const values = records[table] ?? [];
      if (values.length > 0) await this.#database[table].bulkPut(values);
    }
  }

  /** Inside a transaction. */
  async #addRun(run: RunRecord): Promise<void> {
    if ((await this.#database.runs.where(":id").equals(run.id).count()) > 0) {
      throw new StorageError("invalid", `A run with the id ${run.id} exists already. It was left as it is.`);
    }
    await this.#database.runs.add(run);
  }

  /** Inside a transaction. Counts, so that the run's prompts are not read for every variant. */
  async #requireRun(runId: string): Promise<void> {
    if ((await this.#database.runs.where(":id").equals(runId).count()) === 0) throw missingRun(runId);
  }

  #ofRun(table: RecordTable | "analyses", runId: string): Collection<unknown, [string, string]> {
    return this.#database[table].where("[runId+key]").between([runId, Dexie.minKey], [runId, Dexie.maxKey]);
  }

  async #load(
    runId: string,
    select: (table: RecordTable) => Collection<unknown, [string, string]>,
  ): Promise<LoadedRun | null> {
    const stored = await this.#attempt("read the run", () =>
      this.#database.transaction("r", this.#database.tables, async () => ({
        run: await this.#database.runs.get(runId),
        backgrounds: await select("backgrounds").toArray(),
        generations: await select("generations").toArray(),
        activations: await select("activations").toArray(),
        scores: await select("scores").toArray(),
        embeddings: await select("embeddings").toArray(),
      })),
    );
    const run = stored.run === undefined ? null : this.#readRun(runId, stored.run);
    if (run === null) return null;
    const broken: BrokenRecord[] = [];
    const usable = <T extends RecordTable>(table: T) => {
      const read = readRecords(table, runId, stored[table]);
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

  #requireRecords(runId: string, records: RecordsByTable): void {
    for (const table of RECORD_TABLES) {
      const values = records[table] ?? [];
      const { broken } = readRecords(table, runId, values);
      this.#require({ ok: false, problems: broken.flatMap(({ problems }) => problems) });
      const stray = values.find((record) => record.runId !== runId);
      if (stray === undefined) continue;
      throw new StorageError("invalid", `A record of run ${stray.runId} was to be saved with run ${runId}.`);
    }
  }

  /** A broken record is a mistake of the caller, and is named where it is made, not when it is read. */
  #require<T>(checked: Checked<T>): void {
    if (checked.ok || checked.problems.length === 0) return;
    const problems = checked.problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    throw new StorageError(
      "invalid",
      `A broken record was not saved (${problems}). What was saved before is safe.`,
    );
  }

  #watch<T>(query: () => Promise<T>): LiveValue<T> {
    return new LiveValue(() => this.#database.ready(), query);
  }

  async #attempt<T>(action: string, operation: () => PromiseLike<T>): Promise<T> {
    await this.#database.ready();
    try {
      return await operation();
    } catch (error) {
      throw this.#database.superseded ?? toStorageError(action, error);
    }
  }
}

function missingRun(runId: string): StorageError {
  return new StorageError(
    "missing",
    `The run ${runId} is not stored here: it may have been deleted in another tab.`,
  );
}

function idOf(run: unknown): string {
  const id: unknown = typeof run === "object" && run !== null ? Reflect.get(run, "id") : undefined;
  return typeof id === "string" ? id : "unknown";
}
