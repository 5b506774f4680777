import { requireFinite } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";

/**
 * Participation ratio (Σλ)² / Σλ² of the eigenvalues of a covariance or correlation matrix: the effective number
 * of independent dimensions. Range [1, p] for a positive semidefinite matrix: 1 if all variables move together,
 * p if they are uncorrelated with equal variance.
 *
 * Needs no eigenvalues, since Σλ is the trace and Σλ² the sum of the squared entries.
 *
 * @param matrix - p × p, symmetric
 * @returns reason `"empty"` for p = 0, `"zero-variance"` if all entries are 0
 * @throws {RangeError} if the matrix is not square, symmetric and finite
 * @see Gao & Ganguli 2015
 */
export function participationRatio(matrix: readonly ArrayLike<number>[]): Estimable {
  const p = matrix.length;
  let trace = 0;
  let squares = 0;
  matrix.forEach((row, i) => {
    if (row.length !== p) throw new RangeError(`row ${i} has ${row.length} entries, the matrix ${p} rows`);
    requireFinite(row, `matrix[${i}]`);
    trace += row[i] ?? NaN;
    for (let j = 0; j < p; j++) {
      const entry = row[j] ?? NaN;
      if (Math.abs(entry - (matrix[j]?.[i] ?? NaN)) > 1e-9 * (1 + Math.abs(entry))) {
        throw new RangeError(`the matrix is not symmetric at ${i}, ${j}`);
      }
      squares += entry * entry;
    }
  });
  if (p === 0) return notEstimable("empty");
  if (squares === 0) return notEstimable("zero-variance");
  return estimable((trace * trace) / squares);
}

/** Of a correlation matrix of p variables, given the correlations of its pairs; null if one is missing. */
export function participationRatioOf(p: number, pairs: readonly (number | null)[]): number | null {
  let squares = p;
  for (const correlation of pairs) {
    if (correlation === null) return null;
    squares += 2 * correlation * correlation;
  }
  return (p * p) / squares;
}
