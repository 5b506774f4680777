import { requireFinite, requireOpenUnit, requireWhole } from "./checks.ts";
import {
  clusterBootstrap,
  DEFAULT_REPLICATIONS,
  resampledMean,
  type ClusterBootstrap,
} from "./cluster-bootstrap.ts";
import { estimable, notEstimable, type Estimable, type NotEstimableReason } from "./estimable.ts";
import { isConstant, meanOf, quantileOfSorted } from "./moments.ts";
import { normalCdf, normalQuantile } from "./normal-distribution.ts";
import type { RandomSource } from "./random-source.ts";
import { studentQuantile } from "./student-t-distribution.ts";

/** With fewer examples no interval is given: resamples of three take only ten different forms. */
export const MINIMUM_EXAMPLES_FOR_INTERVAL = 4;
/** An interval is refused if the statistic is missing in more than this share of the resamples. */
const LARGEST_MISSING_SHARE = 0.05;

export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
  readonly method: "bca" | "percentile";
  /** Resamples in which the statistic did not exist; the interval rests on the others. */
  readonly missingReplicates: number;
  /** BCa only: median bias z₀ (normal scale) and acceleration a. */
  readonly bias: number | null;
  readonly acceleration: number | null;
}

/**
 * Bias-corrected and accelerated bootstrap interval (Efron 1987) of one statistic of a cluster bootstrap.
 *
 * z₀ = Φ⁻¹(share of replicates below the estimate, ties counted half); a = Σd³ / (6 (Σd²)^{3/2}) with d the
 * jackknife mean minus the jackknife values. Quantiles of the replicates by linear interpolation.
 *
 * @param which - index of the statistic
 * @returns reason `"empty"` for n = 0, `"too-few"` for n < 4, `"zero-variance"` if all replicates or all
 *   jackknife values are the same, `"undefined-in-resamples"` if the statistic is missing for the data itself,
 *   with some example left out, or in over 5 % of the resamples, `"bias-out-of-range"` if all replicates lie
 *   on one side of the estimate
 * @throws {RangeError} if the confidence lies outside (0, 1) or there is no such statistic
 */
export function bcaInterval(
  bootstrap: ClusterBootstrap,
  which: number,
  confidence = 0.95,
): Estimable<Interval> {
  const prepared = prepare(bootstrap, which, confidence);
  if (prepared.value === null) return prepared;
  const { estimate, sorted, missing } = prepared.value;
  const jackknife = columnOf(bootstrap.jackknife, which);
  if (jackknife.some(Number.isNaN)) return notEstimable("undefined-in-resamples");
  if (isConstant(jackknife)) return notEstimable("zero-variance");
  const below = shareBelow(sorted, estimate);
  if (below <= 0 || below >= 1) return notEstimable("bias-out-of-range");
  const bias = normalQuantile(below);
  const acceleration = accelerationOf(jackknife);
  const endpoint = (z: number): number => {
    const shifted = bias + z;
    // Where 1 − a(z₀ + z) ≤ 0 the formula has passed its pole: the end of the range is meant.
    const scale = 1 - acceleration * shifted;
    const probability =
      scale > 0 ? normalCdf(bias + shifted / scale) : Number(acceleration * shifted > 0 && z > 0);
    return quantileOfSorted(sorted, probability);
  };
  const z = normalQuantile(0.5 + confidence / 2);
  return estimable({
    low: endpoint(-z),
    high: endpoint(z),
    confidence,
    method: "bca",
    missingReplicates: missing,
    bias,
    acceleration,
  });
}

/**
 * Confidence to ask of a bootstrap interval so that it is not too narrow for few examples.
 *
 * Resamples of n examples vary by √((n−1)/n) less than samples do, and normal quantiles leave out that the spread
 * itself is estimated. Both are mended by taking, instead of z, √(n/(n−1)) times the quantile of Student's t with n − 1
 * degrees of freedom ("expanded" interval).
 *
 * @param examples - n ≥ 2
 * @returns the wider confidence, in (confidence, 1)
 * @throws {RangeError} for fewer than 2 examples or a confidence outside (0, 1)
 * @see Hesterberg 2015, "What teachers should know about the bootstrap", §5.3
 * @example expandedConfidence(32) // 0.9617…
 */
export function expandedConfidence(examples: number, confidence = 0.95): number {
  requireWhole(examples, "examples", 2);
  requireOpenUnit(confidence, "confidence");
  const wider = Math.sqrt(examples / (examples - 1)) * studentQuantile(0.5 + confidence / 2, examples - 1);
  return 1 - 2 * normalCdf(-wider);
}

/**
 * `bcaInterval`, or `percentileInterval`, at the expanded confidence: what the page shows. Its `confidence` is the one
 * that was asked for. Reasons and errors as for `bcaInterval`.
 */
export function expandedInterval(
  bootstrap: ClusterBootstrap,
  which: number,
  confidence = 0.95,
  method: Interval["method"] = "bca",
): Estimable<Interval> {
  // Too few examples have no interval at any confidence, and the reason is the usual one.
  const tooFew = bootstrap.examples < MINIMUM_EXAMPLES_FOR_INTERVAL;
  const asked = tooFew ? confidence : expandedConfidence(bootstrap.examples, confidence);
  const interval = (method === "bca" ? bcaInterval : percentileInterval)(bootstrap, which, asked);
  return interval.value === null ? interval : estimable({ ...interval.value, confidence });
}

