import { fixedResponseDistance, storedPartition, type PartitionedResponse } from "../../metrics/index.ts";
import type { ScoreRecord } from "../../storage/index.ts";
import type { AxisDistances, DistancesToOriginal, UnrelatedDistances } from "./axis-distances.ts";
import type { ExampleRecords, PromptRecords } from "./run-index.ts";

/** Next-token distributions of the original's answer under the prompt of a score record. */
export function partitionOf(score: ScoreRecord): PartitionedResponse {
  return storedPartition(score.partitionLogProbs, score.partitionSize);
}

/**
 * Distributions of one example after another in the same arrays: new ones for each of thousands of records would
 * keep the garbage collector busier than the arithmetic. What it returns is valid until `reset`.
 */
class Workspace {
  readonly #used: PartitionedResponse[] = [];
  readonly #free: PartitionedResponse[] = [];

  of({ partitionLogProbs, partitionSize }: ScoreRecord): PartitionedResponse {
    const partition = storedPartition(partitionLogProbs, partitionSize, this.#free.pop());
    this.#used.push(partition);
    return partition;
  }

  reset(): void {
    this.#free.push(...this.#used.splice(0));
  }
}

/**
 * Distances between the next-token distributions of each original's own answer, shown again under every wording.
 * Unrelated: the same answer under the prompt of another example.
 */
export function confidenceDistances(examples: readonly ExampleRecords[]): AxisDistances {
  const n = examples.length;
  const between = new Float64Array(n).fill(NaN);
  const nullEdits = new Float64Array(n).fill(NaN);
  const counts = { between: 0, rerun: 0, nullEdits: 0 };
  const toOriginal: DistancesToOriginal[] = [];
  const reasons: (string | null)[] = [];
  const workspace = new Workspace();
  const unrelated = new UnrelatedList(examples, workspace);
  const readable = ({ score }: PromptRecords): PartitionedResponse | null =>
    score === null || score.partitionLogProbs.length === 0 ? null : workspace.of(score);
  for (const [at, example] of examples.entries()) {
    workspace.reset();
    const [original = null, ...variants] = example.wordings.map(readable);
    const reason = reasonOf(example, [original, ...variants]);
    reasons.push(reason);
    if (original) unrelated.add(at, original, example.unrelatedScores);
    const apart = (other: PartitionedResponse | null) =>
      original && other ? distanceBetween(original, other) : null;
    const distances = {
      variants: variants.map(apart),
      nullEdits: example.nullEdits.map(({ records }) =>
        records === null ? (original ? 0 : null) : apart(readable(records)),
      ),
    };
    toOriginal.push(distances);
    const edits = distances.nullEdits.filter((distance) => distance !== null);
    if (edits.length > 0) nullEdits[at] = edits.reduce((sum, distance) => sum + distance, 0) / edits.length;
    counts.nullEdits += edits.length;
    if (reason !== null) continue;
    let sum = distances.variants.reduce<number>((total, distance) => total + (distance ?? 0), 0);
    let comparisons = variants.length;
    for (const [index, a] of variants.entries()) {
      for (const b of variants.slice(index + 1)) {
        if (!a || !b) continue;
        sum += distanceBetween(a, b);
        comparisons += 1;
      }
    }
    between[at] = sum / comparisons;
    counts.between += comparisons;
  }
  return {
    layers: 1,
    between,
    nullEdits,
    rerun: new Float64Array(n),
    unrelated: unrelated.done(),
    toOriginal,
    reasons,
    counts,
  };
}

function reasonOf(
  { original, wordings }: ExampleRecords,
  partitions: readonly (PartitionedResponse | null)[],
): string | null {
  if (wordings.length < 2) return "there is only one wording";
  if (original.generations[0].tokenIds.length === 0) return "the original's answer is empty";
  if (wordings.every(({ score }) => score === null)) return "the answer was not scored";
  return partitions.every((partition) => partition !== null) ? null : "scores of some wordings are missing";
}

function distanceBetween(a: PartitionedResponse, b: PartitionedResponse): number {
  const distance = fixedResponseDistance(a, b);
  if (distance === null) throw new RangeError("A score without positions was compared.");
  return distance.distance;
}

/** Pairs (example, unrelated example), the comparisons of each averaged. */
class UnrelatedList {
  readonly #positions: ReadonlyMap<string, number>;
  readonly #first: number[] = [];
  readonly #second: number[] = [];
  readonly #distances: number[] = [];
  #comparisons = 0;

  readonly #workspace: Workspace;

  constructor(examples: readonly ExampleRecords[], workspace: Workspace) {
    this.#workspace = workspace;
    this.#positions = new Map(examples.map(({ id }, at) => [id, at]));
  }

  /** Pairs whose other example is not complete yet are left out: resampling needs both. */
  add(at: number, original: PartitionedResponse, scores: readonly ScoreRecord[]): void {
    const byOther = new Map<number, number[]>();
    for (const score of scores) {
      const other = this.#positions.get(score.promptExampleId);
      if (other === undefined || other === at) continue;
      const distances = byOther.get(other) ?? [];
      distances.push(distanceBetween(original, this.#workspace.of(score)));
      byOther.set(other, distances);
      this.#comparisons += 1;
    }
    for (const [other, distances] of byOther) {
      this.#first.push(at);
      this.#second.push(other);
      this.#distances.push(distances.reduce((sum, distance) => sum + distance, 0) / distances.length);
    }
  }

  done(): UnrelatedDistances {
    return {
      first: Int32Array.from(this.#first),
      second: Int32Array.from(this.#second),
      distances: Float64Array.from(this.#distances),
      comparisons: this.#comparisons,
    };
  }
}
