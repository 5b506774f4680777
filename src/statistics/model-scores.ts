import { requireFinite, requireSameLength } from "./checks.ts";
import { clusterBootstrap, resampledMean, type ClusterBootstrap } from "./cluster-bootstrap.ts";
import type { RandomSource } from "./random-source.ts";

/** Scores of the compared models on the same examples of one data set. */
export interface DatasetScores {
  readonly dataset: string;
  /** scores[model][example], any unit; the models are in the same order in every data set. */
  readonly scores: readonly ArrayLike<number>[];
}

/** A pair of models by position, first < second. */
export type ModelPair = readonly [first: number, second: number];

export function modelPairs(models: number): ModelPair[] {
  return Array.from({ length: models }, (_, a) =>
    Array.from({ length: models - a - 1 }, (_, offset): ModelPair => [a, a + 1 + offset]),
  ).flat();
}

/** Number of models, the same in all data sets; 0 without data sets. */
export function checkedModels(datasets: readonly DatasetScores[]): number {
  const models = datasets[0]?.scores.length ?? 0;
  for (const { dataset, scores } of datasets) {
    if (scores.length !== models)
      throw new RangeError(`${dataset} has ${scores.length} models instead of ${models}`);
    scores.forEach((values, model) => {
      requireSameLength(scores[0] ?? [], values, `the models' scores on ${dataset}`);
      requireFinite(values, `${dataset}, model ${model}`);
    });
  }
  return models;
}

/** Bootstrap of the model means of one data set, followed by the difference first − second of each model pair. */
export function bootstrapModels(
  { scores }: DatasetScores,
  random: RandomSource,
  replications: number,
): ClusterBootstrap {
  const columns = scores.map((values) => Float64Array.from(values));
  const pairs = modelPairs(columns.length);
  return clusterBootstrap(
    columns[0]?.length ?? 0,
    (resample) => {
      const means = columns.map((column) => resampledMean(column, resample));
      const differences = pairs.map(([a, b]) => {
        const [first, second] = [means[a] ?? null, means[b] ?? null];
        return first === null || second === null ? null : first - second;
      });
      return [...means, ...differences];
    },
    random,
    replications,
  );
}
