import { readDelimited } from "./read-delimited.ts";
import { parse, readJson, readJsonLines } from "./read-json.ts";
import { readParquet } from "./read-parquet.ts";
import { ImportFileError, type ImportedTable, type ImportProblem, type TableFormat } from "./table.ts";
import { DATASET_SCHEMA } from "../schema.ts";

/** A file as it came in. `name` of pasted text is anything that tells it apart. */
export interface ImportFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A table of rows, or a whole dataset in Sago's own format, still unchecked. */
export type ReadFile =
  | { readonly kind: "table"; readonly table: ImportedTable }
  | { readonly kind: "dataset"; readonly file: string; readonly dataset: unknown };

/**
 * Reads a file of prompts. What it is, is told from its content where that is certain (Parquet, JSON), else from
 * its name, else from its first line.
 *
 * @throws {ImportFileError} if nothing in it can be used
 */
export async function readFile({ name, bytes }: ImportFile): Promise<ReadFile> {
  if (isParquet(bytes)) return { kind: "table", table: await readParquet(name, bytes) };
  const { text, problems } = decodeText(name, bytes);
  if (text.trim() === "") throw new ImportFileError(name, "The file is empty.");
  if (text.trimStart().startsWith("<")) {
    throw new ImportFileError(
      name,
      "The file is a web page, not a table. The address may have asked for a login.",
    );
  }
  const format = formatOf(name, text);
  if (format === "json") {
    const parsed = parse(name, text);
    if (isDataset(parsed)) return { kind: "dataset", file: name, dataset: parsed };
  }
  const table =
    format === "json"
      ? readJson(name, text)
      : format === "jsonl"
        ? readJsonLines(name, text)
        : readDelimited(name, text, format);
  return { kind: "table", table: { ...table, problems: [...problems, ...table.problems] } };
}

function isParquet(bytes: Uint8Array): boolean {
  return bytes.length > 8 && [0x50, 0x41, 0x52, 0x31].every((byte, at) => bytes[at] === byte);
}

function isDataset(value: unknown): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, "schema") === DATASET_SCHEMA;
}

function formatOf(name: string, text: string): Exclude<TableFormat, "parquet"> {
  const start = text.trimStart();
  const [first = ""] = start.split(/[\r\n]/u);
  if (start.startsWith("[") && /\.json$|^[^.]*$/iu.test(name)) return "json";
  if (/\.(?:jsonl|ndjson)$/iu.test(name)) return "jsonl";
  if (/\.json$/iu.test(name)) return isJson(first) && start.trimEnd() !== first ? "jsonl" : "json";
  if (/\.(?:tsv|tab)$/iu.test(name)) return "tsv";
  if (/\.csv$/iu.test(name)) return "csv";
  if (start.startsWith("{")) return isJson(first) && start.trimEnd() !== first ? "jsonl" : "json";
  return first.includes("\t") ? "tsv" : "csv";
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** UTF-8, UTF-16 with a byte order mark, or else Windows-1252, which is said. The mark itself is dropped. */
function decodeText(
  file: string,
  bytes: Uint8Array,
): { readonly text: string; readonly problems: readonly ImportProblem[] } {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : null;
  if (utf16 !== null) return { text: new TextDecoder(utf16).decode(bytes), problems: [] };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), problems: [] };
  } catch {
    if (bytes.subarray(0, 4096).includes(0)) {
      throw new ImportFileError(file, "The file is neither text nor Parquet.");
    }
    return {
      text: new TextDecoder("windows-1252").decode(bytes),
      problems: [
        {
          file,
          place: null,
          reason:
            "The file is not in UTF-8, so it was read as Windows-1252. Look whether letters with accents are right.",
        },
      ],
    };
  }
}
