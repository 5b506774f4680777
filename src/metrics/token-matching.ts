import { measured, notEstimable, type Measured } from "./measured.ts";

/** Token embeddings of one text, one row a token. */
export interface TokenMatrix {
  readonly rows: number;
  readonly dimensions: number;
  /** [rows × dimensions]; need not be of unit length. */
  readonly values: Float32Array;
}

export interface TokenMatching {
  /** Mean over the tokens of `a` of the best cosine in `b`. */
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/**
 * Greedy matching of token embeddings, as in BERTScore without weights for rare words. With another encoder than
 * the paper's the values are not comparable with published ones, so it goes by its own name.
 *
 * Cosines, so the range is [−1, 1]; high for unrelated texts, too: see {@link rescaled}.
 * @returns null where a text has no token
 * @throws {RangeError} if the dimensions differ
 * @see Zhang et al. 2020, arXiv:1904.09675
 */
export function tokenMatching(a: TokenMatrix, b: TokenMatrix): TokenMatching | null {
  if (a.dimensions !== b.dimensions)
    throw new RangeError(`Tokens of ${a.dimensions} and ${b.dimensions} dimensions.`);
  if (a.rows === 0 || b.rows === 0) return null;
  const x = unitRows(a);
  const y = unitRows(b);
  const bestOfA = new Float64Array(a.rows).fill(-1);
  const bestOfB = new Float64Array(b.rows).fill(-1);
  for (let row = 0; row < a.rows; row += 1) {
    for (let column = 0; column < b.rows; column += 1) {
      let cosine = 0;
      for (let at = 0; at < a.dimensions; at += 1) {
        cosine += (x[row * a.dimensions + at] ?? 0) * (y[column * a.dimensions + at] ?? 0);
      }
      bestOfA[row] = Math.max(bestOfA[row] ?? -1, cosine);
      bestOfB[column] = Math.max(bestOfB[column] ?? -1, cosine);
    }
  }
  const precision = mean(bestOfA);
  const recall = mean(bestOfB);
  return {
    precision,
    recall,
    f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall),
  };
}

/**
 * (F − b) / (1 − b): 0 for the similarity b of unrelated texts, 1 for equal ones.
 * @returns null where unrelated texts are as similar as equal ones
 */
export function rescaled(f1: number, unrelated: number): Measured {
  return unrelated < 1 - 1e-9
    ? measured((f1 - unrelated) / (1 - unrelated))
    : notEstimable("unrelated texts are as similar as equal ones");
}

function unitRows({ rows, dimensions, values }: TokenMatrix): Float64Array {
  const unit = Float64Array.from(values);
  for (let row = 0; row < rows; row += 1) {
    const slice = unit.subarray(row * dimensions, (row + 1) * dimensions);
    const norm = Math.sqrt(slice.reduce((sum, value) => sum + value * value, 0));
    // A zero row stays zero: it is similar to nothing.
    if (norm > 0) for (let at = 0; at < dimensions; at += 1) slice[at] = (slice[at] ?? 0) / norm;
  }
  return unit;
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
