import * as v from "valibot";
import { SagoDatabase, type DatabaseOptions } from "./database.ts";
import { DATABASE_NAME } from "./schema-versions.ts";
import { StorageError } from "./storage-error.ts";

/** What a list shows of a set. */
export interface StoredDataset {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: "short-answer" | "free-text" | "classification";
  readonly examples: number;
  /** Variants over all examples. */
  readonly variants: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

type Summary = Omit<StoredDataset, "createdAt" | "updatedAt">;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const storedSchema = v.looseObject({
  id: v.string(),
  name: v.string(),
  description: v.string(),
  kind: v.picklist(["short-answer", "free-text", "classification"]),
  examples: count,
  variants: count,
  createdAt: v.string(),
  updatedAt: v.string(),
});

/**
 * The reader's own sets. Their content is stored as it is given and comes back `unknown`: whoever reads it checks
 * it. Every method rejects with a `StorageError` and nothing else.
 */
export class DatasetStore {
  readonly #database: SagoDatabase;

  constructor(options: DatabaseOptions & { readonly name?: string } = {}) {
    this.#database = new SagoDatabase(options.name ?? DATABASE_NAME, options);
  }

  /** Oldest first; entries that cannot be read are left out. */
  async list(): Promise<StoredDataset[]> {
    const values = await this.#database.attempt("list the sets", () =>
      this.#database.datasets.orderBy("createdAt").toArray(),
    );
    return values.flatMap((value) => {
      const parsed = v.safeParse(storedSchema, value);
      return parsed.success ? [parsed.output] : [];
    });
  }

  /** Adds a set. @throws {StorageError} `invalid` if its id is taken */
  async add(summary: Summary, content: unknown): Promise<void> {
    const now = new Date().toISOString();
    await this.#database.attempt("save the set", () =>
      this.#database.transaction("rw", ["datasets", "datasetContents"], async () => {
        if ((await this.#database.datasets.where(":id").equals(summary.id).count()) > 0) {
          throw new StorageError(
            "invalid",
            `There is a set with the id ${summary.id} already. It was left as it is.`,
          );
        }
        await this.#database.datasets.add({ ...summary, createdAt: now, updatedAt: now });
        await this.#database.datasetContents.put({ id: summary.id, content });
      }),
    );
  }

  /** Replaces a set's content. @throws {StorageError} `missing` if it has been removed meanwhile */
  async replace(summary: Summary, content: unknown): Promise<void> {
    await this.#database.attempt("save the set", () =>
      this.#database.transaction("rw", ["datasets", "datasetContents"], async () => {
        const known = await this.#database.datasets
          .where(":id")
          .equals(summary.id)
          .modify((value) => {
            if (typeof value === "object" && value !== null)
              Object.assign(value, summary, { updatedAt: new Date().toISOString() });
          });
        if (known === 0) throw missing(summary.id);
        await this.#database.datasetContents.put({ id: summary.id, content });
      }),
    );
  }

  /** @throws {StorageError} `missing` */
  async content(id: string): Promise<unknown> {
    const value = await this.#database.attempt("read the set", () => this.#database.datasetContents.get(id));
    if (typeof value !== "object" || value === null) throw missing(id);
    return Reflect.get(value, "content");
  }

  /** Removes a set; runs over it stay. Does nothing where there is none. */
  async remove(id: string): Promise<void> {
    await this.#database.attempt("remove the set", () =>
      this.#database.transaction("rw", ["datasets", "datasetContents"], async () => {
        await this.#database.datasets.delete(id);
        await this.#database.datasetContents.delete(id);
      }),
    );
  }

  close(): void {
    this.#database.close({ disableAutoOpen: false });
  }
}

function missing(id: string): StorageError {
  return new StorageError(
    "missing",
    `The set ${id} is not stored here: it may have been removed in another tab.`,
  );
}
