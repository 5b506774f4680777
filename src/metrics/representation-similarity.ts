import { measured, notEstimable, type Measured } from "./measured.ts";
import { spearman } from "./rank-correlation.ts";

/** Rows are the same N examples in both matrices; columns may differ in number. */
export type Rows = readonly ArrayLike<number>[];

/** The debiased estimator divides by N − 3. */
const MINIMAL_ROWS = 4;

/**
 * Linear centred kernel alignment (CKA) of two representations of the same examples, biased form.
 *
 * Range [0, 1]; invariant to rotation and scale. Strongly biased upwards when dimensions outnumber examples:
 * independent Gaussian data of 576 dimensions give .987 at N = 8, so it is for comparison with the literature only.
 * @returns null for N < 4 or where a matrix has no variance
 * @throws {RangeError} if the numbers of rows differ
 * @see Kornblith et al. 2019, arXiv:1905.00414, eq. 3
 */
export function biasedCka(x: Rows, y: Rows): Measured {
  return alignment(x, y, (a, b, n) => {
    const centredA = doubleCentred(a, n);
    const centredB = doubleCentred(b, n);
    return centredA.reduce((sum, value, at) => sum + value * (centredB[at] ?? 0), 0);
  });
}

/**
 * Debiased linear CKA: the same with the unbiased estimator of the Hilbert–Schmidt independence criterion. About 0
 * for independent data whatever N and the dimensions; can be negative. N ≥ 32 is advised.
 *
 * @see Song et al. 2012, eq. 5; Murphy et al. 2024, arXiv:2405.01012
 */
export function debiasedCka(x: Rows, y: Rows): Measured {
  return alignment(x, y, unbiasedHsic);
}

type Hsic = (a: Float64Array, b: Float64Array, n: number) => number;

function alignment(x: Rows, y: Rows, hsic: Hsic): Measured {
  const n = x.length;
  if (y.length !== n) throw new RangeError(`${n} and ${y.length} examples.`);
  return aligned(gramOf(x), gramOf(y), n, hsic);
}

function aligned(a: Float64Array, b: Float64Array, n: number, hsic: Hsic): Measured {
  if (n < MINIMAL_ROWS) return notEstimable(`there are fewer than ${MINIMAL_ROWS} examples`);
  const self = hsic(a, a, n) * hsic(b, b, n);
  return self > 1e-18
    ? measured(hsic(a, b, n) / Math.sqrt(self))
    : notEstimable("a representation does not vary");
}

/** {@link debiasedCka} of two matrices made by {@link gramOf}, where one representation is compared with several. */
export function gramAlignment(a: Float64Array, b: Float64Array, n: number): Measured {
  return aligned(a, b, n, unbiasedHsic);
}

/** {@link rsa} likewise: squared distances are a_ii + a_jj − 2 a_ij, and Spearman's ρ needs their order only. */
export function gramRsa(a: Float64Array, b: Float64Array, n: number): Measured {
  if (n < MINIMAL_ROWS) return notEstimable(`there are fewer than ${MINIMAL_ROWS} examples`);
  const rho = spearman(squaredDistances(a, n), squaredDistances(b, n));
  return rho === null ? notEstimable("all examples are equally far apart") : measured(rho);
}

function squaredDistances(gram: Float64Array, n: number): number[] {
  const distances: number[] = [];
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      distances.push((gram[i * n + i] ?? NaN) + (gram[j * n + j] ?? NaN) - 2 * (gram[i * n + j] ?? NaN));
    }
  }
  // Ties of the distances must stay ties of these sums, which rounding would part.
  const unit = 1e-9 * distances.reduce((largest, it) => Math.max(largest, it), 0);
  return unit > 0 ? distances.map((it) => Math.round(it / unit)) : distances;
}

/** Inner products of the centred rows, [N × N]; centring changes neither estimator but keeps numbers small. */
export function gramOf(rows: Rows): Float64Array {
  const n = rows.length;
  const dimensions = rows[0]?.length ?? 0;
  const means = new Float64Array(dimensions);
  for (const row of rows) {
    for (let at = 0; at < dimensions; at += 1) means[at] = (means[at] ?? 0) + (row[at] ?? NaN) / n;
  }
  const centred = rows.map((row) => means.map((mean, at) => (row[at] ?? NaN) - mean));
  const products = new Float64Array(n * n);
  for (const [i, a] of centred.entries()) {
    for (let j = i; j < n; j += 1) {
      const b = centred[j] ?? a;
      let sum = 0;
      for (let at = 0; at < dimensions; at += 1) sum += (a[at] ?? NaN) * (b[at] ?? NaN);
      products[i * n + j] = sum;
      products[j * n + i] = sum;
    }
  }
  return products;
}

