/** Model files at one commit of a hub: kept in the browser, downloaded where they are missing, always checked. */
import { EngineError } from "../engine-error.ts";
import type { HubFile, ModelSource } from "../types.ts";
import { ForgivingStore, type ByteStore } from "./byte-store.ts";
import { download } from "./download.ts";
import { hostName, hubFileUrl } from "./hub-address.ts";
import { SILENCE_MS, type HubAccess } from "./hub-request.ts";
import { KeptFile } from "./kept-file.ts";
import type { FileBytes, FileOrigin } from "./model-folder.ts";

export type HubSource = Extract<ModelSource, { kind: "hub" }>;

export interface HubSurroundings {
  readonly fetch: typeof fetch;
  /** Opened at the first use. */
  readonly store: () => Promise<ByteStore>;
  readonly signal: AbortSignal | null;
  readonly silenceMs: number;
}

export class HubOrigin implements FileOrigin {
  readonly #source: HubSource;
  readonly #surroundings: HubSurroundings;
  readonly #files: ReadonlyMap<string, HubFile>;
  #forgiving: Promise<ByteStore> | null = null;

  constructor(source: HubSource, surroundings: Partial<HubSurroundings> & Pick<HubSurroundings, "store">) {
    this.#source = source;
    this.#surroundings = {
      fetch: (input, init) => fetch(input, init),
      signal: null,
      silenceMs: SILENCE_MS,
      ...surroundings,
    };
    this.#files = new Map(source.files.map((file) => [file.path, file]));
  }

  /** By the listing: nothing is asked of the hub. */
  size(path: string): Promise<number | null> {
    const file = this.#files.get(path);
    return Promise.resolve(file === undefined ? null : (file.bytes ?? 0));
  }

  /** From what is kept, else downloaded; where the browser refuses to keep it, held in memory for this time. */
  async read(
    path: string,
    onBytes: (loaded: number, total: number | null) => void,
  ): Promise<FileBytes | null> {
    const file = this.#files.get(path);
    if (file === undefined) return null;
    this.#forgiving ??= this.#surroundings.store().then((store) => new ForgivingStore(store));
    const kept = await this.#complete(file, await this.#forgiving, onBytes);
    return { bytes: await kept.bytes(), contentType: null };
  }

  /**
   * Downloads a file, writes it to the browser's storage, reads it back and compares it.
   *
   * @throws {EngineError} as `download`, and `file-corrupt`, `storage-full`, `file-missing`
   */
  async keep(path: string, onBytes: (loaded: number, total: number | null) => void): Promise<void> {
    const file = this.#files.get(path);
    if (file === undefined) {
      throw new EngineError("file-missing", `${this.#source.id} has no file ${path} at this revision.`, {
        file: path,
      });
    }
    await this.#complete(file, await this.#surroundings.store(), onBytes);
  }

  /** What is kept of a file, without asking the hub. */
  async kept(path: string): Promise<{ readonly bytes: number; readonly checked: boolean }> {
    const file = new KeptFile(await this.#surroundings.store(), this.#url(path));
    return { bytes: await file.length(), checked: await file.isChecked() };
  }

  async forget(path: string): Promise<void> {
    await new KeptFile(await this.#surroundings.store(), this.#url(path)).forget();
  }

  async #complete(
    file: HubFile,
    store: ByteStore,
    onBytes: (loaded: number, total: number | null) => void,
  ): Promise<KeptFile> {
    const kept = new KeptFile(store, this.#url(file.path));
    if (await this.#isStillWhole(file, kept)) {
      const length = await kept.length();
      onBytes(length, length);
      return kept;
    }
    const { id, revision, host, token } = this.#source;
    const { fetch, signal, silenceMs } = this.#surroundings;
    const access: HubAccess = { host, token, fetch, signal, silenceMs };
    await download({ access, reference: { id, revision }, file, kept, onBytes });
    const problem = await kept.check(file.bytes, file.digest);
    if (problem === null) return kept;
    await kept.forget();
    throw new EngineError(
      "file-corrupt",
      `${file.path} of ${id} was downloaded, but ${problem}. It was thrown away; download it again. If that does not help, something between here and ${hostName(host)} changes it.`,
      { file: file.path, model: id },
    );
  }

  /** True if it is there from an earlier time and unchanged. What has spoilt since then is thrown away. */
  async #isStillWhole(file: HubFile, kept: KeptFile): Promise<boolean> {
    if (!(await kept.isChecked())) return false;
    const problem = await kept.check(file.bytes, file.digest);
    if (problem === null) return true;
    console.warn(`${file.path} of ${this.#source.id} was kept, but ${problem}: it is downloaded again.`);
    await kept.forget();
    return false;
  }

  #url(path: string): string {
    const { host, id, revision } = this.#source;
    return hubFileUrl(host, { id, revision }, path);
  }
}
