import { pValueFromTails, type Alternative } from "./alternative.ts";
import { requireFinite, requireSameLength } from "./checks.ts";
import { MINIMUM_FOR_CORRELATION } from "./correlation.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { isConstant } from "./moments.ts";
import { normalCdf } from "./normal-distribution.ts";
import { factorial } from "./permutation-count.ts";
import { midranks, tieSizes } from "./ranks.ts";

/** Without ties the null distribution is counted up to this n. */
const LARGEST_EXACT_N = 60;
/** With ties all orders are enumerated up to this n (8! = 40,320). */
const LARGEST_EXACT_N_WITH_TIES = 8;

export interface KendallTau {
  /** τ_b, in [−1, 1]. */
  readonly tau: number;
  readonly pValue: number;
  readonly method: "exact" | "normal";
  /** Smallest p-value that this many observations could give; for small n above .05. */
  readonly smallestP: number;
}

/**
 * Kendall's τ_b, which corrects for ties (Kendall 1945), with a test of independence.
 *
 * p-value: exact by counting permutations with each number of discordant pairs (no ties, n ≤ 60), exact by
 * enumerating all orders (ties, n ≤ 8), else normal approximation with the tie-corrected variance (Kendall 1970,
 * ch. 4) and no continuity correction. Two-sided: twice the smaller tail, at most 1.
 *
 * @returns reason `"empty"` for n = 0, `"too-few"` for n < 3, `"zero-variance"` if either is constant
 * @throws {RangeError} if the lengths differ or an entry is not finite
 * @example kendallTau([1, 2, 3, 4, 5], [3, 1, 2, 5, 4]) // τ .4, p .483333
 */
export function kendallTau(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  alternative: Alternative = "two-sided",
): Estimable<KendallTau> {
  requireSameLength(x, y, "x and y");
  requireFinite(x, "x");
  requireFinite(y, "y");
  const n = x.length;
  if (n === 0) return notEstimable("empty");
  if (n < MINIMUM_FOR_CORRELATION) return notEstimable("too-few");
  if (isConstant(x) || isConstant(y)) return notEstimable("zero-variance");
  const tiesX = tieSizes(x);
  const tiesY = tieSizes(y);
  const score = concordance(x, y);
  const tau = score / Math.sqrt(untiedPairs(n, tiesX) * untiedPairs(n, tiesY));
  const tied = tiesX.length < n || tiesY.length < n;
  const exact = n <= (tied ? LARGEST_EXACT_N_WITH_TIES : LARGEST_EXACT_N);
  const [upper, lower] = !exact
    ? normalTails(score, n, tiesX, tiesY)
    : tied
      ? enumeratedTails(x, y, score)
      : countedTails(score, n);
  return estimable({
    tau: Math.max(-1, Math.min(1, tau)),
    pValue: pValueFromTails(upper, lower, alternative),
    method: exact ? "exact" : "normal",
    smallestP: Math.min(1, (alternative === "two-sided" ? 2 : 1) / factorial(n)),
  });
}

/** τ_b of a sample in which observation i occurs counts[i] times; null if either is constant. */
export function weightedKendallTau(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  counts: ArrayLike<number>,
): number | null {
  let score = 0;
  let untiedX = 0;
  let untiedY = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? NaN;
    if (count === 0) continue;
    const xi = x[i] ?? NaN;
    const yi = y[i] ?? NaN;
    let scoreHere = 0;
    let untiedXHere = 0;
    let untiedYHere = 0;
    for (let j = 0; j < i; j++) {
      const other = counts[j] ?? NaN;
      const dx = xi - (x[j] ?? NaN);
      const dy = yi - (y[j] ?? NaN);
      if (dx !== 0) untiedXHere += other;
      if (dy !== 0) untiedYHere += other;
      if (dx !== 0 && dy !== 0) scoreHere += dx > 0 === dy > 0 ? other : -other;
    }
    score += count * scoreHere;
    untiedX += count * untiedXHere;
    untiedY += count * untiedYHere;
  }
  return untiedX === 0 || untiedY === 0 ? null : score / Math.sqrt(untiedX) / Math.sqrt(untiedY);
}

/** Concordant minus discordant pairs. */
function concordance(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let score = 0;
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < i; j++) {
      score += Math.sign((x[i] ?? NaN) - (x[j] ?? NaN)) * Math.sign((y[i] ?? NaN) - (y[j] ?? NaN));
    }
  }
  return score;
}

function untiedPairs(n: number, ties: readonly number[]): number {
  return (n * (n - 1)) / 2 - ties.reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
}

/** From the shares of permutations with each number of discordant pairs (inversions). */
function countedTails(score: number, n: number): [number, number] {
  const pairs = (n * (n - 1)) / 2;
  let shares = Float64Array.of(1);
  for (let size = 2; size <= n; size++) {
    const longer = new Float64Array((size * (size - 1)) / 2 + 1);
    for (let inversions = 0; inversions < longer.length; inversions++) {
      let sum = 0;
      for (let added = 0; added < size && added <= inversions; added++)
        sum += shares[inversions - added] ?? 0;
      longer[inversions] = sum / size;
    }
    shares = longer;
  }
  const discordant = (pairs - score) / 2;
  let upper = 0;
  let lower = 0;
  shares.forEach((share, inversions) => {
    if (inversions <= discordant) upper += share;
    if (inversions >= discordant) lower += share;
  });
  return [upper, lower];
}

function enumeratedTails(x: ArrayLike<number>, y: ArrayLike<number>, score: number): [number, number] {
  const n = x.length;
  const ranks = midranks(y);
  const placed = new Float64Array(n);
  let upper = 0;
  let lower = 0;
  const place = (at: number, left: number, sum: number): void => {
    if (at === n) {
      if (sum >= score) upper++;
      if (sum <= score) lower++;
      return;
    }
    for (let from = 0; from < n; from++) {
      if ((left & (1 << from)) === 0) continue;
      const rank = ranks[from] ?? NaN;
      placed[at] = rank;
      let added = 0;
      for (let j = 0; j < at; j++) {
        added += Math.sign((x[at] ?? NaN) - (x[j] ?? NaN)) * Math.sign(rank - (placed[j] ?? NaN));
      }
      place(at + 1, left ^ (1 << from), sum + added);
    }
  };
  place(0, (1 << n) - 1, 0);
  return [upper / factorial(n), lower / factorial(n)];
}

function normalTails(
  score: number,
  n: number,
  tiesX: readonly number[],
  tiesY: readonly number[],
): [number, number] {
  const sum = (ties: readonly number[], term: (t: number) => number): number =>
    ties.reduce((total, size) => total + term(size), 0);
  const five = (t: number): number => t * (t - 1) * (2 * t + 5);
  const three = (t: number): number => t * (t - 1) * (t - 2);
  const two = (t: number): number => t * (t - 1);
  const variance =
    (five(n) - sum(tiesX, five) - sum(tiesY, five)) / 18 +
    (sum(tiesX, three) * sum(tiesY, three)) / (9 * three(n)) +
    (sum(tiesX, two) * sum(tiesY, two)) / (2 * two(n));
  const z = score / Math.sqrt(variance);
  return [normalCdf(-z), normalCdf(z)];
}