/**
 * Percentile bootstrap interval: the central share of the replicates. Reasons and errors as for `bcaInterval`,
 * without those about the jackknife and the bias.
 */
export function percentileInterval(
  bootstrap: ClusterBootstrap,
  which: number,
  confidence = 0.95,
): Estimable<Interval> {
  const prepared = prepare(bootstrap, which, confidence);
  if (prepared.value === null) return prepared;
  const { sorted, missing } = prepared.value;
  return estimable({
    low: quantileOfSorted(sorted, 0.5 - confidence / 2),
    high: quantileOfSorted(sorted, 0.5 + confidence / 2),
    confidence,
    method: "percentile",
    missingReplicates: missing,
    bias: null,
    acceleration: null,
  });
}

/**
 * Two-sided bootstrap p-value: the smallest α at which the 1 − α BCa interval leaves out `nullValue`, by solving
 * the interval's formula for its level. Never below 2/(B + 1).
 *
 * Reasons and errors as for `bcaInterval`.
 */
export function bootstrapPValue(bootstrap: ClusterBootstrap, which: number, nullValue: number): Estimable {
  requireFinite([nullValue], "nullValue");
  const interval = bcaInterval(bootstrap, which);
  if (interval.value === null) return interval;
  const { bias, acceleration } = interval.value;
  const replicates = columnOf(bootstrap.replicates, which).filter((value) => !Number.isNaN(value));
  const resolution = 1 / (replicates.length + 1);
  const below = shareBelow(replicates.sort(), nullValue);
  const beyondBias = normalQuantile(Math.min(1 - resolution, Math.max(resolution, below))) - (bias ?? NaN);
  const scale = 1 + (acceleration ?? NaN) * beyondBias;
  const z = beyondBias / scale - (bias ?? NaN);
  return estimable(
    scale > 0 ? Math.min(1, Math.max(2 * resolution, 2 * normalCdf(-Math.abs(z)))) : 2 * resolution,
  );
}

/** A mean over examples with its BCa interval, or the reason why there is none. */
export interface MeanWithInterval {
  readonly mean: number;
  readonly interval: Estimable<Interval>;
}

/**
 * Mean of one number for each example, with its BCa interval.
 * @returns reason `"empty"` for n = 0; for the interval's own reasons see `bcaInterval`
 * @throws {RangeError} if a value is not finite
 */
export function meanWithInterval(
  values: ArrayLike<number>,
  random: RandomSource,
  options: { readonly confidence?: number; readonly replications?: number } = {},
): Estimable<MeanWithInterval> {
  const { confidence = 0.95, replications = DEFAULT_REPLICATIONS } = options;
  requireFinite(values, "values");
  if (values.length === 0) return notEstimable("empty");
  const data = Float64Array.from(values);
  const bootstrap = clusterBootstrap(
    data.length,
    (resample) => [resampledMean(data, resample)],
    random,
    replications,
  );
  return estimable({ mean: meanOf(data), interval: bcaInterval(bootstrap, 0, confidence) });
}

interface Prepared {
  readonly estimate: number;
  readonly sorted: Float64Array;
  readonly missing: number;
}

function prepare(bootstrap: ClusterBootstrap, which: number, confidence: number): Estimable<Prepared> {
  requireOpenUnit(confidence, "confidence");
  const replicates = columnOf(bootstrap.replicates, which);
  const estimate = bootstrap.estimates[which];
  if (bootstrap.examples === 0) return notEstimable("empty");
  if (bootstrap.examples < MINIMUM_EXAMPLES_FOR_INTERVAL) return notEstimable("too-few");
  if (estimate === null || estimate === undefined) return notEstimable("undefined-in-resamples");
  const sorted = replicates.filter((value) => !Number.isNaN(value)).sort();
  const missing = replicates.length - sorted.length;
  const problem: NotEstimableReason | null =
    missing > LARGEST_MISSING_SHARE * replicates.length
      ? "undefined-in-resamples"
      : isConstant(sorted)
        ? "zero-variance"
        : null;
  return problem === null ? estimable({ estimate, sorted, missing }) : notEstimable(problem);
}

function columnOf(columns: readonly Float64Array[], which: number): Float64Array {
  const column = columns[which];
  if (column === undefined) throw new RangeError(`there is no statistic ${which}`);
  return column;
}

/** Share of the sorted values below the estimate; those equal but for rounding count half. */
function shareBelow(sorted: Float64Array, estimate: number): number {
  const tolerance = 1e-12 * Math.max(Math.abs(sorted[0] ?? NaN), Math.abs(sorted.at(-1) ?? NaN));
  let twice = 0;
  for (const value of sorted) {
    if (value < estimate - tolerance) twice += 2;
    else if (value <= estimate + tolerance) twice += 1;
  }
  return twice / (2 * sorted.length);
}

function accelerationOf(jackknife: Float64Array): number {
  const centre = meanOf(jackknife);
  let squares = 0;
  let cubes = 0;
  for (const value of jackknife) {
    const deviation = centre - value;
    squares += deviation ** 2;
    cubes += deviation ** 3;
  }
  return cubes / (6 * squares ** 1.5);
}
