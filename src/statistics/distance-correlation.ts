import { requireFinite, requireOpenUnit, requireSameLength, requireWhole } from "./checks.ts";
import { MINIMUM_EXAMPLES_FOR_INTERVAL } from "./bootstrap-interval.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { isConstant, meanOf, quantileOfSorted, sumOf } from "./moments.ts";
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
 * Takes O(n log n) for each permutation and half.
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
  const a = new Distances(x);
  const b = new Distances(y);
  // With n = 4 the centred distances of e.g. 0, 0, 1, 1 all vanish.
  const squared = squaredCorrelation(a, b);
  if (squared === null) return notEstimable("zero-variance");
  const order = identity(n);
  let hits = 0;
  for (let draw = 0; draw < permutations; draw++) {
    random.shuffle(order);
    if ((squaredCorrelation(a, b, order) ?? NaN) >= squared - 1e-10) hits++;
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
  const order = identity(n);
  const values: number[] = [];
  for (let half = 0; half < halves; half++) {
    random.shuffle(order);
    const chosen = order.subarray(0, size);
    const a = new Distances(Float64Array.from(chosen, (i) => x[i] ?? NaN));
    const b = new Distances(Float64Array.from(chosen, (i) => y[i] ?? NaN));
    const value = squaredCorrelation(a, b);
    if (value !== null) values.push(value);
  }
  if (values.length < 0.95 * halves) return notEstimable("undefined-in-resamples");
  const sorted = Float64Array.from(values).sort();
  return estimable({
    low: quantileOfSorted(sorted, 0.5 - confidence / 2),
    high: quantileOfSorted(sorted, 0.5 + confidence / 2),
    confidence,
  });
}

/** What the distances |x_i − x_j| of one variable contribute, without forming the n × n of them. */
class Distances {
  /** Centred, which keeps the products below small. */
  readonly values: Float64Array;
  /** Observations in ascending order, and each one's place in it, from 1. */
  readonly order: Int32Array;
  readonly places: Int32Array;
  /** Σ_j |x_i − x_j|. */
  readonly rows: Float64Array;
  readonly total: number;
  /** ⟨A, A⟩; 0 where only rounding is left. */
  readonly norm: number;

  constructor(x: ArrayLike<number>) {
    const n = x.length;
    const centre = meanOf(x);
    const values = Float64Array.from(x, (value) => value - centre);
    const order = identity(n).sort((i, j) => (values[i] ?? NaN) - (values[j] ?? NaN));
    const places = new Int32Array(n);
    const rows = new Float64Array(n);
    const sum = sumOf(values);
    let before = 0;
    let squares = 0;
    order.forEach((index, place) => {
      const value = values[index] ?? NaN;
      rows[index] = value * (2 * place - n) + sum - 2 * before;
      places[index] = place + 1;
      before += value;
      squares += value * value;
    });
    this.values = values;
    this.order = order;
    this.places = places;
    this.rows = rows;
    this.total = sumOf(rows);
    const uncentred = 2 * (n * squares - sum * sum);
    const norm = uCentred(
      uncentred,
      rows.reduce((total, row) => total + row * row, 0),
      this.total ** 2,
      n,
    );
    this.norm = norm > 1e-12 * uncentred ? norm : 0;
  }
}

/** n(n − 3)⟨A, B⟩ from the sums over pairs, rows and all (Székely & Rizzo 2014; Huo & Székely 2016, eq. 2.5). */
function uCentred(pairs: number, rows: number, totals: number, n: number): number {
  return pairs - (2 * rows) / (n - 2) + totals / ((n - 1) * (n - 2));
}

/** With y taken in another order if one is given. Null if either norm is 0. */
function squaredCorrelation(a: Distances, b: Distances, order?: Int32Array): number | null {
  const n = a.values.length;
  const norm = Math.sqrt(a.norm) * Math.sqrt(b.norm);
  if (norm === 0) return null;
  const paired = order ?? identity(n);
  let rows = 0;
  for (let i = 0; i < n; i++) rows += (a.rows[i] ?? NaN) * (b.rows[paired[i] ?? -1] ?? NaN);
  return uCentred(pairProducts(a, b, paired), rows, a.total * b.total, n) / norm;
}

/**
 * Σ_{i,j} |x_i − x_j| |y_i − y_j| in O(n log n): in ascending order of x the first factor has no sign, and for each
 * observation the sums over those before it with smaller y come from Fenwick trees (Huo & Székely 2016).
 */
function pairProducts(a: Distances, b: Distances, paired: Int32Array): number {
  const n = a.values.length;
  const counts = new Float64Array(n + 1);
  const sumsX = new Float64Array(n + 1);
  const sumsY = new Float64Array(n + 1);
  const sumsXY = new Float64Array(n + 1);
  let [allX, allY, allXY, sum] = [0, 0, 0, 0];
  for (let at = 0; at < n; at++) {
    const i = a.order[at] ?? -1;
    const x = a.values[i] ?? NaN;
    const partner = paired[i] ?? -1;
    const y = b.values[partner] ?? NaN;
    const place = b.places[partner] ?? 0;
    let [count, sumX, sumY, sumXY] = [0, 0, 0, 0];
    for (let node = place - 1; node > 0; node &= node - 1) {
      count += counts[node] ?? NaN;
      sumX += sumsX[node] ?? NaN;
      sumY += sumsY[node] ?? NaN;
      sumXY += sumsXY[node] ?? NaN;
    }
    // (x − x_i)(y − y_i) summed over those below in y, twice, minus over all before.
    sum += (2 * count - at) * x * y - (2 * sumY - allY) * x - (2 * sumX - allX) * y + 2 * sumXY - allXY;
    allX += x;
    allY += y;
    allXY += x * y;
    for (let node = place; node <= n; node += node & -node) {
      counts[node] = (counts[node] ?? NaN) + 1;
      sumsX[node] = (sumsX[node] ?? NaN) + x;
      sumsY[node] = (sumsY[node] ?? NaN) + y;
      sumsXY[node] = (sumsXY[node] ?? NaN) + x * y;
    }
  }
  return 2 * sum;
}

function identity(n: number): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => i);
}
