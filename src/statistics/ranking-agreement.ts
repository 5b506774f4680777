import { MINIMUM_EXAMPLES_FOR_INTERVAL } from "./bootstrap-interval.ts";
import { DEFAULT_REPLICATIONS } from "./cluster-bootstrap.ts";
import { requireOpenUnit } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { KendallPair, kendallTau } from "./kendall-tau.ts";
import { bootstrapModels, checkedModels, type DatasetScores } from "./model-scores.ts";
import { meanOf, quantileOfSorted } from "./moments.ts";
import type { RandomSource } from "./random-source.ts";

/** How far two data sets rank the models alike. */
export interface RankingAgreement {
  readonly datasets: readonly [number, number];
  /** Kendall's τ_b of the model means: 1 same order, −1 opposite. */
  readonly tau: number;
  /** Exact, two-sided; cannot fall below `smallestP` = 2/m!, which for m ≤ 4 models is above .05. */
  readonly pValue: number;
  readonly smallestP: number;
  /** Percentile interval; both data sets resampled by example, independently of each other. */
  readonly interval: Estimable<{ readonly low: number; readonly high: number; readonly confidence: number }>;
}

/**
 * Kendall's τ_b between the rankings that each pair of data sets gives, with a bootstrap interval.
 *
 * @returns reason `"empty"` without examples, `"too-few"` for fewer than three models or two data sets; within,
 *   a pair has `"zero-variance"` if all models have the same mean on one data set; the interval has `"too-few"`
 *   below 4 examples and `"undefined-in-resamples"` if over 5 % of the resamples rank nothing
 * @throws {RangeError} if the data sets differ in models, models in examples, or a score is not finite
 */
export function rankingAgreement(
  datasets: readonly DatasetScores[],
  random: RandomSource,
  options: { readonly confidence?: number; readonly replications?: number } = {},
): Estimable<readonly Estimable<RankingAgreement>[]> {
  const { confidence = 0.95, replications = DEFAULT_REPLICATIONS } = options;
  requireOpenUnit(confidence, "confidence");
  const models = checkedModels(datasets);
  if (datasets.some(({ scores }) => scores[0]?.length === 0)) return notEstimable("empty");
  if (models < 3 || datasets.length < 2) return notEstimable("too-few");
  const resampled = datasets.map((scores, i) => {
    const { replicates } = bootstrapModels(scores, random.split(i), replications);
    return {
      examples: scores.scores[0]?.length ?? 0,
      means: scores.scores.map(meanOf),
      replicates: replicates.slice(0, models),
    };
  });
  return estimable(
    resampled.flatMap((first, a) =>
      resampled.slice(a + 1).map((second, offset): Estimable<RankingAgreement> => {
        const test = kendallTau(first.means, second.means);
        if (test.value === null) return test;
        const { tau, pValue, smallestP } = test.value;
        const few = Math.min(first.examples, second.examples) < MINIMUM_EXAMPLES_FOR_INTERVAL;
        const interval = few
          ? notEstimable("too-few")
          : tauInterval(first.replicates, second.replicates, replications, confidence);
        return estimable({ datasets: [a, a + 1 + offset] as const, tau, pValue, smallestP, interval });
      }),
    ),
  );
}

function tauInterval(
  first: readonly Float64Array[],
  second: readonly Float64Array[],
  replications: number,
  confidence: number,
): RankingAgreement["interval"] {
  const ones = new Int32Array(first.length).fill(1);
  const taus: number[] = [];
  for (let replicate = 0; replicate < replications; replicate++) {
    const at = (columns: readonly Float64Array[]): number[] =>
      columns.map((column) => column[replicate] ?? NaN);
    const tau = new KendallPair(at(first), at(second)).tau(ones);
    if (tau !== null) taus.push(tau);
  }
  if (taus.length < 0.95 * replications) return notEstimable("undefined-in-resamples");
  const sorted = Float64Array.from(taus).sort();
  return estimable({
    low: quantileOfSorted(sorted, 0.5 - confidence / 2),
    high: quantileOfSorted(sorted, 0.5 + confidence / 2),
    confidence,
  });
}