function doubleCentred(matrix: Float64Array, n: number): Float64Array {
  const rowMeans = Float64Array.from(
    { length: n },
    (_, row) => matrix.subarray(row * n, (row + 1) * n).reduce((sum, it) => sum + it, 0) / n,
  );
  const mean = rowMeans.reduce((sum, it) => sum + it, 0) / n;
  return matrix.map(
    (value, at) => value - (rowMeans[Math.floor(at / n)] ?? NaN) - (rowMeans[at % n] ?? NaN) + mean,
  );
}

function unbiasedHsic(a: Float64Array, b: Float64Array, n: number): number {
  let trace = 0;
  let sumA = 0;
  let sumB = 0;
  const rowsA = new Float64Array(n);
  const rowsB = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      if (i === j) continue;
      const x = a[i * n + j] ?? NaN;
      const y = b[i * n + j] ?? NaN;
      trace += x * y;
      sumA += x;
      sumB += y;
      rowsA[i] = (rowsA[i] ?? 0) + x;
      rowsB[i] = (rowsB[i] ?? 0) + y;
    }
  }
  const across = rowsA.reduce((sum, value, at) => sum + value * (rowsB[at] ?? 0), 0);
  return (trace + (sumA * sumB) / ((n - 1) * (n - 2)) - (2 / (n - 2)) * across) / (n * (n - 3));
}

/**
 * Representational similarity analysis: Spearman correlation of the pairwise Euclidean distances of two
 * representations of the same examples.
 *
 * Range [−1, 1].
 * @returns null for N < 4 or where all distances of one representation are equal
 * @see Kriegeskorte et al. 2008
 */
export function rsa(x: Rows, y: Rows): Measured {
  if (x.length !== y.length) throw new RangeError(`${x.length} and ${y.length} examples.`);
  if (x.length < MINIMAL_ROWS) return notEstimable(`there are fewer than ${MINIMAL_ROWS} examples`);
  const rho = spearman(pairwiseDistances(x), pairwiseDistances(y));
  return rho === null ? notEstimable("all examples are equally far apart") : measured(rho);
}

function pairwiseDistances(rows: Rows): number[] {
  return rows.flatMap((row, at) =>
    rows
      .slice(at + 1)
      .map((other) =>
        Math.sqrt(Array.from(row).reduce((sum, value, i) => sum + (value - (other[i] ?? NaN)) ** 2, 0)),
      ),
  );
}

/**
 * Symmetric relative distance 2‖a − b‖ / (‖a‖ + ‖b‖). Range [0, 2]; null for two zero vectors.
 */
export function relativeL2(a: ArrayLike<number>, b: ArrayLike<number>): Measured {
  if (a.length !== b.length) throw new RangeError(`Vectors of ${a.length} and ${b.length} dimensions.`);
  let difference = 0;
  let squareA = 0;
  let squareB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at] ?? NaN;
    const y = b[at] ?? NaN;
    difference += (x - y) ** 2;
    squareA += x * x;
    squareB += y * y;
  }
  const norms = Math.sqrt(squareA) + Math.sqrt(squareB);
  return norms > 0 ? measured((2 * Math.sqrt(difference)) / norms) : notEstimable("both vectors are zero");
}

/**
 * The vector with every dimension in standard deviations from its mean over background prompts, so that a few rogue
 * dimensions do not decide a cosine. Dimensions without variance become 0.
 *
 * @see Timkey & van Schijndel 2021, arXiv:2109.04404
 */
export function zScored(
  values: ArrayLike<number>,
  means: ArrayLike<number>,
  deviations: ArrayLike<number>,
): Float64Array {
  return Float64Array.from({ length: values.length }, (_, at) => {
    const deviation = deviations[at] ?? NaN;
    return deviation > 0 ? ((values[at] ?? NaN) - (means[at] ?? NaN)) / deviation : 0;
  });
}
