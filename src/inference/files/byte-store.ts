/** Where bytes are kept for the next visit: the browser's Cache API, or memory where there is none. */
import { EngineError, messageOf } from "../engine-error.ts";

export interface StoredBytes {
  readonly length: number;
  /** What was noted with them. */
  readonly facts: Readonly<Record<string, string>>;
  read(): Promise<Uint8Array>;
}

export interface ByteStore {
  /** True if what is kept here is still here on the next visit. */
  readonly lasting: boolean;
  /** null if nothing is kept under this address. */
  get(address: string): Promise<StoredBytes | null>;
  /** @throws {EngineError} `storage-full` */
  put(address: string, bytes: Uint8Array, facts?: Readonly<Record<string, string>>): Promise<void>;
  delete(address: string): Promise<void>;
  addresses(): Promise<readonly string[]>;
}

const FACT = "x-sago-";

/** Addresses are absolute URLs: the Cache API knows no others. */
export class CacheStore implements ByteStore {
  readonly lasting: boolean = true;
  readonly #cache: Cache;

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  async get(address: string): Promise<StoredBytes | null> {
    const hit = await this.#cache.match(address);
    if (!hit) return null;
    const facts = [...hit.headers].flatMap(([name, value]) =>
      name.startsWith(FACT) ? [[name.slice(FACT.length), decodeURIComponent(value)] as const] : [],
    );
    return {
      length: Number(hit.headers.get("content-length") ?? 0),
      facts: Object.fromEntries(facts),
      read: async () => new Uint8Array(await hit.arrayBuffer()),
    };
  }

  async put(address: string, bytes: Uint8Array, facts: Readonly<Record<string, string>> = {}): Promise<void> {
    const headers = new Headers({ "content-length": String(bytes.byteLength) });
    for (const [name, value] of Object.entries(facts)) headers.set(FACT + name, encodeURIComponent(value));
    try {
      await this.#cache.put(address, new Response(new Blob([new Uint8Array(bytes)]), { headers }));
    } catch (error) {
      throw new EngineError(
        "storage-full",
        `The browser did not keep ${bytes.byteLength} more bytes: ${messageOf(error)}. Remove models or runs that you no longer need, or free disk space, then go on.`,
        { bytes: bytes.byteLength },
        error,
      );
    }
  }

  async delete(address: string): Promise<void> {
    await this.#cache.delete(address);
  }

  async addresses(): Promise<readonly string[]> {
    return (await this.#cache.keys()).map(({ url }) => url);
  }
}

export class MemoryStore implements ByteStore {
  readonly lasting: boolean = false;
  readonly #kept = new Map<
    string,
    { readonly bytes: Uint8Array; readonly facts: Readonly<Record<string, string>> }
  >();

  get(address: string): Promise<StoredBytes | null> {
    const hit = this.#kept.get(address);
    if (!hit) return Promise.resolve(null);
    const { bytes, facts } = hit;
    return Promise.resolve({ length: bytes.byteLength, facts, read: () => Promise.resolve(bytes) });
  }

  put(address: string, bytes: Uint8Array, facts: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#kept.set(address, { bytes: bytes.slice(), facts });
    return Promise.resolve();
  }

  delete(address: string): Promise<void> {
    this.#kept.delete(address);
    return Promise.resolve();
  }

  addresses(): Promise<readonly string[]> {
    return Promise.resolve([...this.#kept.keys()]);
  }
}

/** Keeps in memory what the browser refuses to keep: a model loads even where storage is full. */
export class ForgivingStore implements ByteStore {
  readonly lasting: boolean;
  readonly #first: ByteStore;
  readonly #spill = new MemoryStore();

  constructor(first: ByteStore) {
    this.#first = first;
    this.lasting = first.lasting;
  }

  async get(address: string): Promise<StoredBytes | null> {
    return (await this.#spill.get(address)) ?? this.#first.get(address);
  }

  async put(address: string, bytes: Uint8Array, facts?: Readonly<Record<string, string>>): Promise<void> {
    try {
      await this.#first.put(address, bytes, facts);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== "storage-full") throw error;
      console.warn(`${address} was not kept for the next visit: ${messageOf(error)}`);
      await this.#spill.put(address, bytes, facts);
    }
  }

  async delete(address: string): Promise<void> {
    await this.#spill.delete(address);
    await this.#first.delete(address);
  }

  addresses(): Promise<readonly string[]> {
    return this.#first.addresses();
  }
}

const HUB_CACHE = "sago-hub-files";
const memory = new MemoryStore();

/** The store of hub files; in memory where the browser offers no Cache API (insecure context, site data off). */
export async function openHubStore(
  storage: CacheStorage | null = globalThis.caches ?? null,
): Promise<ByteStore> {
  if (storage === null) return memory;
  try {
    return new CacheStore(await storage.open(HUB_CACHE));
  } catch (error) {
    console.warn(`The browser's cache cannot be used: ${messageOf(error)}`);
    return memory;
  }
}
