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
