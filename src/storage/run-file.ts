/** Reading a run's file: which lines it has, and what they say. docs/run-format.md describes the format. */
import { decode, TypedJsonError } from "./typed-json.ts";
import { childPath, type RecordProblem } from "./validation.ts";

export const RUN_FILE_SCHEMA = "sago-run-export/1";

/** A file that cannot be imported. `problems` name what is wrong and where; `message` sums them up. */
export class RunFileError extends Error {
  override readonly name = "RunFileError";
  readonly problems: readonly RecordProblem[];

  constructor(problems: readonly RecordProblem[]) {
    const shown = problems
      .slice(0, 5)
      .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    const more = problems.length > shown.length ? [`and ${problems.length - shown.length} more`] : [];
    super(`This file cannot be imported; nothing was changed. ${[...shown, ...more].join("; ")}`);
    this.problems = problems;
  }
}

/**
 * Longest text that is read in one piece, characters. Engines refuse texts of about 512 million; files in
 * lines, as Sago writes them, are read line by line and may be longer.
 */
const LONGEST_TEXT = 400_000_000;

/**
 * Reads the members of a run's file, typed arrays restored, but otherwise unchecked.
 * @param file - JSON, plain or gzip-compressed
 * @throws {RunFileError} if it is not JSON, or a tagged value is damaged
 */
export async function readRunFile(file: Blob): Promise<Readonly<Record<string, unknown>>> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  return readRunText(() => {
    const bytes = isGzip ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
    return piecesOf(bytes.pipeThrough(new TextDecoderStream()));
  });
}

/**
 * As `readRunFile`, for text.
 * @param open - gives the text in pieces, from its beginning; called a second time where the text is not laid
 *   out in lines
 */
export async function readRunText(
  open: () => AsyncIterable<string>,
): Promise<Readonly<Record<string, unknown>>> {
  return (await readLines(open())) ?? readWhole(open());
}

/** Members of a file laid out in lines; null where it is not, so that it must be read whole. */
async function readLines(text: AsyncIterable<string>): Promise<Record<string, unknown> | null> {
  const members = new Map<string, unknown>();
  let list: { readonly name: string; readonly entries: unknown[] } | null = null;
  let ended = false;
  for await (const line of linesOf(text)) {
    if (ended && line.trim() !== "") return null;
    if (line === "}") {
      ended = list === null;
      if (!ended) return null;
    } else if (list !== null && (line === "]" || line === "],")) {
      members.set(list.name, list.entries);
      list = null;
    } else if (list !== null) {
      const entry = parseJson(withoutComma(line));
      if (!entry.ok) return null;
      list.entries.push(decodeAt(entry.value, childPath(list.name, list.entries.length)));
    } else if (!ended) {
      const opening: string | undefined = /^"(\w+)":\[$/u.exec(line)?.[1];
      if (opening !== undefined) {
        list = { name: opening, entries: [] };
        continue;
      }
      const member = parseJson(`{${withoutComma(line.replace(/^\{/u, ""))}}`);
      if (!member.ok || typeof member.value !== "object" || member.value === null) return null;
      for (const [name, value] of Object.entries(member.value)) members.set(name, decodeAt(value, name));
    }
  }
  return ended ? Object.fromEntries(members) : null;
}

async function readWhole(pieces: AsyncIterable<string>): Promise<Readonly<Record<string, unknown>>> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length <= LONGEST_TEXT) continue;
    throw fileError("it is too large to be read in one piece, and not laid out in lines as Sago writes it");
  }
  const parsed = parseJson(text);
  if (!parsed.ok) {
    throw fileError(
      text.trimStart().startsWith("<")
        ? "it is a web page, not a run exported by Sago"
        : `it is not complete JSON (${parsed.reason}). It may have been cut off: export it again`,
    );
  }
  if (typeof parsed.value !== "object" || parsed.value === null || Array.isArray(parsed.value)) {
    throw fileError("it holds no JSON object, so it is not a run exported by Sago");
  }
  return Object.fromEntries(
    Object.entries(parsed.value).map(([name, value]) => [name, decodeAt(value, name)]),
  );
}

function decodeAt(value: unknown, path: string): unknown {
  try {
    return decode(value, path);
  } catch (error) {
    if (error instanceof TypedJsonError)
      throw new RunFileError([{ path: error.path, message: error.message }]);
    throw error;
  }
}

type ParsedJson =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : "no details were given" };
  }
}

function withoutComma(line: string): string {
  return line.endsWith(",") ? line.slice(0, -1) : line;
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const piece of pieces) {
    const lines = piece.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      rest.push(line);
      const whole = rest.join("");
      rest = [];
      yield whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    }
    rest.push(last);
  }
  yield rest.join("");
}

/** Not every browser iterates a stream by itself. */
async function* piecesOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw fileError(
      `it could not be read (${error instanceof Error ? error.message : "no details were given"})`,
    );
  } finally {
    // Ends the reading of the file where the caller has seen enough.
    await reader.cancel().catch(() => {});
  }
}

function fileError(message: string): RunFileError {
  return new RunFileError([{ path: "", message }]);
}
