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

/** Two variables sorted once, so that τ_b of every resample of them takes O(n log n) (Knight 1966). */
export class KendallPair {
  readonly #order: Int32Array;
  /** Ends, in the order of x, of the runs of equal x. */
  readonly #groupEnds: readonly number[];
  /** Rank of each observation's y among the distinct values, from 1. */
  readonly #rankY: Int32Array;
  readonly #distinctY: number;

  constructor(x: ArrayLike<number>, y: ArrayLike<number>) {
    const order = Array.from({ length: x.length }, (_, i) => i);
    order.sort((i, j) => (x[i] ?? NaN) - (x[j] ?? NaN));
    this.#order = Int32Array.from(order);
    this.#groupEnds = order.flatMap((index, at) => (x[index] === x[order[at + 1] ?? -1] ? [] : [at + 1]));
    const values = [...new Set(Array.from(y))].sort((a, b) => a - b);
    const rankOf = new Map(values.map((value, rank) => [value, rank + 1]));
    this.#rankY = Int32Array.from(Array.from(y), (value) => rankOf.get(value) ?? 0);
    this.#distinctY = values.length;
  }

  /** τ_b of a sample in which observation i occurs counts[i] times; null if either variable is constant. */
  tau(counts: ArrayLike<number>): number | null {
    const size = this.#distinctY;
    // A Fenwick tree of how many observations with smaller x have each y.
    const tree = new Float64Array(size + 1);
    const weightOfY = new Float64Array(size + 1);
    const upTo = (rank: number): number => {
      let sum = 0;
      for (let node = rank; node > 0; node &= node - 1) sum += tree[node] ?? NaN;
      return sum;
    };
    let before = 0;
    let score = 0;
    let tiedX = 0;
    let start = 0;
    for (const end of this.#groupEnds) {
      let group = 0;
      for (let at = start; at < end; at++) {
        const i = this.#order[at] ?? -1;
        const count = counts[i] ?? NaN;
        const rank = this.#rankY[i] ?? 0;
        if (count === 0) continue;
        group += count;
        score += count * (upTo(rank - 1) - (before - upTo(rank)));
      }
      for (let at = start; at < end; at++) {
        const i = this.#order[at] ?? -1;
        const count = counts[i] ?? NaN;
        const rank = this.#rankY[i] ?? 0;
        if (count === 0) continue;
        weightOfY[rank] = (weightOfY[rank] ?? NaN) + count;
        for (let node = rank; node <= size; node += node & -node) tree[node] = (tree[node] ?? NaN) + count;
      }
      before += group;
      tiedX += group * group;
      start = end;
    }
    const untiedX = before * before - tiedX;
    const untiedY = before * before - weightOfY.reduce((sum, weight) => sum + weight * weight, 0);
    if (untiedX === 0 || untiedY === 0) return null;
    return Math.max(-1, Math.min(1, (2 * score) / Math.sqrt(untiedX) / Math.sqrt(untiedY)));
  }
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
