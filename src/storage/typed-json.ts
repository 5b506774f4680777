/**
 * JSON that keeps what JSON loses: typed arrays bit by bit, and the numbers NaN, ±Infinity and −0. The tags
 * are described in docs/run-format.md.
 */
import { childPath } from "./validation.ts";

const ARRAY_TYPES = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
} as const;
type ArrayType = keyof typeof ARRAY_TYPES;

const SPECIAL_NUMBERS = new Map<string, number>([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["-0", -0],
]);

/** Something that does not follow the format, and where. */
export class TypedJsonError extends Error {
  override readonly name = "TypedJsonError";
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** The JSON text of a value. @throws {TypedJsonError} for what JSON cannot hold (functions, dates, maps, …) */
export function stringify(value: unknown, path = ""): string {
  return JSON.stringify(encode(value, path));
}

function encode(value: unknown, path: string): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (Number.isFinite(value) && !Object.is(value, -0)) return value;
    return { type: "number", value: Object.is(value, -0) ? "-0" : String(value) };
  }
  if (Array.isArray(value)) {
    return Array.from(value, (entry: unknown, index) => encode(entry, childPath(path, index)));
  }
  const tag = tagOf(value);
  if (ArrayBuffer.isView(value) && isArrayType(tag)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    const width = ARRAY_TYPES[tag].BYTES_PER_ELEMENT;
    return { type: tag, length: bytes.length / width, base64: toBase64(littleEndian(bytes, width)) };
  }
  if (typeof value !== "object" || tag !== "Object") {
    throw new TypedJsonError(path, `a value of type ${tag} cannot be written to a file`);
  }
  const entries = Object.entries(value)
    // An optional field that is not set is left out, as it is in JSON.
    .filter(([, child]) => child !== undefined)
    .map(([name, child]): [string, unknown] => [name, encode(child, childPath(path, name))]);
  const isTagLike = entries.some(([name, child]) => name === "type" && isReserved(child));
  return isTagLike ? { type: "object", entries } : Object.fromEntries(entries);
}

/**
 * Turns parsed JSON back into the value that was written.
 * @throws {TypedJsonError} if a tagged value is damaged
 */
export function decode(value: unknown, path = ""): unknown {
  if (Array.isArray(value))
    return value.map((entry: unknown, index) => decode(entry, childPath(path, index)));
  if (typeof value !== "object" || value === null) return value;
  const tag: unknown = Reflect.get(value, "type");
  if (tag === "object") return decodeObject(Reflect.get(value, "entries"), path);
  if (tag === "number") return decodeNumber(Reflect.get(value, "value"), path);
  if (typeof tag === "string" && isArrayType(tag)) return decodeArray(tag, value, path);
  // fromEntries defines a field called __proto__ instead of setting the prototype.
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, decode(child, childPath(path, name))]),
  );
}

function decodeObject(entries: unknown, path: string): unknown {
  if (!Array.isArray(entries)) throw new TypedJsonError(path, "an escaped object has no list of entries");
  return Object.fromEntries(
    entries.map((entry: unknown, index): [string, unknown] => {
      const [name, child] = Array.isArray(entry) ? (entry as unknown[]) : [];
      if (typeof name !== "string") throw new TypedJsonError(path, `entry ${index} has no name`);
      return [name, decode(child, childPath(path, name))];
    }),
  );
}

function decodeNumber(text: unknown, path: string): number {
  const number = typeof text === "string" ? SPECIAL_NUMBERS.get(text) : undefined;
  if (number === undefined) throw new TypedJsonError(path, "expected NaN, Infinity, -Infinity or -0");
  return number;
}

function decodeArray(type: ArrayType, value: object, path: string): ArrayBufferView {
  const base64: unknown = Reflect.get(value, "base64");
  const length: unknown = Reflect.get(value, "length");
  if (typeof base64 !== "string") throw new TypedJsonError(path, `a ${type} has no text in base64`);
  const bytes = fromBase64(base64);
  if (bytes === null) throw new TypedJsonError(path, `a ${type} has damaged base64`);
  const ArrayOfType = ARRAY_TYPES[type];
  const width = ArrayOfType.BYTES_PER_ELEMENT;
  if (typeof length !== "number" || bytes.length !== length * width) {
    const found = `${bytes.length} bytes at ${width} a number`;
    throw new TypedJsonError(path, `a ${type} says that it has ${String(length)} entries but holds ${found}`);
  }
  return new ArrayOfType(littleEndian(bytes, width).buffer);
}

const HOST_IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * Swaps between this machine's byte order and little-endian.
 * @param width - bytes a number
 * @returns the same bytes where the machine is little-endian already
 */
export function littleEndian(
  bytes: Uint8Array<ArrayBuffer>,
  width: number,
  hostIsLittleEndian?: boolean,
): Uint8Array<ArrayBuffer>;
export function littleEndian(bytes: Uint8Array, width: number, hostIsLittleEndian?: boolean): Uint8Array;
export function littleEndian(
  bytes: Uint8Array,
  width: number,
  hostIsLittleEndian = HOST_IS_LITTLE_ENDIAN,
): Uint8Array {
  if (hostIsLittleEndian || width === 1) return bytes;
  const swapped = new Uint8Array(bytes);
  for (let start = 0; start < swapped.length; start += width)
    swapped.subarray(start, start + width).reverse();
  return swapped;
}

/** Bytes turned into text at a time: a multiple of 3, and few enough to be function arguments. */
const BASE64_CHUNK = 0x6000;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += BASE64_CHUNK) {
    const chunk = bytes.subarray(start, start + BASE64_CHUNK);
    // Spreading would go through the array's iterator, which takes ten times as long.
    text += btoa(String(Reflect.apply(String.fromCharCode, undefined, chunk)));
  }
  return text;
}

/** null where the text is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

function isArrayType(tag: string): tag is ArrayType {
  return Object.hasOwn(ARRAY_TYPES, tag);
}

function isReserved(tag: unknown): boolean {
  return typeof tag === "string" && (tag === "object" || tag === "number" || isArrayType(tag));
}

/** `Float32Array`, `Object`, `Map`, …; works across realms, where `instanceof` does not. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
