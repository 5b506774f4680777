/** Whether bytes are the ones that a hub listed. */
import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { FileDigest } from "../types.ts";

/**
 * The digest of content that comes in pieces.
 *
 * @param bytes - length of the whole content; git hashes it in front of the content
 * @see git's documentation, "Git Internals: Git Objects", for `git-blob`
 */
export function digestOf(kind: FileDigest["kind"], bytes: number): DigestBuilder {
  if (kind === "sha256") return new DigestBuilder(sha256.create());
  return new DigestBuilder(sha1.create().update(new TextEncoder().encode(`blob ${bytes}\0`)));
}

interface Hasher {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export class DigestBuilder {
  readonly #hasher: Hasher;

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  add(bytes: Uint8Array): void {
    this.#hasher.update(bytes);
  }

  /** Hexadecimal; nothing can be added afterwards. */
  hex(): string {
    return bytesToHex(this.#hasher.digest());
  }
}
