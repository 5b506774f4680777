/** A model's files by their path inside the model's folder, wherever the folder is. */
import { EngineError, messageOf } from "../engine-error.ts";
import { sha256Hex } from "./sha256.ts";

export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
}

/** Where files come from. `read` gives null for a file that is not there. */
export interface FileOrigin {
  read(path: string, onBytes: (loaded: number, total: number | null) => void): Promise<FileBytes | null>;
  /** Size in bytes if it can be told without reading the file, else null. */
  size(path: string): Promise<number | null>;
}

export interface DownloadProgress {
  readonly loadedBytes: number;
  readonly totalBytes: number;
  readonly file: string;
}

/**
 * Reads the files of one model, counts bytes for the progress bar, and remembers each file's SHA-256, so that
 * what was loaded can be named by one hash.
 */
export class ModelFolder {
  readonly id: string;
  readonly #origin: FileOrigin;
  readonly #hashes = new Map<string, string>();

  constructor(id: string, origin: FileOrigin) {
    this.id = id;
    this.#origin = origin;
  }

  /**
   * Parsed JSON, or null if the file is not there. A web page in its place counts as "not there": many hosts
   * answer every unknown address with one.
   * @throws {EngineError} `file-not-json` naming the file
   */
  async json(path: string): Promise<unknown> {
    const file = await this.#origin.read(path, () => undefined);
    return file === null || isWebPage(file) ? null : this.#parse(path, file);
  }

  /**
   * Parsed JSON of a file that must be there.
   * @throws {EngineError} `file-missing` or `file-not-json` naming the file
   */
  async requiredJson(path: string): Promise<unknown> {
    const file = await this.#origin.read(path, () => undefined);
    if (file === null) throw this.#missing(path);
    if (isWebPage(file)) {
      throw new EngineError(
        "file-not-json",
        `A web page was served in place of ${path} of model ${this.id}. Check the model's address.`,
        { file: path, model: this.id },
      );
    }
    return this.#parse(path, file);
  }

  /** Text of a small file, or null if it is not there (or a web page is served in its place). */
  async text(path: string): Promise<string | null> {
    const file = await this.#origin.read(path, () => undefined);
    if (file === null || isWebPage(file)) return null;
    await this.#remember(path, file.bytes);
    return new TextDecoder().decode(file.bytes);
  }

  /**
   * Reads large files one after the other, in the given order.
   * @throws {EngineError} `file-missing` naming the file
   */
  async binaries(
    paths: readonly string[],
    onProgress: (progress: DownloadProgress) => void,
  ): Promise<Uint8Array[]> {
    const sizes: number[] = [];
    for (const path of paths) sizes.push((await this.#origin.size(path)) ?? 0);
    const files: Uint8Array[] = [];
    let done = 0;
    for (const [i, path] of paths.entries()) {
      const report = (loaded: number, total: number | null): void => {
        sizes[i] = Math.max(sizes[i] ?? 0, total ?? 0, loaded);
        const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
        onProgress({ loadedBytes: done + loaded, totalBytes, file: path });
      };
      const file = await this.#origin.read(path, report);
      if (file === null || isWebPage(file)) throw this.#missing(path);
      done += file.bytes.byteLength;
      sizes[i] = file.bytes.byteLength;
      await this.#remember(path, file.bytes);
      files.push(file.bytes);
      onProgress({ loadedBytes: done, totalBytes: sizes.reduce((sum, size) => sum + size, 0), file: path });
    }
    return files;
  }

  /** True if the file can be found without reading it whole. */
  async has(path: string): Promise<boolean> {
    return (await this.#origin.size(path)) !== null;
  }

  /** SHA-256 (hex) over the sorted lines `path NUL hash` of every file read so far. */
  async filesHash(): Promise<string> {
    const lines = [...this.#hashes]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, hash]) => `${path}\0${hash}\n`);
    return sha256Hex(new TextEncoder().encode(lines.join("")));
  }

  async #parse(path: string, file: FileBytes): Promise<unknown> {
    await this.#remember(path, file.bytes);
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(file.bytes));
      return value;
    } catch (error) {
      throw new EngineError(
        "file-not-json",
        `${path} of model ${this.id} is not readable as JSON: ${messageOf(error)}. Fetch the model again.`,
        { file: path, model: this.id },
        error,
      );
    }
  }

  async #remember(path: string, bytes: Uint8Array): Promise<void> {
    this.#hashes.set(path, await sha256Hex(bytes));
  }

  #missing(path: string): EngineError {
    return new EngineError(
      "file-missing",
      `Model ${this.id} has no file ${path}. Check the model's address, or choose another model.`,
      { file: path, model: this.id },
    );
  }
}

function isWebPage(file: FileBytes): boolean {
  if (file.contentType?.startsWith("text/html")) return true;
  const start = new TextDecoder().decode(file.bytes.subarray(0, 64)).trimStart().toLowerCase();
  return start.startsWith("<!doctype html") || start.startsWith("<html");
}
