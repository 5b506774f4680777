import { answerClass, embeddingDistance } from "../../../metrics/index.ts";
import { quantile } from "../../../statistics/index.ts";
import type { ExampleRecords, PromptRecords, RunIndex } from "../run-index.ts";
import type { ExamplePairList } from "../unrelated-pairs.ts";

/** Answers closer than this share of the distances between unrelated answers count as one group. */
const UNRELATED_QUANTILE = 0.05;

/** How answers were put into groups. Neither way is entailment, so nothing made from them is "semantic entropy". */
export interface AnswerGroups {
  /** Completes "over …": "equal answers", "similar answers (sentence encoder)". */
  readonly name: string;
  /** [examples][wordings][repeats], the group of each answer. */
  readonly groups: readonly (readonly (readonly string[])[])[];
  /** Encoder distance below which free texts share a group; null where groups are equal answers. */
  readonly threshold: number | null;
}

/**
 * Groups of answers within each example: short answers by their normalised text, free text by the encoder, with a
 * threshold that the run itself sets (the 5th percentile of the distances between unrelated answers).
 */
export function answerGroups({ examples, spec }: RunIndex, pairs: ExamplePairList): AnswerGroups {
  if (spec.dataset.kind !== "free-text") {
    return {
      name: "equal answers",
      groups: examples.map(({ wordings }) =>
        wordings.map(({ generations }) => generations.map(({ text }) => answerClass(text))),
      ),
      threshold: null,
    };
  }
  const unrelated: number[] = [];
  for (const [pair, first] of pairs.first.entries()) {
    const a = examples[first]?.original.embeddings[0];
    const b = examples[pairs.second[pair] ?? -1]?.original.embeddings[0];
    if (a && b) unrelated.push(embeddingDistance(a, b));
  }
  // One question alone has no unrelated answer; then only answers of the very same meaning vector are one group.
  const threshold = unrelated.length === 0 ? 0 : (quantile(unrelated, UNRELATED_QUANTILE).value ?? 0);
  return {
    name: "similar answers (sentence encoder)",
    groups: examples.map((example) => groupsByEncoder(example, threshold)),
    threshold,
  };
}

function groupsByEncoder({ wordings }: ExampleRecords, threshold: number): string[][] {
  const all = wordings.flatMap(({ embeddings }) => embeddings);
  const labels = completeLinkage(all, threshold);
  let from = 0;
  return wordings.map(({ embeddings: { length } }: PromptRecords) => labels.slice(from, (from += length)));
}

/**
 * Agglomerative grouping by complete linkage: the two groups whose farthest members are nearest are joined until that
 * distance exceeds the threshold. Unlike greedy grouping it does not depend on the order of the answers, ties aside.
 */
export function completeLinkage(embeddings: readonly (Float32Array | null)[], threshold: number): string[] {
  const groups = embeddings.map((_, at) => [at]);
  const distances = embeddings.map((a) => embeddings.map((b) => embeddingDistance(a, b)));
  const farthest = (a: readonly number[], b: readonly number[]) =>
    Math.max(...a.flatMap((i) => b.map((j) => distances[i]?.[j] ?? Infinity)));
  for (;;) {
    let best = { distance: Infinity, a: -1, b: -1 };
    for (const [a, left] of groups.entries()) {
      for (let b = a + 1; b < groups.length; b += 1) {
        const distance = farthest(left, groups[b] ?? []);
        if (distance < best.distance) best = { distance, a, b };
      }
    }
    // Rounding keeps equal vectors a little apart.
    if (best.a < 0 || best.distance > threshold + 1e-9) break;
    groups[best.a]?.push(...(groups[best.b] ?? []));
    groups.splice(best.b, 1);
  }
  const labels = embeddings.map(() => "");
  for (const [group, members] of groups.entries()) for (const at of members) labels[at] = `group ${group}`;
  return labels;
}
