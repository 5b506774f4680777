import { requireFinite, requireOpenUnit, requireSameLength, requireWhole } from "./checks.ts";
import { MINIMUM_EXAMPLES_FOR_INTERVAL } from "./bootstrap-interval.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { isConstant, quantileOfSorted } from "./moments.ts";
import { monteCarloP } from "./permutation-count.ts";
import type { RandomSource } from "./random-source.ts";

/** The bias correction divides by n − 3. */
const MINIMUM_N = 4;

export interface DistanceCorrelation {
  /** Bias-corrected squared distance correlation: 0 on average under independence, so it can be negative. */
  readonly squared: number;
  /** P of a value at least as large if y is shuffled against x. */
  readonly pValue: number;
  readonly permutations: number;
  /** Delete-half interval of `squared`. */
  readonly interval: Estimable<{ readonly low: number; readonly high: number; readonly confidence: number }>;
}

/**
 * Distance correlation: dependence of any form, not only monotone.
 *
 * Bias-corrected dCor² = ⟨A, B⟩ / √(⟨A, A⟩⟨B, B⟩) with U-centred distance matrices A, B (Székely & Rizzo 2013,
 * 2014). Permutation p with (1 + hits)/(1 + draws), ties counted as hits.
 *
 * The interval is the central share of the values of random halves of the sample, drawn without replacement
 * (delete-half jackknife, Shao & Wu 1989, whose spread needs no rescaling). The ordinary bootstrap would count
 * copies of an observation as pairs at distance 0 in both variables, which looks like dependence.
 *
 * Takes O(n²) memory and O(n²) time for each permutation.
 *
 * @returns reason `"empty"` for n = 0, `"too-few"` for n < 4, `"zero-variance"` if either is constant; the
 *   interval has `"too-few"` for n < 8 (each half needs 4), `"undefined-in-resamples"` if over 5 % of the halves
 *   are constant
 * @throws {RangeError} if the lengths differ or an entry is not finite
 */
export function distanceCorrelation(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  random: RandomSource,
  options: {
    readonly permutations?: number;
    readonly halves?: number;
    readonly confidence?: number;
  } = {},
): Estimable<DistanceCorrelation> {
  const { permutations = 999, halves = 1_000, confidence = 0.95 } = options;
  requireSameLength(x, y, "x and y");
  requireFinite(x, "x");
  requireFinite(y, "y");
  requireWhole(permutations, "permutations", 1);
  requireWhole(halves, "halves", 1);
  requireOpenUnit(confidence, "confidence");
  const n = x.length;
  if (n === 0) return notEstimable("empty");
  if (n < MINIMUM_N) return notEstimable("too-few");
  if (isConstant(x) || isConstant(y)) return notEstimable("zero-variance");
  const a = uCentredDistances(x);
  const b = uCentredDistances(y);
  const scale = Math.sqrt(innerProduct(a, a)) * Math.sqrt(innerProduct(b, b));
  // With n = 4 the centred distances of e.g. 0, 0, 1, 1 can all vanish.
  if (!(scale > 0)) return notEstimable("zero-variance");
  const squared = innerProduct(a, b) / scale;
  const order = Int32Array.from({ length: n }, (_, i) => i);
  let hits = 0;
  for (let draw = 0; draw < permutations; draw++) {
    random.shuffle(order);
    if (permutedInnerProduct(a, b, order) / scale >= squared - 1e-12) hits++;
  }
  return estimable({
    squared,
    pValue: monteCarloP(hits, permutations),
    permutations,
    interval: halfInterval(x, y, random, halves, confidence),
  });
}

function halfInterval(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  random: RandomSource,
  halves: number,
  confidence: number,
): DistanceCorrelation["interval"] {
  const n = x.length;
  const size = n >> 1;
  if (size < Math.max(MINIMUM_N, MINIMUM_EXAMPLES_FOR_INTERVAL)) return notEstimable("too-few");
  const order = Int32Array.from({ length: n }, (_, i) => i);
  const values: number[] = [];
  for (let half = 0; half < halves; half++) {
    random.shuffle(order);
    const chosen = order.subarray(0, size);
    const a = uCentredDistances(Float64Array.from(chosen, (i) => x[i] ?? NaN));
    const b = uCentredDistances(Float64Array.from(chosen, (i) => y[i] ?? NaN));
    const scale = Math.sqrt(innerProduct(a, a)) * Math.sqrt(innerProduct(b, b));
    if (scale > 0) values.push(innerProduct(a, b) / scale);
  }
  if (values.length < 0.95 * halves) return notEstimable("undefined-in-resamples");
  const sorted = Float64Array.from(values).sort();
  return estimable({
    low: quantileOfSorted(sorted, 0.5 - confidence / 2),
    high: quantileOfSorted(sorted, 0.5 + confidence / 2),
    confidence,
  });
}

/** Distances |x_i − x_j| with row sums, column sums and diagonal removed; n × n row by row. */
function uCentredDistances(x: ArrayLike<number>): Float64Array {
  const n = x.length;
  const matrix = new Float64Array(n * n);
  const rows = new Float64Array(n);
  let total = 0;
  for (let i = 0; i < n; i++) {
    const xi = x[i] ?? NaN;
    let row = 0;
    for (let j = 0; j < n; j++) {
      const distance = Math.abs(xi - (x[j] ?? NaN));
      matrix[i * n + j] = distance;
      row += distance;
    }
    rows[i] = row / (n - 2);
    total += row;
  }
  const overall = total / ((n - 1) * (n - 2));
  let largest = 0;
  for (let i = 0; i < n; i++) {
    const shift = overall - (rows[i] ?? NaN);
    for (let j = 0; j < n; j++) {
      const centred = i === j ? 0 : (matrix[i * n + j] ?? NaN) - (rows[j] ?? NaN) + shift;
      matrix[i * n + j] = centred;
      largest = Math.max(largest, Math.abs(centred));
    }
  }
  // Nothing but rounding is nothing.
  return largest <= 1e-13 * overall ? matrix.fill(0) : matrix;
}

/** ⟨A, B⟩ up to the factor 1/(n(n − 3)), which cancels. */
function innerProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? NaN) * (b[i] ?? NaN);
  return sum;
}

function permutedInnerProduct(a: Float64Array, b: Float64Array, order: Int32Array): number {
  const n = order.length;
  let sum = 0;
  for (let i = 1; i < n; i++) {
    const row = (order[i] ?? -1) * n;
    for (let j = 0; j < i; j++) sum += (a[i * n + j] ?? NaN) * (b[row + (order[j] ?? -1)] ?? NaN);
  }
  return 2 * sum;
}
