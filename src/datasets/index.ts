/** Datasets: their schema and validation, the built-in sets, and comparing an answer with gold. */
export { DATASET_SCHEMA } from "./schema";
export type { Dataset, DatasetExample, DatasetKind, DatasetVariant } from "./schema";
export { parseDataset } from "./parse-dataset";
export type { DatasetProblem, ParsedDataset } from "./parse-dataset";
export { builtInDatasets, loadBackgroundPrompts, loadBuiltInDataset } from "./built-in-catalogue";
export type { BuiltInDataset } from "./built-in-catalogue";
export { comparableText, matchesGold } from "./gold";
export * from "./import/index.ts";
