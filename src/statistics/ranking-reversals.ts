import { bcaInterval, bootstrapPValue, type Interval } from "./bootstrap-interval.ts";
import { requireOpenUnit } from "./checks.ts";
import { DEFAULT_REPLICATIONS } from "./cluster-bootstrap.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import {
  bootstrapModels,
  checkedModels,
  modelPairs,
  type DatasetScores,
  type ModelPair,
} from "./model-scores.ts";
import { holm } from "./multiple-testing.ts";
import type { RandomSource } from "./random-source.ts";

/** Two models on one data set. */
export interface PairedComparison {
  readonly models: ModelPair;
  readonly dataset: number;
  /** Mean score of the first model minus that of the second. */
  readonly difference: number;
  /** At the stated confidence, for this comparison alone. */
  readonly interval: Estimable<Interval>;
  /** At the confidence that Holm's procedure asks of this comparison. */
  readonly adjustedInterval: Estimable<Interval>;
  readonly pValue: Estimable;
  /** Holm over the whole family; a comparison without a test counts as p = 1. */
  readonly adjustedP: number;
  /** The adjusted interval, and that of every comparison before it, excludes 0. */
  readonly excludesZero: boolean;
}

/** A difference between two models that changes sign between two data sets. */
export interface RankingReversal {
  readonly models: ModelPair;
  readonly datasets: readonly [number, number];
  readonly differences: readonly [number, number];
  /** Confirmed: both adjusted intervals exclude 0, on opposite sides. */
  readonly status: "confirmed" | "unresolved";
}

export interface RankingReversals {
  readonly comparisons: readonly PairedComparison[];
  /** All sign changes, confirmed ones first. */
  readonly reversals: readonly RankingReversal[];
  /** Comparisons in the family of Holm's procedure: model pairs × data sets. */
  readonly familySize: number;
  readonly replications: number;
}

/**
 * Which rankings reverse between data sets, and which of these are more than chance?
 *
 * Each model pair is compared on each data set by the paired differences of its examples (bootstrap by example,
 * BCa). Holm's procedure over all comparisons controls the chance of any wrong sign at 1 − confidence; a
 * reversal is confirmed where both of its comparisons exclude 0 on opposite sides, which is the qualitative
 * interaction of Gail & Simon (1985) in its conservative form. All other sign changes are unresolved.
 *
 * The number of resamples grows with the family, so that the tails that Holm asks for hold some.
 *
 * @returns reason `"empty"` without examples, `"too-few"` for fewer than two models or two data sets
 * @throws {RangeError} if the data sets differ in models, models in examples, or a score is not finite
 */
export function rankingReversals(
  datasets: readonly DatasetScores[],
  random: RandomSource,
  options: { readonly confidence?: number; readonly replications?: number } = {},
): Estimable<RankingReversals> {
  const { confidence = 0.95 } = options;
  requireOpenUnit(confidence, "confidence");
  const models = checkedModels(datasets);
  if (datasets.some(({ scores }) => scores[0]?.length === 0)) return notEstimable("empty");
  if (models < 2 || datasets.length < 2) return notEstimable("too-few");
  const pairs = modelPairs(models);
  const familySize = pairs.length * datasets.length;
  const replications =
    options.replications ?? Math.max(DEFAULT_REPLICATIONS, Math.ceil((20 * familySize) / (1 - confidence)));

  const drafts = datasets.flatMap((scores, dataset) => {
    const bootstrap = bootstrapModels(scores, random.split(dataset), replications);
    return pairs.map((pair, index) => {
      const which = models + index;
      return {
        models: pair,
        dataset,
        difference: bootstrap.estimates[which] ?? NaN,
        pValue: bootstrapPValue(bootstrap, which, 0),
        intervalAt: (level: number) => bcaInterval(bootstrap, which, level),
      };
    });
  });
  const adjusted = holm(drafts.map(({ pValue }) => pValue.value ?? 1));

  const comparisons = new Map<number, PairedComparison>();
  let rejected = 0;
  let stopped = false;
  const ascending = drafts
    .map((_, i) => i)
    .sort((a, b) => (adjusted[a] ?? NaN) - (adjusted[b] ?? NaN) || a - b);
  for (const i of ascending) {
    const draft = drafts[i];
    if (draft === undefined) continue;
    const { intervalAt, ...comparison } = draft;
    const adjustedInterval = intervalAt(1 - (1 - confidence) / (familySize - rejected));
    const range = adjustedInterval.value;
    const excludes = range !== null && (range.low > 0 || range.high < 0);
    if (!excludes) stopped = true;
    if (!stopped) rejected++;
    comparisons.set(i, {
      ...comparison,
      interval: intervalAt(confidence),
      adjustedInterval,
      adjustedP: adjusted[i] ?? NaN,
      excludesZero: !stopped,
    });
  }
  const inOrder = drafts.map((_, i) => comparisons.get(i)).filter((comparison) => comparison !== undefined);
  return estimable({ comparisons: inOrder, reversals: signChanges(inOrder), familySize, replications });
}

function signChanges(comparisons: readonly PairedComparison[]): RankingReversal[] {
  const reversals = comparisons.flatMap((first, i) =>
    comparisons.slice(i + 1).flatMap((second): RankingReversal[] => {
      const samePair = first.models[0] === second.models[0] && first.models[1] === second.models[1];
      if (!samePair || !(first.difference * second.difference < 0)) return [];
      return [
        {
          models: first.models,
          datasets: [first.dataset, second.dataset],
          differences: [first.difference, second.difference],
          status: first.excludesZero && second.excludesZero ? "confirmed" : "unresolved",
        },
      ];
    }),
  );
  return reversals.sort((a, b) => Number(b.status === "confirmed") - Number(a.status === "confirmed"));
}
