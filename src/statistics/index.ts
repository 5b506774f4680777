/** Statistics: tests, intervals, resampling, rankings. Pure functions; randomness comes in as an argument. */
export type { Alternative } from "./alternative.ts";
export {
  bcaInterval,
  expandedInterval,
  bootstrapPValue,
  meanWithInterval,
  MINIMUM_EXAMPLES_FOR_INTERVAL,
  percentileInterval,
  type Interval,
  type MeanWithInterval,
} from "./bootstrap-interval.ts";
export {
  clusterBootstrap,
  DEFAULT_REPLICATIONS,
  resampledMean,
  resampledPairMean,
  type ClusterBootstrap,
  type ExamplePairs,
  type Resample,
  type Statistics,
} from "./cluster-bootstrap.ts";
export {
  estimable,
  explainNotEstimable,
  notEstimable,
  type Estimable,
  type NotEstimableReason,
} from "./estimable.ts";
export { mean, quantile, rootMeanSquare, standardDeviation, variance } from "./moments.ts";
export { benjaminiHochberg, holm } from "./multiple-testing.ts";
export { normalCdf, normalQuantile } from "./normal-distribution.ts";
export { oneSampleT, type OneSampleT } from "./one-sample-t.ts";
export { pairingPermutation, pooledPairingPermutation, type PairingTest } from "./pairing-permutation.ts";
export {
  DEFAULT_EXACT_LIMIT,
  DEFAULT_PERMUTATIONS,
  type PermutationOptions,
  type PermutationTest,
} from "./permutation-count.ts";
export { createRandom, type RandomSource } from "./random-source.ts";
export {
  betweenWithin,
  sampledExcessPermutation,
  type BetweenWithin,
  type SampledExample,
} from "./sampled-excess-permutation.ts";
export { signFlipTest, type SignFlipTest } from "./sign-flip-test.ts";
export { wilcoxonSignedRank, type WilcoxonTest } from "./wilcoxon-signed-rank.ts";
export { shareInterval } from "./share-interval.ts";
export { wilsonInterval, type Proportion } from "./wilson-interval.ts";
export { withinExamplePermutation, type TwoGroups } from "./within-example-permutation.ts";
export { partialCorrelation, pearson, spearman } from "./correlation.ts";
export {
  correlationMatrix,
  correlationWithInterval,
  type CorrelatedPair,
  type CorrelationKind,
  type CorrelationMatrix,
  type CorrelationOptions,
  type WithInterval,
} from "./correlation-intervals.ts";
export { distanceCorrelation, type DistanceCorrelation } from "./distance-correlation.ts";
export {
  DEFAULT_EQUIVALENCE_BOUND,
  EQUIVALENCE_CONFIDENCE,
  equivalenceByInterval,
  type Equivalence,
} from "./equivalence.ts";
export { kendallTau, type KendallTau } from "./kendall-tau.ts";
export type { DatasetScores, ModelPair } from "./model-scores.ts";
export { orderProbability, type OrderProbability } from "./order-probability.ts";
export { participationRatio } from "./participation-ratio.ts";
export { rankingAgreement, type RankingAgreement } from "./ranking-agreement.ts";
export {
  rankingReversals,
  type PairedComparison,
  type RankingReversal,
  type RankingReversals,
} from "./ranking-reversals.ts";
export { disattenuate, spearmanBrown, splitHalfReliability, type SplitHalf } from "./reliability.ts";
export {
  detectableEffect,
  examplesForComparison,
  examplesForDetection,
  smallestPairingP,
  smallestRankP,
  smallestSampledP,
  smallestSignFlipP,
  smallestWithinExampleP,
  type ComparisonDesign,
} from "./sample-size.ts";
export { varianceComponents, type VarianceComponents } from "./variance-components.ts";
export { weightRobustness, type PairRobustness } from "./weight-robustness.ts";
