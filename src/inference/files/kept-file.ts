/**
 * One file of a hub as it is kept: in parts, so that a broken download goes on where it broke, and with a
 * mark once it was read back and compared with its hash.
 */
import type { FileDigest } from "../types.ts";
import type { ByteStore, StoredBytes } from "./byte-store.ts";
import { digestOf } from "./digest.ts";

const PART = "sago-part";
const CHECKED = "sago-checked";

export class KeptFile {
  readonly #store: ByteStore;
  readonly #url: string;
  /** Number of parts, once counted. */
  #count: number | null = null;

  /** @param url - the file's address at one commit */
  constructor(store: ByteStore, url: string) {
    this.#store = store;
    this.#url = url;
  }

  /** Bytes from the file's start that are there without a gap. */
  async length(): Promise<number> {
    return (await this.#parts()).reduce((sum, part) => sum + part.length, 0);
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#count ??= (await this.#parts()).length;
    await this.#store.put(this.#address(PART, this.#count), bytes);
    this.#count += 1;
  }

  /** All that is there, as one array. */
  async bytes(): Promise<Uint8Array> {
    const parts = await this.#parts();
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(await part.read(), at);
      at += part.length;
    }
    return whole;
  }

  /**
   * Reads everything back and compares it with what it should be; marks it checked if it is.
   *
   * @param bytes - the file's length; null where the hub does not say
   * @param digest - null where the hub does not say: then only the length is compared
   * @returns what is wrong, or null
   */
  async check(bytes: number | null, digest: FileDigest | null): Promise<string | null> {
    const parts = await this.#parts();
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (bytes !== null && length !== bytes) return `it has ${length} bytes in place of ${bytes}`;
    const builder = digest === null ? null : digestOf(digest.kind, length);
    let read = 0;
    for (const part of parts) {
      const content = await part.read();
      read += content.byteLength;
      builder?.add(content);
    }
    if (read !== length) return `only ${read} of its ${length} bytes can be read back`;
    const hex = builder?.hex() ?? null;
    if (digest !== null && hex !== digest.hex) return `its hash is ${hex ?? ""} in place of ${digest.hex}`;
    await this.#store.put(this.#address(CHECKED), new Uint8Array(0), {
      bytes: String(length),
      digest: hex ?? "",
    });
    return null;
  }

  /** True if it was read back and compared after it was written, and still has its length. */
  async isChecked(): Promise<boolean> {
    const mark = await this.#store.get(this.#address(CHECKED));
    return mark !== null && Number(mark.facts["bytes"]) === (await this.length());
  }

  async forget(): Promise<void> {
    await this.#store.delete(this.#address(CHECKED));
    // From the end, so that what a crash leaves behind is still a beginning.
    for (let index = (await this.#parts()).length - 1; index >= 0; index -= 1) {
      await this.#store.delete(this.#address(PART, index));
    }
    this.#count = 0;
  }

  async #parts(): Promise<StoredBytes[]> {
    const parts: StoredBytes[] = [];
    for (;;) {
      const part = await this.#store.get(this.#address(PART, parts.length));
      if (part === null) return parts;
      parts.push(part);
    }
  }

  #address(kind: string, index?: number): string {
    return `${this.#url}?${kind}${index === undefined ? "" : `=${index}`}`;
  }
}
