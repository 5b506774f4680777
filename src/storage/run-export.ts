/** Writing a run as one file. docs/run-format.md describes the format. */
import { RUN_FILE_SCHEMA } from "./run-file.ts";
import type { RunSnapshot, RunStore } from "./run-store.ts";
import { missingRun } from "./run-writes.ts";
import { stringify } from "./typed-json.ts";

export interface ExportOptions {
  readonly productVersion: string;
  /** gzip, about a quarter smaller. Default: plain JSON. */
  readonly compress?: boolean;
}

/** Characters gathered before they are handed to the browser as a blob, which may keep them on disk. */
const PIECE = 4_000_000;

/**
 * A stored run as one file, read and written in pieces: it is never in memory as a whole. Broken records are
 * left out, as everywhere.
 * @throws {StorageError} `missing` if there is no such run
 */
export async function exportRun(store: RunStore, runId: string, options: ExportOptions): Promise<Blob> {
  const snapshot = await store.openSnapshot(runId);
  if (snapshot === null) throw missingRun(runId);
  const blobs: Blob[] = [];
  let texts: string[] = [];
  let length = 0;
  for await (const text of exportText(snapshot, options.productVersion)) {
    texts.push(text);
    length += text.length;
    if (length < PIECE) continue;
    blobs.push(new Blob(texts));
    texts = [];
    length = 0;
  }
  const plain = new Blob([...blobs, ...texts], { type: "application/json" });
  if (options.compress !== true) return plain;
  const compressed = plain.stream().pipeThrough(new CompressionStream("gzip"));
  return new Response(compressed, { headers: { "Content-Type": "application/gzip" } }).blob();
}

/** The text of a run's file, a record at a time. Each record is one line. */
export async function* exportText(snapshot: RunSnapshot, productVersion: string): AsyncGenerator<string> {
  const { run, analysis } = snapshot;
  yield `{"schema":${JSON.stringify(RUN_FILE_SCHEMA)},\n`;
  yield `"productVersion":${JSON.stringify(productVersion)},\n`;
  yield `"exportedAt":${JSON.stringify(new Date().toISOString())},\n`;
  yield `"byteOrder":"little-endian",\n`;
  yield `"run":${stringify(run, "run")},\n`;
  if (analysis !== null) {
    const { analysis: content, ...record } = analysis;
    yield `"analysis":${stringify(content, "analysis")},\n`;
    yield `"analysisRecord":${stringify(record, "analysisRecord")},\n`;
  }
  for await (const [background] of snapshot.read("backgrounds")) {
    if (background !== undefined) yield `"background":${stringify(background, "background")},\n`;
  }
  for (const table of ["generations", "activations", "scores", "embeddings"] as const) {
    yield `"${table}":[\n`;
    let separator = "";
    for await (const records of snapshot.read(table)) {
      for (const record of records) {
        yield separator + stringify(record, table);
        separator = ",\n";
      }
    }
    const end = table === "embeddings" ? "]\n" : "],\n";
    yield separator === "" ? end : `\n${end}`;
  }
  yield "}\n";
}
