import { OnnxGraphError } from "./onnx-graph-error.ts";

/** What a file may make the reader do, whatever it contains. */
export interface ReaderBounds {
  /** Fields looked at, nested ones included; bounds time, since each costs constant time. */
  readonly maxFields: number;
  /** UTF-8 bytes of one name. */
  readonly maxNameBytes: number;
  /** UTF-8 bytes of all names together; bounds memory. */
  readonly maxTotalNameBytes: number;
  /** Subgraphs within subgraphs. */
  readonly maxDepth: number;
  readonly maxNodes: number;
  /** Entries kept of one list of numbers; longer lists are skipped. */
  readonly maxListLength: number;
}

export const DEFAULT_READER_BOUNDS: ReaderBounds = {
  maxFields: 8_000_000,
  maxNameBytes: 8_192,
  maxTotalNameBytes: 64 * 1024 * 1024,
  maxDepth: 12,
  maxNodes: 200_000,
  maxListLength: 1_024,
};

/** Remaining budget, shared by all readers of one file. */
export class ReaderBudget {
  fields = 0;
  nameBytes = 0;
  nodes = 0;
  readonly bounds: ReaderBounds;

  constructor(bounds: ReaderBounds) {
    this.bounds = bounds;
  }
}

/** Protobuf wire types (encoding specification, "Message structure"). */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const FIXED32 = 5;

/**
 * Walks the fields of one protobuf message in place. Nothing is copied; what is not asked for is stepped over
 * by its length, so weights inside the file cost nothing.
 *
 * @example
 * while (reader.next()) {
 *   if (reader.field === 8) name = reader.string();
 *   else reader.skip();
 * }
 */
export class WireReader {
  field = 0;
  wireType = 0;
  /** First byte of the field whose tag was read last. */
  fieldStart = 0;
  private position: number;
  private readonly bytes: Uint8Array;
  private readonly end: number;
  private readonly budget: ReaderBudget;

  constructor(bytes: Uint8Array, budget: ReaderBudget, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.budget = budget;
    this.position = start;
    this.end = end;
  }

  /** Reads the next tag; false at the end of the message. The field must then be read or skipped. */
  next(): boolean {
    if (this.position >= this.end) return false;
    this.budget.fields += 1;
    if (this.budget.fields > this.budget.bounds.maxFields) {
      throw new OnnxGraphError(
        "too-large",
        `The graph has more than ${this.budget.bounds.maxFields} fields and was not read to its end.`,
      );
    }
    this.fieldStart = this.position;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag - this.field * 8;
    if (this.field < 1 || this.field > 536_870_911) this.fail("an impossible field number");
    return true;
  }

  /** Signed 64-bit integer as a number; exact within ±2^53. */
  integer(): number {
    this.expect(VARINT);
    return this.varint();
  }

  float(): number {
    this.expect(FIXED32);
    const at = this.advance(4);
    return new DataView(this.bytes.buffer, this.bytes.byteOffset + at, 4).getFloat32(0, true);
  }

  string(): string {
    const { start, end } = this.lengthDelimited();
    const { bounds } = this.budget;
    const length = end - start;
    this.budget.nameBytes += length;
    if (length > bounds.maxNameBytes || this.budget.nameBytes > bounds.maxTotalNameBytes) {
      throw new OnnxGraphError(
        "too-large",
        "The graph's names are longer than any exporter's and were not read.",
      );
    }
    return decodeUtf8(this.bytes, start, end);
  }

  /** The nested message, to be read independently of this one. */
  message(): WireReader {
    const { start, end } = this.lengthDelimited();
    return new WireReader(this.bytes, this.budget, start, end);
  }

  /** Where the content of the length-delimited field lies, which is stepped over. */
  range(): { readonly start: number; readonly end: number } {
    return this.lengthDelimited();
  }

  /** The byte behind what was read or skipped so far. */
  get at(): number {
    return this.position;
  }

  /** Appends the field's numbers, packed or not, up to the bound on list lengths. */
  integersInto(list: number[]): void {
    if (this.wireType === VARINT) {
      const value = this.varint();
      if (list.length < this.budget.bounds.maxListLength) list.push(value);
      return;
    }
    const { end } = this.lengthDelimited(false);
    while (this.position < end && list.length < this.budget.bounds.maxListLength) list.push(this.varint());
    if (this.position > end) this.fail("a list that is cut off");
    this.position = end;
  }

  /** Length in bytes of the length-delimited field that comes next, which stays unread. */
  peekLength(): number {
    const at = this.position;
    const { start, end } = this.lengthDelimited();
    this.position = at;
    return end - start;
  }

  skip(): void {
    if (this.wireType === VARINT) this.varint();
    else if (this.wireType === FIXED64) this.advance(8);
    else if (this.wireType === FIXED32) this.advance(4);
    else this.lengthDelimited();
  }

  private lengthDelimited(advance = true): { start: number; end: number } {
    this.expect(LENGTH_DELIMITED);
    const length = this.varint();
    const start = this.position;
    if (length < 0 || length > this.end - start) this.fail("a length that passes the end");
    if (advance) this.position = start + length;
    return { start, end: start + length };
  }

  private advance(count: number): number {
    const at = this.position;
    if (count > this.end - at) this.fail("a number that is cut off");
    this.position = at + count;
    return at;
  }

  private varint(): number {
    let low = 0;
    let high = 0;
    for (let index = 0; index < 10; index += 1) {
      const byte = this.position < this.end ? this.bytes[this.position] : undefined;
      if (byte === undefined) return this.fail("a number that is cut off");
      this.position += 1;
      const bits = byte & 0x7f;
      if (index < 4) low += bits * 2 ** (7 * index);
      else if (index === 4) {
        low += (bits & 0x0f) * 2 ** 28;
        high += bits >> 4;
      } else high += bits * 2 ** (7 * index - 32);
      if (byte < 0x80) {
        // Two's complement of 64 bits; a tenth byte may carry bits past the 64th, which are dropped.
        const wrapped = high % 2 ** 32;
        return (wrapped >= 2 ** 31 ? wrapped - 2 ** 32 : wrapped) * 2 ** 32 + low;
      }
    }
    return this.fail("a number longer than ten bytes");
  }

  private expect(wireType: number): void {
    if (this.wireType !== wireType)
      this.fail(`field ${this.field} in an unexpected encoding (${this.wireType})`);
  }

  private fail(what: string): never {
    throw new OnnxGraphError(
      "malformed",
      `The file is not a readable ONNX graph: at byte ${this.position} there is ${what}. It may be damaged or cut off.`,
    );
  }
}

const decoder = new TextDecoder();

/** Names are short and almost always ASCII, for which a decoder call costs more than the text. */
function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let index = start; index < end; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0x80) return decoder.decode(bytes.subarray(start, end));
    text += String.fromCharCode(byte);
  }
  return text;
}
