/** The numbers of the four axes: pure functions over plain data, without randomness. */
export { measured, notEstimable } from "./measured.ts";
export type { Measured } from "./measured.ts";
export { decodeFloat16, encodeFloat16, float16Bits, float16Value } from "./float16.ts";
export { decodeCentred, encodeCentred } from "./centred-activations.ts";
export type { CentredActivations, LayerShape } from "./centred-activations.ts";
export {
  centredCosineDistance,
  cosineDistance,
  layerDistances,
  layerVectors,
  PairwiseLayerMean,
  ZERO_NORM,
} from "./layer-distance.ts";
export type { LayerVectors } from "./layer-distance.ts";
export { embeddingDistance } from "./embedding-distance.ts";
export { generalisedJensenShannonNats, jensenShannonBits, jensenShannonNats } from "./jensen-shannon.ts";
export {
  fixedResponseDistance,
  jensenShannonDistance,
  partitionedResponse,
  positionDivergences,
  storedPartition,
} from "./fixed-response-divergence.ts";
export type { FixedResponseDistance, PartitionedResponse } from "./fixed-response-divergence.ts";
export { calibrated, MINIMAL_SPAN } from "./calibrated-scale.ts";
export { STYLE_FEATURES, styleSimilarity, styleVector } from "./style-features.ts";
export type { StyleFeature } from "./style-features.ts";
export {
  leakageSlope,
  matchedMinusMismatched,
  mirroringInstability,
  pairingMatrix,
} from "./matched-style.ts";
export type { MatchedStyle, PairingMatrix } from "./matched-style.ts";
export { isConstant, isEmptyResponse, isLooping, repeatedShare } from "./degeneracy.ts";
export { bleu, tokens13a } from "./bleu.ts";
export { chrf2, chrfDistance } from "./chrf.ts";
export { rougeL } from "./rouge-l.ts";
export { rescaled, tokenMatching } from "./token-matching.ts";
export type { TokenMatching, TokenMatrix } from "./token-matching.ts";
export { answerClass, pairwiseAgreement, REFUSAL } from "./answer-agreement.ts";
export {
  clusterEntropyNats,
  normalisedClusterEntropy,
  variantInformationAboveChance,
  variantInformationNats,
} from "./cluster-entropy.ts";
export {
  biasedCka,
  debiasedCka,
  gramAlignment,
  gramOf,
  gramRsa,
  relativeL2,
  rsa,
  zScored,
} from "./representation-similarity.ts";
export {
  entropyNats,
  margin,
  meanLogProbNats,
  normalisedEntropy,
  perplexity,
  posix,
  probabilityTrue,
  softmax,
} from "./response-certainty.ts";
export { auroc, brierScore, expectedCalibrationError } from "./calibration.ts";
export type { JudgedConfidence } from "./calibration.ts";
export { copyRate, functionWordPercentages, languageStyleMatching } from "./style-matching.ts";
export {
  formatSpread,
  predictionConsistency,
  predictionSensitivity,
  promptSensitivity,
} from "./sensitivity-indices.ts";
export {
  abnormalCasePercentage,
  extraSpaceRate,
  mirrorsPerturbation,
  PAPER_RANGES,
  paperScore,
  paperSensitivity,
  repeatedMarkRate,
} from "./paper-mode.ts";
export type { PaperPerturbation } from "./paper-mode.ts";
