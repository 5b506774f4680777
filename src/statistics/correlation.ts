import { requireFinite, requireSameLength } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { isConstant } from "./moments.ts";

/** Two points always lie on a line, so a correlation of two is no information. */
export const MINIMUM_FOR_CORRELATION = 3;

/**
 * Pearson's correlation. Range [−1, 1]; symmetric.
 * @returns reason `"empty"` for n = 0, `"too-few"` for n < 3, `"zero-variance"` if either is constant
 * @throws {RangeError} if the lengths differ or an entry is not finite
 */
export function pearson(x: ArrayLike<number>, y: ArrayLike<number>): Estimable {
  return correlate([x, y], ([a, b], counts) => weightedPearson(a, b, counts));
}

/**
 * Spearman's rank correlation: Pearson's of the midranks, which is right with ties. Range [−1, 1]; symmetric.
 * Reasons and errors as for `pearson`.
 */
export function spearman(x: ArrayLike<number>, y: ArrayLike<number>): Estimable {
  return correlate([x, y], ([a, b], counts) =>
    weightedPearson(weightedRanks(a, counts), weightedRanks(b, counts), counts),
  );
}

/**
 * Correlation of x and y given one covariate z: (r_xy − r_xz r_yz) / √((1 − r_xz²)(1 − r_yz²)). Range [−1, 1].
 *
 * With `"spearman"` each r is Spearman's, which is the partial correlation of the ranks.
 * @returns as `pearson`, with `"too-few"` for n < 4, and `"zero-variance"` also if z determines x or y
 * @throws {RangeError} if the lengths differ or an entry is not finite
 * @see Kendall & Stuart 1973, §27
 */
export function partialCorrelation(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  given: ArrayLike<number>,
  kind: "pearson" | "spearman" = "spearman",
): Estimable {
  return correlate(
    [x, y, given],
    (columns, counts) => {
      const [a, b, c] =
        kind === "spearman" ? columns.map((column) => weightedRanks(column, counts)) : columns;
      return weightedPartial(a ?? [], b ?? [], c ?? [], counts);
    },
    MINIMUM_FOR_CORRELATION + 1,
  );
}

type Columns = readonly [ArrayLike<number>, ArrayLike<number>, ...ArrayLike<number>[]];

function correlate(
  columns: Columns,
  weighted: (columns: Columns, counts: Int32Array) => number | null,
  minimum = MINIMUM_FOR_CORRELATION,
): Estimable {
  for (const column of columns) {
    requireSameLength(columns[0], column, "the variables");
    requireFinite(column, "values");
  }
  const n = columns[0].length;
  if (n === 0) return notEstimable("empty");
  if (n < minimum) return notEstimable("too-few");
  if (columns.some(isConstant)) return notEstimable("zero-variance");
  const result = weighted(columns, new Int32Array(n).fill(1));
  return result === null ? notEstimable("zero-variance") : estimable(result);
}

/** Pearson's correlation of a sample in which observation i occurs counts[i] times; null if either is constant. */
export function weightedPearson(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  counts: ArrayLike<number>,
): number | null {
  let total = 0;
  let sumX = 0;
  let sumY = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? NaN;
    total += count;
    sumX += count * (x[i] ?? NaN);
    sumY += count * (y[i] ?? NaN);
  }
  const centreX = sumX / total;
  const centreY = sumY / total;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  let scaleX = 0;
  let scaleY = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? NaN;
    const dx = (x[i] ?? NaN) - centreX;
    const dy = (y[i] ?? NaN) - centreY;
    xx += count * dx * dx;
    yy += count * dy * dy;
    xy += count * dx * dy;
    scaleX += count * (x[i] ?? NaN) ** 2;
    scaleY += count * (y[i] ?? NaN) ** 2;
  }
  // What is left of a constant after rounding is about 1e-32 of its square.
  if (!(xx > 1e-24 * scaleX) || !(yy > 1e-24 * scaleY)) return null;
  return Math.max(-1, Math.min(1, xy / Math.sqrt(xx) / Math.sqrt(yy)));
}

function weightedPartial(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  given: ArrayLike<number>,
  counts: ArrayLike<number>,
): number | null {
  const xy = weightedPearson(x, y, counts);
  const xz = weightedPearson(x, given, counts);
  const yz = weightedPearson(y, given, counts);
  return xy === null || xz === null || yz === null ? null : partialFrom(xy, xz, yz);
}

/** Partial correlation from the three plain ones; null if the covariate determines x or y. */
export function partialFrom(xy: number, xz: number, yz: number): number | null {
  const left = (1 - xz * xz) * (1 - yz * yz);
  if (left < 1e-12) return null;
  return Math.max(-1, Math.min(1, (xy - xz * yz) / Math.sqrt(left)));
}

function weightedRanks(values: ArrayLike<number>, counts: Int32Array): Float64Array {
  return new RankedColumn(values).ranks(counts);
}

/** A variable sorted once, so that the midranks of every resample of it take linear time. */
export class RankedColumn {
  readonly #order: Int32Array;
  /** Whether the sorted value differs from the one before it. */
  readonly #startsGroup: Uint8Array;
  readonly #ranks: Float64Array;

  constructor(values: ArrayLike<number>) {
    const order = Array.from({ length: values.length }, (_, i) => i);
    order.sort((a, b) => (values[a] ?? NaN) - (values[b] ?? NaN));
    this.#order = Int32Array.from(order);
    this.#startsGroup = Uint8Array.from(order, (index, i) =>
      Number(values[index] !== values[order[i - 1] ?? -1]),
    );
    this.#ranks = new Float64Array(values.length);
  }

  /**
   * Midrank of each observation in a sample where observation i occurs counts[i] times. The array is reused by
   * the next call.
   */
  ranks(counts: ArrayLike<number>): Float64Array {
    const order = this.#order;
    let before = 0;
    for (let start = 0; start < order.length;) {
      let size = 0;
      let end = start;
      do {
        size += counts[order[end] ?? -1] ?? NaN;
        end++;
      } while (end < order.length && this.#startsGroup[end] === 0);
      const rank = before + (size + 1) / 2;
      for (let i = start; i < end; i++) this.#ranks[order[i] ?? -1] = rank;
      before += size;
      start = end;
    }
    return this.#ranks;
  }
}
