import { requireFinite } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";

/**
 * Arithmetic mean.
 * @returns reason `"empty"` for n = 0
 * @throws {RangeError} if an entry is not finite
 */
export function mean(values: ArrayLike<number>): Estimable {
  requireFinite(values, "values");
  return values.length === 0 ? notEstimable("empty") : estimable(sumOf(values) / values.length);
}

/**
 * Unbiased sample variance, Σ(x − x̄)² / (n − 1), in two passes. Range [0, ∞).
 * @returns reason `"empty"` for n = 0, `"too-few"` for n = 1; equal values give 0
 * @throws {RangeError} if an entry is not finite
 */
export function variance(values: ArrayLike<number>): Estimable {
  requireFinite(values, "values");
  if (values.length === 0) return notEstimable("empty");
  if (values.length === 1) return notEstimable("too-few");
  return estimable(sumOfSquaredDeviations(values) / (values.length - 1));
}

/** Square root of the unbiased variance; reasons as `variance`. */
export function standardDeviation(values: ArrayLike<number>): Estimable {
  const result = variance(values);
  return result.value === null ? result : estimable(Math.sqrt(result.value));
}

/**
 * Root mean square, √(Σx² / n). Range [0, ∞). Unlike the standard deviation it sees a constant shift.
 * @returns reason `"empty"` for n = 0
 * @throws {RangeError} if an entry is not finite
 * @example rootMeanSquare([-0.2, -0.6, -1, 0]) // 0.591608…
 */
export function rootMeanSquare(values: ArrayLike<number>): Estimable {
  requireFinite(values, "values");
  if (values.length === 0) return notEstimable("empty");
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] ?? NaN) ** 2;
  return estimable(Math.sqrt(sum / values.length));
}

/**
 * Quantile by linear interpolation of the order statistics (type 7 of Hyndman & Fan 1996; the default of R and
 * NumPy).
 * @param probability - in [0, 1]
 * @returns reason `"empty"` for n = 0; the value itself for n = 1
 * @throws {RangeError} if an entry is not finite or the probability lies outside [0, 1]
 */
export function quantile(values: ArrayLike<number>, probability: number): Estimable {
  requireFinite(values, "values");
  if (!(probability >= 0 && probability <= 1)) {
    throw new RangeError(`probability must lie in [0, 1], not ${probability}`);
  }
  if (values.length === 0) return notEstimable("empty");
  return estimable(quantileOfSorted(Float64Array.from(values).sort(), probability));
}

/** As `quantile`, of values already in ascending order; at least one. */
export function quantileOfSorted(sorted: ArrayLike<number>, probability: number): number {
  const position = (sorted.length - 1) * probability;
  const below = Math.floor(position);
  const low = sorted[below] ?? NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? NaN;
  return low + (position - below) * (high - low);
}

// Inner loops of this folder read with `?? NaN`: the index is in range by construction, and if it ever were
// not, NaN would spread to the result instead of passing for a number.
export function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] ?? NaN;
  return sum;
}

/** Mean of at least one value. */
export function meanOf(values: ArrayLike<number>): number {
  return sumOf(values) / values.length;
}

export function sumOfSquaredDeviations(values: ArrayLike<number>): number {
  const centre = meanOf(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += ((values[i] ?? NaN) - centre) ** 2;
  return sum;
}

/** Largest absolute value; 0 for none. The scale against which rounding errors are judged. */
export function largestMagnitude(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i] ?? NaN));
  return largest;
}

/** Do the values differ by no more than rounding? */
export function isConstant(values: ArrayLike<number>): boolean {
  const first = values[0] ?? 0;
  const tolerance = 1e-12 * largestMagnitude(values);
  for (let i = 1; i < values.length; i++) {
    if (Math.abs((values[i] ?? NaN) - first) > tolerance) return false;
  }
  return true;
}
