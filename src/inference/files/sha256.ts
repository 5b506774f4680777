import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** SHA-256 in hexadecimal; by the browser where the page is a secure context, else in JavaScript. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) return bytesToHex(sha256(bytes));
  // SubtleCrypto refuses shared memory; a view of an ordinary buffer passes without a copy.
  const own =
    bytes.buffer instanceof ArrayBuffer
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
      : bytes.slice();
  return bytesToHex(new Uint8Array(await subtle.digest("SHA-256", own)));
}
