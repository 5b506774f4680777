/** Statistics: tests, intervals, resampling, rankings. Pure functions; randomness comes in as an argument. */
export type { Alternative } from "./alternative.ts";
export {
  bcaInterval,
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
export { wilsonInterval, type Proportion } from "./wilson-interval.ts";
export { withinExamplePermutation, type TwoGroups } from "./within-example-permutation.ts";
