import { Dexie, type DexieOptions, type Table } from "dexie";
import { CURRENT_VERSION, declareVersions } from "./schema-versions.ts";
import { conditionError, openingError, toStorageError, type StorageError } from "./storage-error.ts";

export interface DatabaseOptions {
  /** The engine; the browser's own where left out. */
  readonly engine?: Pick<DexieOptions, "indexedDB" | "IDBKeyRange">;
  /** An older tab keeps this one from opening the database; it opens by itself once that tab is closed. */
  readonly onBlocked?: (error: StorageError) => void;
  /** A newer tab needs the database: this one has let go of it and cannot write any more. */
  readonly onSuperseded?: (error: StorageError) => void;
  /** How long to wait for an older tab before calls reject with `blocked`, milliseconds. */
  readonly blockedAfterMs?: number;
}

type RecordKey = [runId: string, key: string];

/** The IndexedDB database. Values are `unknown`: whoever reads one checks it. */
export class SagoDatabase extends Dexie {
  declare readonly runs: Table<unknown, string>;
  declare readonly backgrounds: Table<unknown, RecordKey>;
  declare readonly generations: Table<unknown, RecordKey>;
  declare readonly activations: Table<unknown, RecordKey>;
  declare readonly scores: Table<unknown, RecordKey>;
  declare readonly embeddings: Table<unknown, RecordKey>;
  declare readonly analyses: Table<unknown, RecordKey>;
  declare readonly datasets: Table<unknown, string>;
  declare readonly datasetContents: Table<unknown, string>;

  readonly #options: DatabaseOptions;
  /** Why this connection cannot be used any more, or null. */
  #superseded: StorageError | null = null;
  #blocked = false;
  #whenBlocked: (() => void) | null = null;

  constructor(name: string, options: DatabaseOptions) {
    super(name, {
      ...options.engine,
      // "relaxed" may lose the last variants in a power cut; a commit costs little beside a generation.
      chromeTransactionDurability: "strict",
      // Dexie's query cache would keep the typed arrays of whole runs alive.
      cache: "disabled",
    });
    this.#options = options;
    declareVersions(this);
    this.on("blocked", () => {
      this.#blocked = true;
      this.#whenBlocked?.();
      options.onBlocked?.(conditionError("blocked"));
    });
    // Returning false keeps Dexie's own handler (a console warning, then reopening on the next call) out.
    this.on("versionchange", () => {
      this.#superseded = conditionError("version");
      this.close({ disableAutoOpen: true });
      options.onSuperseded?.(this.#superseded);
      return false;
    });
  }

  /**
   * Opens the database where it is not open yet.
   * @throws {StorageError} `unavailable`, `version`, `quota`, or `blocked` when an older tab has not let go
   *   of it within `blockedAfterMs`; a later call tries again
   */
  async ready(): Promise<void> {
    if (this.#superseded !== null) throw this.#superseded;
    if (this.isOpen()) return;
    try {
      await this.#openUnlessBlocked();
    } catch (error) {
      throw openingError(error);
    }
    // Dexie opens a newer database than it knows with whatever stores it finds; writing there could break it.
    if (this.backendDB().version > CURRENT_VERSION * 10) {
      this.#superseded = conditionError("version");
      this.close({ disableAutoOpen: true });
      throw this.#superseded;
    }
    this.#blocked = false;
  }

  /**
   * Reads or writes, opening the database first where needed.
   * @param action - what is attempted, for the message: "save the set"
   * @throws {StorageError}
   */
  async attempt<T>(action: string, operation: () => PromiseLike<T>): Promise<T> {
    await this.ready();
    try {
      return await operation();
    } catch (error) {
      throw this.#superseded ?? toStorageError(action, error);
    }
  }

  async #openUnlessBlocked(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const blocked = new Promise<never>((_resolve, reject) => {
      this.#whenBlocked = () => {
        timer ??= setTimeout(() => reject(conditionError("blocked")), this.#options.blockedAfterMs ?? 5_000);
      };
      if (this.#blocked) this.#whenBlocked();
    });
    try {
      await Promise.race([this.open(), blocked]);
    } finally {
      clearTimeout(timer);
    }
  }
}
