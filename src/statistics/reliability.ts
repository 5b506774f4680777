import { requireFinite, requireWhole } from "./checks.ts";
import { MINIMUM_FOR_CORRELATION, weightedPearson } from "./correlation.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { midranks } from "./ranks.ts";
import type { RandomSource } from "./random-source.ts";

export interface SplitHalf {
  /** Mean correlation between the two halves over random splits. */
  readonly halfCorrelation: number;
  /** Spearman–Brown: reliability of the mean of all measurements, 2r / (1 + r). */
  readonly reliability: Estimable;
  /** Splits in which both halves varied. */
  readonly splits: number;
  readonly examples: number;
  /** Examples left out since they have fewer than two measurements. */
  readonly skipped: number;
}

/**
 * Split-half reliability: how well would the same measurement, repeated with other wordings, order the examples
 * the same way?
 *
 * Each example's measurements are split at random into two halves, the halves averaged and correlated over
 * examples; r is averaged over splits and stepped up to full length by Spearman–Brown (Spearman 1910, Brown
 * 1910). Measurements of an example are taken as exchangeable: shared wordings that differ systematically make
 * it too low.
 *
 * @param measurements - for each example its measurements (for instance distances, one for each variant)
 * @returns reason `"empty"` without examples, `"too-few"` if fewer than 3 have two measurements,
 *   `"zero-variance"` if no split varies; the reliability has `"unreliable"` if r ≤ 0
 * @throws {RangeError} if a measurement is not finite
 */
export function splitHalfReliability(
  measurements: readonly ArrayLike<number>[],
  random: RandomSource,
  options: { readonly kind?: "pearson" | "spearman"; readonly splits?: number } = {},
): Estimable<SplitHalf> {
  const { kind = "spearman", splits = 200 } = options;
  requireWhole(splits, "splits", 1);
  measurements.forEach((values, i) => requireFinite(values, `measurements[${i}]`));
  const usable = measurements.filter((values) => values.length >= 2);
  const n = usable.length;
  if (measurements.length === 0) return notEstimable("empty");
  if (n < MINIMUM_FOR_CORRELATION) return notEstimable("too-few");
  const orders = usable.map((values) => Int32Array.from({ length: values.length }, (_, i) => i));
  const ones = new Int32Array(n).fill(1);
  const first = new Float64Array(n);
  const second = new Float64Array(n);
  const rank = (values: Float64Array): Float64Array => (kind === "spearman" ? midranks(values) : values);
  let sum = 0;
  let used = 0;
  for (let split = 0; split < splits; split++) {
    usable.forEach((values, i) => {
      const order = orders[i] ?? new Int32Array(0);
      random.shuffle(order);
      const half = order.length >> 1;
      first[i] = meanAt(values, order.subarray(0, half));
      second[i] = meanAt(values, order.subarray(half));
    });
    const correlation = weightedPearson(rank(first), rank(second), ones);
    if (correlation === null) continue;
    sum += correlation;
    used++;
  }
  if (used === 0) return notEstimable("zero-variance");
  const halfCorrelation = sum / used;
  return estimable({
    halfCorrelation,
    reliability: spearmanBrown(halfCorrelation),
    splits: used,
    examples: n,
    skipped: measurements.length - n,
  });
}

/**
 * Spearman–Brown step-up of the correlation of two halves, 2r / (1 + r). Range (0, 1].
 * @param halfCorrelation - in [−1, 1]
 * @returns reason `"unreliable"` if r ≤ 0: halves that disagree measure nothing
 * @throws {RangeError} if r lies outside [−1, 1]
 */
export function spearmanBrown(halfCorrelation: number): Estimable {
  if (!(Math.abs(halfCorrelation) <= 1))
    throw new RangeError(`r must lie in [−1, 1], not ${halfCorrelation}`);
  return halfCorrelation <= 0
    ? notEstimable("unreliable")
    : estimable((2 * halfCorrelation) / (1 + halfCorrelation));
}

/**
 * Correlation corrected for the unreliability of both measurements, r / √(ρ_x ρ_y) (Spearman 1904). Noisy axes
 * look independent; this says how much they would correlate if measured perfectly.
 *
 * May exceed 1 in magnitude when the reliabilities are underestimated; it is not clipped.
 * @param reliabilityX - in (0, 1]; a value ≤ 0 gives reason `"unreliable"`
 * @throws {RangeError} if an argument is not finite or a reliability exceeds 1
 */
export function disattenuate(correlation: number, reliabilityX: number, reliabilityY: number): Estimable {
  requireFinite([correlation, reliabilityX, reliabilityY], "arguments");
  if (reliabilityX > 1 || reliabilityY > 1) throw new RangeError("a reliability cannot exceed 1");
  if (reliabilityX <= 0 || reliabilityY <= 0) return notEstimable("unreliable");
  return estimable(correlation / Math.sqrt(reliabilityX * reliabilityY));
}

function meanAt(values: ArrayLike<number>, indices: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < indices.length; i++) sum += values[indices[i] ?? -1] ?? NaN;
  return sum / indices.length;
}
