/** Model files that a person picked from their own disk. */
import type { FileBytes, FileOrigin } from "./model-folder.ts";

export class BlobOrigin implements FileOrigin {
  readonly #files: ReadonlyMap<string, Blob>;

  /** @param files - paths as the folder picker gives them; a common top folder is dropped */
  constructor(files: readonly { readonly path: string; readonly file: Blob }[]) {
    const top = files[0]?.path.split("/")[0] ?? "";
    const nested = files.length > 0 && files.every(({ path }) => path.startsWith(`${top}/`));
    this.#files = new Map(files.map(({ path, file }) => [nested ? path.slice(top.length + 1) : path, file]));
  }

  size(path: string): Promise<number | null> {
    return Promise.resolve(this.#files.get(path)?.size ?? null);
  }

  async read(
    path: string,
    onBytes: (loaded: number, total: number | null) => void,
  ): Promise<FileBytes | null> {
    const file = this.#files.get(path);
    if (!file) return null;
    const bytes = new Uint8Array(await file.arrayBuffer());
    onBytes(bytes.byteLength, bytes.byteLength);
    return { bytes, contentType: null };
  }
}
