import { embeddingDistance } from "../../metrics/index.ts";
import type { AxisDistances, DistancesToOriginal } from "./axis-distances.ts";
import type { ExampleRecords, PromptRecords } from "./run-index.ts";
import { sameFamilyPairs, type ExamplePairList } from "./unrelated-pairs.ts";

/** Distances between responses in meaning; of sampled answers, averages over their repeats. */
export function generationDistances(
  examples: readonly ExampleRecords[],
  pairs: ExamplePairList,
): AxisDistances {
  const n = examples.length;
  const between = new Float64Array(n).fill(NaN);
  const nullEdits = new Float64Array(n).fill(NaN);
  const rerun = new Float64Array(n);
  const counts = { between: 0, rerun: 0, nullEdits: 0 };
  const toOriginal: DistancesToOriginal[] = [];
  const reasons: (string | null)[] = [];
  for (const [at, example] of examples.entries()) {
    const { wordings, original } = example;
    let sum = 0;
    let comparisons = 0;
    for (const [index, wording] of wordings.entries()) {
      for (const other of wordings.slice(index + 1)) {
        sum += answersApart(wording, other);
        comparisons += 1;
      }
    }
    if (comparisons > 0) between[at] = sum / comparisons;
    counts.between += comparisons;
    reasons.push(comparisons > 0 ? null : "there is only one wording");
    const within = wordings.map((wording) => repeatsApart(wording));
    rerun[at] = within.reduce((total, value) => total + value, 0) / within.length;
    counts.rerun += wordings.reduce(
      (total, { embeddings: { length } }) => total + (length * (length - 1)) / 2,
      0,
    );
    const distances = {
      variants: example.variants.map((variant) => answersApart(original, variant)),
      // To the model the prompt is the original, so its answer is one more answer to the original.
      nullEdits: example.nullEdits.map(({ records }) =>
        records === null ? repeatsApart(original) : answersApart(original, records),
      ),
    };
    toOriginal.push(distances);
    if (distances.nullEdits.length > 0) {
      nullEdits[at] =
        distances.nullEdits.reduce((total, value) => total + value, 0) / distances.nullEdits.length;
    }
    counts.nullEdits += distances.nullEdits.length;
  }
  const unrelated = unrelatedAnswers(examples, pairs);
  return { layers: 1, between, nullEdits, rerun, unrelated, toOriginal, reasons, counts };
}

/** Mean distance over all pairs of an answer to the one prompt and an answer to the other. */
export function answersApart(a: PromptRecords, b: PromptRecords): number {
  let sum = 0;
  for (const x of a.embeddings) for (const y of b.embeddings) sum += embeddingDistance(x, y);
  return sum / (a.embeddings.length * b.embeddings.length);
}

/** Mean distance between the repeats of one prompt; 0 where there is only one. */
export function repeatsApart({ embeddings }: PromptRecords): number {
  let sum = 0;
  let comparisons = 0;
  for (const [index, x] of embeddings.entries()) {
    for (const y of embeddings.slice(index + 1)) {
      sum += embeddingDistance(x, y);
      comparisons += 1;
    }
  }
  return comparisons === 0 ? 0 : sum / comparisons;
}

function unrelatedAnswers(examples: readonly ExampleRecords[], { first, second }: ExamplePairList) {
  const distances = new Float64Array(first.length).fill(NaN);
  let comparisons = 0;
  for (let pair = 0; pair < first.length; pair += 1) {
    const a = examples[first[pair] ?? -1];
    const b = examples[second[pair] ?? -1];
    if (!a || !b) continue;
    let sum = 0;
    let count = 0;
    for (const [x, y] of sameFamilyPairs(a, b)) {
      // Repeats of unrelated prompts are independent, so each is compared once.
      for (const [repeat, embedding] of x.embeddings.entries()) {
        const other = y.embeddings[repeat];
        if (other === undefined) continue;
        sum += embeddingDistance(embedding, other);
        count += 1;
      }
    }
    if (count > 0) distances[pair] = sum / count;
    comparisons += count;
  }
  return { first, second, distances, comparisons };
}
