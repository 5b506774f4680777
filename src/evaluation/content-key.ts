import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * Canonical JSON of plain data: object keys sorted, no white space, absent (`undefined`) entries left out,
 * so that equal content gives equal text.
 *
 * @throws {RangeError} for what JSON cannot hold: NaN, Infinity, functions, typed arrays, …
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonicalJson(item)).join(",")}]`;
  if (typeof value === "object" && !ArrayBuffer.isView(value)) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
  }
  throw new RangeError(`A content key cannot hold ${String(value)}.`);
}

/**
 * Content key: SHA-256 (hex, 64 characters) of the canonical JSON of `value`.
 *
 * Synchronous and independent of `crypto.subtle`, which pages outside a secure context lack.
 */
export function contentKey(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
