import { float16Table } from "./float16.ts";
import { xLogX } from "./jensen-shannon.ts";
import { tableLog } from "./table-log.ts";

/**
 * Next-token distributions at the T positions of one fixed response, over one partition that all wordings
 * share: the K tokens that were likeliest under the original, and everything else pooled as "other". A
 * divergence over a partition never exceeds the one over the whole vocabulary (data-processing inequality).
 */
export interface PartitionedResponse {
  readonly positions: number;
  /** K + 1. */
  readonly outcomes: number;
  /** [T × (K + 1)], "other" last in each row; rows sum to 1. */
  readonly probabilities: Float64Array;
  /** [T], nats. */
  readonly entropies: Float64Array;
  /** [T], probability of the K tokens together, before "other": the covered mass. */
  readonly covered: Float64Array;
}

/**
 * @param logProbs - [T × K] log-probabilities (nats)
 * @param into - a result of the same shape that is no longer needed; its arrays are overwritten and returned
 * @throws {RangeError} if the length is no multiple of K, or a value is NaN or positive beyond rounding
 */
export function partitionedResponse(
  logProbs: Float32Array,
  partitionSize: number,
  into?: PartitionedResponse,
): PartitionedResponse {
  const probabilities = Float64Array.from(logProbs, Math.exp);
  return partitionOf(logProbs.length, partitionSize, into, probabilities, logProbs, null);
}

/**
 * {@link partitionedResponse} of log-probabilities as they are stored: binary16 bit patterns. There are only 65,536 of
 * them, so their exponentials come from a table.
 */
export function storedPartition(
  bits: Uint16Array,
  partitionSize: number,
  into?: PartitionedResponse,
): PartitionedResponse {
  return partitionOf(bits.length, partitionSize, into, exponentials(), float16Table(), bits);
}

let exponentialTable: Float64Array | null = null;

function exponentials(): Float64Array {
  exponentialTable ??= Float64Array.from(float16Table(), Math.exp);
  return exponentialTable;
}

/**
 * @param exps - probabilities, by position or, where there are `bits`, by bit pattern
 * @param logs - their logarithms, likewise
 */
function partitionOf(
  length: number,
  partitionSize: number,
  into: PartitionedResponse | undefined,
  exps: Float64Array,
  logs: Float32Array,
  bits: Uint16Array | null,
): PartitionedResponse {
  if (!(partitionSize > 0) || length % partitionSize !== 0) {
    throw new RangeError(`${length} log-probabilities are not rows of ${partitionSize}.`);
  }
  const positions = length / partitionSize;
  const outcomes = partitionSize + 1;
  const recycled = into?.positions === positions && into.outcomes === outcomes ? into : null;
  const probabilities = recycled?.probabilities ?? new Float64Array(positions * outcomes);
  const entropies = recycled?.entropies ?? new Float64Array(positions);
  const covered = recycled?.covered ?? new Float64Array(positions);
  for (let position = 0; position < positions; position += 1) {
    const row = position * outcomes;
    const start = position * partitionSize;
    let sum = 0;
    // Σ p ln p comes from the given logarithms: taking millions of them again would cost seconds.
    let sumOfXLogX = 0;
    for (let at = 0; at < partitionSize; at += 1) {
      const place = bits === null ? start + at : (bits[start + at] ?? 0);
      const logProb = logs[place] ?? NaN;
      if (!(logProb <= 0.01))
        throw new RangeError(`Position ${position} has the log-probability ${logProb}.`);
      const probability = exps[place] ?? NaN;
      probabilities[row + at] = probability;
      sum += probability;
      if (probability > 0) sumOfXLogX += probability * logProb;
    }
    covered[position] = Math.min(1, sum);
    const other = Math.max(0, 1 - sum);
    probabilities[row + partitionSize] = other;
    if (sum <= 1) {
      entropies[position] = -sumOfXLogX - xLogX(other);
      continue;
    }
    // Rounding can lift the sum a little over 1; the row must stay a distribution.
    for (let at = row; at < row + partitionSize; at += 1) probabilities[at] = (probabilities[at] ?? 0) / sum;
    entropies[position] = Math.log(sum) - sumOfXLogX / sum;
  }
  return { positions, outcomes, probabilities, entropies, covered };
}

/**
 * Jensen–Shannon divergence at every position, bits, each in [0, 1].
 *
 * Half of the work of the definition is in `entropies`, computed once a wording: a pair then costs one
 * logarithm per outcome.
 * @throws {RangeError} if the two do not share one partition
 */
export function positionDivergences(a: PartitionedResponse, b: PartitionedResponse): Float64Array {
  if (a.positions !== b.positions || a.outcomes !== b.outcomes) {
    throw new RangeError("The two responses were scored over different partitions.");
  }
  const divergences = new Float64Array(a.positions);
  const p = a.probabilities;
  const q = b.probabilities;
  for (let position = 0; position < a.positions; position += 1) {
    let mixed = 0;
    const end = (position + 1) * a.outcomes;
    for (let at = end - a.outcomes; at < end; at += 1) {
      const middle = ((p[at] ?? 0) + (q[at] ?? 0)) / 2;
      // Below the smallest normal number a term is 0 to every digit that counts.
      if (middle > 1e-300) mixed -= middle * tableLog(middle);
    }
    const nats = mixed - ((a.entropies[position] ?? 0) + (b.entropies[position] ?? 0)) / 2;
    // Below this it is rounding, whose square root would no longer look like it.
    divergences[position] = nats < 1e-12 ? 0 : Math.min(1, nats / Math.LN2);
  }
  return divergences;
}

/** Distances of one pair of wordings, each in [0, 1]. */
export interface FixedResponseDistance {
  /** Square root of the mean divergence over positions. */
  readonly distance: number;
  /** Square root of the divergence at the first token. */
  readonly firstToken: number;
}

/**
 * How differently two wordings make the model read the same response: sqrt of the Jensen–Shannon divergence
 * (bits) averaged over its tokens. The square root makes each position's divergence a metric (Endres &
 * Schindelin 2003).
 *
 * @returns null for a response without tokens
 */
export function fixedResponseDistance(
  a: PartitionedResponse,
  b: PartitionedResponse,
): FixedResponseDistance | null {
  const divergences = positionDivergences(a, b);
  const first = divergences[0];
  if (first === undefined) return null;
  const sum = divergences.reduce((total, value) => total + value, 0);
  return { distance: Math.sqrt(sum / divergences.length), firstToken: Math.sqrt(first) };
}

/**
 * {@link fixedResponseDistance} straight from two arrays of log-probabilities over one shared partition.
 *
 * @param a - [T × K], nats
 * @param b - as `a`
 * @returns null for a response without tokens
 */
export function jensenShannonDistance(
  a: Float32Array,
  b: Float32Array,
  partitionSize: number,
): number | null {
  const distance = fixedResponseDistance(
    partitionedResponse(a, partitionSize),
    partitionedResponse(b, partitionSize),
  );
  return distance?.distance ?? null;
}
