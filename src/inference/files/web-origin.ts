/** Files of the models that come with the page: streamed with progress, kept in the Cache API where there is one. */
import { EngineError, messageOf } from "../engine-error.ts";
import type { FileBytes, FileOrigin } from "./model-folder.ts";

const CACHE_NAME = "sago-model-files";
/** Written with each cached file: what the server said about its version. */
const VERSION_HEADER = "x-sago-version";

export interface WebOriginOptions {
  /** Folder address, ending in a slash. */
  readonly baseUrl: string;
  /** All files of the folder; null where they are not known and have to be asked for. */
  readonly files?: readonly string[] | null;
  readonly fetch?: typeof fetch;
  /** null where the browser has none (insecure context). */
  readonly caches: CacheStorage | null;
}

export class WebOrigin implements FileOrigin {
  readonly #options: WebOriginOptions;
  readonly #fetch: typeof fetch;

  constructor(options: WebOriginOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  async size(path: string): Promise<number | null> {
    if (this.#isAbsent(path)) return null;
    const cached = await this.#cached(path);
    if (cached !== null) return Number(cached.headers.get("content-length") ?? 0);
    const response = await this.#request(path, "HEAD");
    if (response === null) return null;
    if (response.headers.get("content-type")?.startsWith("text/html")) return null;
    return contentLength(response) ?? 0;
  }

  async read(
    path: string,
    onBytes: (loaded: number, total: number | null) => void,
  ): Promise<FileBytes | null> {
    if (this.#isAbsent(path)) return null;
    const cached = await this.#cached(path);
    if (cached !== null) {
      const bytes = new Uint8Array(await cached.arrayBuffer());
      onBytes(bytes.byteLength, bytes.byteLength);
      return { bytes, contentType: cached.headers.get("content-type") };
    }
    const response = await this.#request(path, "GET");
    if (response === null) return null;
    const contentType = response.headers.get("content-type");
    const total = contentLength(response);
    const bytes = await this.#stream(path, response, total, onBytes);
    if (total !== null && bytes.byteLength !== total) {
      throw new EngineError(
        "file-truncated",
        `${path} broke off after ${bytes.byteLength} of ${total} bytes. Try again; if it persists, the file on the server is incomplete.`,
        { file: path, received: bytes.byteLength, expected: total },
      );
    }
    if (!contentType?.startsWith("text/html")) await this.#keep(path, bytes, response);
    return { bytes, contentType };
  }

  #isAbsent(path: string): boolean {
    return this.#options.files?.includes(path) === false;
  }

  /** A response, or null for "not there". */
  async #request(path: string, method: "GET" | "HEAD"): Promise<Response | null> {
    const url = this.#url(path);
    let response: Response;
    try {
      response = await this.#fetch(url, { method });
    } catch (error) {
      throw new EngineError(
        "download-failed",
        `${path} could not be downloaded from ${new URL(url).host}: ${messageOf(error)}. Check the connection.`,
        { file: path, url },
        error,
      );
    }
    if (response.status === 404 || response.status === 410) return null;
    if (!response.ok) {
      const { status } = response;
      throw new EngineError("download-failed", `The server answered ${status} for ${path}.`, {
        file: path,
        url,
        status,
      });
    }
    return response;
  }

  async #stream(
    path: string,
    response: Response,
    total: number | null,
    onBytes: (loaded: number, total: number | null) => void,
  ): Promise<Uint8Array> {
    const reader = response.body?.getReader();
    if (!reader) return new Uint8Array(await response.arrayBuffer());
    const chunks: Uint8Array[] = [];
    let loaded = 0;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        chunks.push(value);
        loaded += value.byteLength;
        onBytes(loaded, total);
      }
    } catch (error) {
      throw new EngineError(
        "file-truncated",
        `The download of ${path} broke off after ${loaded} bytes: ${messageOf(error)}. Try again.`,
        { file: path, received: loaded, expected: total },
        error,
      );
    }
    const bytes = new Uint8Array(loaded);
    let offset = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, offset);
      offset += chunk.byteLength;
    }
    return bytes;
  }

  /** The cached file, if it is still the server's version (or the server cannot be reached). */
  async #cached(path: string): Promise<Response | null> {
    const cache = await this.#cache();
    const hit = await cache?.match(this.#url(path));
    if (!hit) return null;
    const known = hit.headers.get(VERSION_HEADER);
    try {
      const head = await this.#fetch(this.#url(path), { method: "HEAD" });
      return head.ok && known !== null && known !== versionOf(head) ? null : hit;
    } catch {
      // Offline: what is there is what there is.
      return hit;
    }
  }

  async #keep(path: string, bytes: Uint8Array, response: Response): Promise<void> {
    const cache = await this.#cache();
    const version = versionOf(response);
    if (cache === null || version === null) return;
    const headers = new Headers({
      "content-length": String(bytes.byteLength),
      [VERSION_HEADER]: version,
    });
    const contentType = response.headers.get("content-type");
    if (contentType !== null) headers.set("content-type", contentType);
    try {
      await cache.put(this.#url(path), new Response(new Blob([new Uint8Array(bytes)]), { headers }));
    } catch (error) {
      // A full or refused quota: the model works, it is only downloaded again next time.
      console.warn(`${path} was not kept for the next visit: ${messageOf(error)}`);
    }
  }

  async #cache(): Promise<Cache | null> {
    const { caches } = this.#options;
    if (caches === null) return null;
    try {
      return await caches.open(CACHE_NAME);
    } catch (error) {
      console.warn(`The browser's cache cannot be used: ${messageOf(error)}`);
      return null;
    }
  }

  #url(path: string): string {
    return new URL(path.split("/").map(encodeURIComponent).join("/"), this.#options.baseUrl).href;
  }
}

/** Bytes on the wire are the file's bytes only where nothing was compressed. */
function contentLength(response: Response): number | null {
  const length = response.headers.get("content-length");
  return length === null || response.headers.has("content-encoding") ? null : Number(length);
}

function versionOf(response: Response): string | null {
  const tag = response.headers.get("etag") ?? response.headers.get("last-modified");
  return tag === null ? null : `${tag} ${response.headers.get("content-length") ?? ""}`;
}
