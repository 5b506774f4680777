import {
  activationReader,
  backgroundReader,
  embeddingReader,
  generationReader,
  scoreReader,
  type RecordReader,
} from "./record-schemas.ts";
import type {
  ActivationRecord,
  BackgroundRecord,
  EmbeddingRecord,
  GenerationRecord,
  ScoreRecord,
} from "./records.ts";
import { check, type RecordProblem } from "./validation.ts";

/** The tables that hold what a run computed, in the order of an export. */
export const RECORD_TABLES = ["backgrounds", "generations", "activations", "scores", "embeddings"] as const;
export type RecordTable = (typeof RECORD_TABLES)[number];

/** What each table holds. */
export interface RecordTypes {
  backgrounds: BackgroundRecord;
  generations: GenerationRecord;
  activations: ActivationRecord;
  scores: ScoreRecord;
  embeddings: EmbeddingRecord;
}

export const RECORD_READERS: { readonly [T in RecordTable]: RecordReader<RecordTypes[T]> } = {
  backgrounds: backgroundReader,
  generations: generationReader,
  activations: activationReader,
  scores: scoreReader,
  embeddings: embeddingReader,
};

/** Records by table; a table that is left out is not touched. */
export type RecordsByTable = { readonly [T in RecordTable]?: readonly RecordTypes[T][] };

/** A stored record that cannot be used. It is left out of every result. */
export interface BrokenRecord {
  readonly table: RecordTable | "runs" | "analyses";
  readonly runId: string;
  readonly key: string;
  readonly problems: readonly RecordProblem[];
}

/** Separates what a table's schema can read from what it cannot; keeps the order. */
export function readRecords<T extends RecordTable>(
  table: T,
  runId: string,
  values: readonly unknown[],
): { readonly records: RecordTypes[T][]; readonly broken: BrokenRecord[] } {
  const reader = RECORD_READERS[table];
  const records: RecordTypes[T][] = [];
  const broken: BrokenRecord[] = [];
  for (const value of values) {
    const checked = check(reader, value, table);
    if (checked.ok) records.push(checked.value);
    else broken.push({ table, runId, key: keyOf(value), problems: checked.problems });
  }
  return { records, broken };
}

/** The key of a value that may not be a record. */
export function keyOf(value: unknown): string {
  const key: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "key") : undefined;
  return typeof key === "string" ? key : "unknown";
}
