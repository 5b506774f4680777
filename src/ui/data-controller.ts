/** The part of the contract that is about the reader's own sets. Every promise may reject with a sentence for the reader. */
import type { Dataset, DatasetExample, ImportMapping } from "../datasets/index.ts";
import type { StoredDataset } from "../storage/index.ts";
import type { FamilyChoice } from "../variants/index.ts";
import type { ImportOutcome, MeaningCheck, NamedBlob, OpenedImport } from "../workers/index.ts";
import type { Readable } from "./controller.ts";

export type {
  Cell,
  Dataset,
  DatasetExample,
  DatasetVariant,
  ImportMapping,
  ImportProblem,
  TablePreview,
  WordingColumn,
} from "../datasets/index.ts";
export type { StoredDataset } from "../storage/index.ts";
export type { ImportOutcome, MeaningCheck, NamedBlob, OpenedImport, ProblemList } from "../workers/index.ts";

export interface DataController {
  readonly sets: Readable<readonly StoredDataset[]>;
  openFiles(files: readonly NamedBlob[]): Promise<OpenedImport>;
  /** What a choice of columns would make of the opened files. */
  tryMapping(mapping: ImportMapping): Promise<ImportOutcome>;
  /** Stores it and gives the new set's id. */
  saveImport(mapping: ImportMapping): Promise<string>;
  saveDataset(dataset: Dataset): Promise<string>;
  /** A copy to edit, of a built-in set or another. */
  copy(id: string): Promise<string>;
  remove(id: string): Promise<void>;
  exportJson(id: string): Promise<Blob>;
  /** Questions `from` … `from + count − 1` of those that hold `find`. */
  page(
    id: string,
    find: string,
    from: number,
    count: number,
  ): Promise<{
    readonly dataset: Omit<Dataset, "examples">;
    readonly examples: readonly DatasetExample[];
    readonly total: number;
  }>;
  saveExample(id: string, exampleId: string, example: DatasetExample): Promise<void>;
  generateForAll(
    id: string,
    choices: readonly FamilyChoice[],
    seed: number,
  ): Promise<{ readonly added: number; readonly refused: number }>;
  /** What the meaning gate of a run would say; loads the sentence encoder. */
  checkMeaning(id: string, original: string, texts: readonly string[]): Promise<MeaningCheck>;
}
