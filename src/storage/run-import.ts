/** Reading a run's file back into the database. */
import { analysisReader, backgroundReader, runReader, type RecordReader } from "./record-schemas.ts";
import { RECORD_READERS } from "./record-tables.ts";
import type { AnalysisRecord, RunBundle } from "./records.ts";
import { readRunFile, RUN_FILE_SCHEMA, RunFileError } from "./run-file.ts";
import type { RunStore } from "./run-store.ts";
import { sameValue } from "./same-value.ts";
import { check, childPath, type RecordProblem } from "./validation.ts";

export interface ParsedRunFile {
  readonly bundle: RunBundle;
  readonly analysis: AnalysisRecord | null;
}

/**
 * - `added`: the run was not here and has its own id
 * - `recognised`: the very same run was here already; at most its analysis was added
 * - `copied`: another run had its id, so it was added under a new one
 */
export interface ImportResult {
  readonly outcome: "added" | "recognised" | "copied";
  readonly runId: string;
}

/**
 * Adds the run of a file, all or nothing.
 * @throws {RunFileError} if the file is not a whole and valid run
 * @throws {StorageError}
 */
export async function importRun(store: RunStore, file: Blob): Promise<ImportResult> {
  const parsed = await parseRunFile(file);
  const originalId = parsed.bundle.run.id;
  for (let copy = 1; ; copy += 1) {
    const runId = copy === 1 ? originalId : `${originalId}~${copy}`;
    const { bundle, analysis } = copy === 1 ? parsed : withRunId(parsed, runId);
    if (!(await store.hasRun(runId))) {
      await store.addBundle(bundle, analysis);
      return { outcome: copy === 1 ? "added" : "copied", runId };
    }
    const present = await store.loadBundle(runId);
    if (present !== null && sameRun(present, bundle)) {
      if (analysis !== null && (await store.loadAnalysis(runId)) === null) await store.saveAnalysis(analysis);
      return { outcome: "recognised", runId };
    }
  }
}

/** Reads and checks a run's file, without storing anything. @throws {RunFileError} */
export async function parseRunFile(file: Blob): Promise<ParsedRunFile> {
  return checkRunFile(await readRunFile(file));
}

/** Checks what was read from a run's file. @throws {RunFileError} */
export function checkRunFile(members: Readonly<Record<string, unknown>>): ParsedRunFile {
  requireSchema(members);
  const problems: RecordProblem[] = [];
  const read = <T>(reader: RecordReader<T>, value: unknown, path: string): T[] => {
    const checked = check(reader, value, path);
    if (checked.ok) return [checked.value];
    problems.push(...checked.problems);
    return [];
  };
  const readList = <T extends { readonly key: string }>(reader: RecordReader<T>, name: string): T[] => {
    const list = members[name];
    if (!Array.isArray(list)) {
      problems.push({ path: name, message: "the list is missing" });
      return [];
    }
    const records = list.flatMap((value, index) => read(reader, value, childPath(name, index)));
    problems.push(...repeatedKeys(records, name));
    return records;
  };
  const [run] = read(runReader, members.run, "run");
  const [background] =
    members.background === undefined ? [] : read(backgroundReader, members.background, "background");
  const bundle = {
    background: background ?? null,
    generations: readList(RECORD_READERS.generations, "generations"),
    activations: readList(RECORD_READERS.activations, "activations"),
    scores: readList(RECORD_READERS.scores, "scores"),
    embeddings: readList(RECORD_READERS.embeddings, "embeddings"),
  };
  const [analysis] =
    members.analysis === undefined
      ? []
      : read(analysisReader, withAnalysis(members.analysisRecord, members.analysis), "analysisRecord");
  if (run !== undefined) problems.push(...strayRecords(run.id, bundle, analysis ?? null));
  if (run === undefined || problems.length > 0) throw new RunFileError(problems);
  return { bundle: { run, ...bundle }, analysis: analysis ?? null };
}

/** The analysis stands on its own in a file, so that other programs find it; the record is put together again. */
function withAnalysis(record: unknown, analysis: unknown): unknown {
  return typeof record === "object" && record !== null ? { ...record, analysis } : record;
}

function requireSchema(members: Readonly<Record<string, unknown>>): void {
  const { schema, productVersion } = members;
  if (schema === RUN_FILE_SCHEMA) return;
  const [, version] = (typeof schema === "string" && /^sago-run-export\/(\d+)$/u.exec(schema)) || [];
  if (version === undefined) {
    throw new RunFileError([
      { path: "schema", message: `expected "${RUN_FILE_SCHEMA}", so this is no exported run` },
    ]);
  }
  const by = typeof productVersion === "string" ? ` (Sago ${productVersion})` : "";
  const message = `the file was written by a newer version${by}, in format ${version}. Open it with that version`;
  throw new RunFileError([{ path: "schema", message }]);
}

function repeatedKeys(records: readonly { readonly key: string }[], name: string): RecordProblem[] {
  const seen = new Set<string>();
  return records.flatMap(({ key }) => {
    const problem = { path: name, message: `the key "${key}" occurs more than once` };
    return seen.size === seen.add(key).size ? [problem] : [];
  });
}

function strayRecords(
  runId: string,
  bundle: Omit<RunBundle, "run">,
  analysis: AnalysisRecord | null,
): RecordProblem[] {
  const named = [
    ...[bundle.background].map((record) => ({ path: "background", record })),
    ...[analysis].map((record) => ({ path: "analysisRecord", record })),
    ...(["generations", "activations", "scores", "embeddings"] as const).flatMap((name) =>
      bundle[name].map((record, index) => ({ path: childPath(name, index), record })),
    ),
  ];
  return named.flatMap(({ path, record }) =>
    record === null || record.runId === runId
      ? []
      : [
          {
            path: childPath(path, "runId"),
            message: `the record belongs to run "${record.runId}", not "${runId}"`,
          },
        ],
  );
}

function withRunId({ bundle, analysis }: ParsedRunFile, runId: string): ParsedRunFile {
  const renamed = <T extends { readonly runId: string }>(record: T): T => ({ ...record, runId });
  return {
    bundle: {
      run: { ...bundle.run, id: runId },
      background: bundle.background === null ? null : renamed(bundle.background),
      generations: bundle.generations.map(renamed),
      activations: bundle.activations.map(renamed),
      scores: bundle.scores.map(renamed),
      embeddings: bundle.embeddings.map(renamed),
    },
    analysis:
      analysis === null ? null : { ...renamed(analysis), analysis: renamedContent(analysis.analysis, runId) },
  };
}

/** An analysis may name its run too. */
function renamedContent(analysis: unknown, runId: string): unknown {
  return typeof analysis === "object" && analysis !== null && "runId" in analysis
    ? { ...analysis, runId }
    : analysis;
}

/** The time of the last change tells nothing about what was computed, and neither does an analysis. */
function sameRun(present: RunBundle, imported: RunBundle): boolean {
  const comparable = ({ run, background, generations, activations, scores, embeddings }: RunBundle) => ({
    run: { ...run, updatedAt: "" },
    background,
    records: [generations, activations, scores, embeddings].map((records) =>
      Object.fromEntries(records.map((record) => [record.key, record])),
    ),
  });
  return sameValue(comparable(present), comparable(imported));
}
