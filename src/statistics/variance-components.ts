import { requireFinite } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { meanOf, sumOf, sumOfSquaredDeviations } from "./moments.ts";

export interface VarianceComponents {
  readonly mean: number;
  /** Variance between examples. Unbiased, so that it may come out negative; squared units of the data. */
  readonly example: number;
  /** Variance between wordings within an example, on top of the noise. */
  readonly variant: Estimable;
  /** Variance between repetitions of one wording. */
  readonly residual: Estimable;
  /** Variant and residual together: all variance within examples. */
  readonly withinExample: number;
  /** Shares of the whole, negative components taken as 0; null where they cannot be told apart. */
  readonly shares: { readonly example: number; readonly variant: number; readonly residual: number } | null;
}

/**
 * Where does the variance come from: y = μ + example + variant within example + residual, all random.
 *
 * Method of moments: the nested analysis-of-variance mean squares are set equal to their expectations, solved
 * from the bottom up (Searle, Casella & McCulloch 1992, §5.3; equal to Henderson's method 1). Unbiased also for
 * unbalanced data; for balanced data it has the smallest variance among unbiased quadratic estimates.
 *
 * @param data - data[example][variant] are repetitions of one wording; empty lists are ignored
 * @returns reason `"empty"` without observations, `"too-few"` with fewer than two examples or if no example has
 *   two observations; without repetitions of any wording, variant and residual have `"no-residual-freedom"`;
 *   with repetitions but nowhere two wordings, variant alone has it
 * @throws {RangeError} if an observation is not finite
 */
export function varianceComponents(
  data: readonly (readonly ArrayLike<number>[])[],
): Estimable<VarianceComponents> {
  const examples = data
    .map((variants, i) =>
      variants
        .map((values, j) => {
          requireFinite(values, `data[${i}][${j}]`);
          return Float64Array.from(values);
        })
        .filter((values) => values.length > 0),
    )
    .filter((variants) => variants.length > 0);
  if (examples.length === 0) return notEstimable("empty");
  if (examples.length === 1) return notEstimable("too-few");
  const design = moments(examples);
  const { sums, freedom, factors } = design;
  if (freedom.variant + freedom.residual === 0) return notEstimable("too-few");

  const meanSquareExample = sums.example / freedom.example;
  const mean = design.mean;
  if (freedom.residual === 0) {
    // One observation a wording: variant and residual are one component, with n_ij = 1 throughout.
    const within = sums.variant / freedom.variant;
    const example = (meanSquareExample - within) / factors.exampleOnExample;
    const missing = notEstimable("no-residual-freedom");
    return estimable({
      mean,
      example,
      variant: missing,
      residual: missing,
      withinExample: within,
      shares: null,
    });
  }
  const residual = sums.residual / freedom.residual;
  if (freedom.variant === 0) {
    const example = (meanSquareExample - residual) / factors.exampleOnExample;
    return estimable({
      mean,
      example,
      variant: notEstimable("no-residual-freedom"),
      residual: estimable(residual),
      withinExample: residual,
      shares: null,
    });
  }
  const variant = (sums.variant / freedom.variant - residual) / factors.variantOnVariant;
  const example =
    (meanSquareExample - residual - factors.variantOnExample * variant) / factors.exampleOnExample;
  const positive = [example, variant, residual].map((component) => Math.max(0, component));
  const total = sumOf(positive);
  const [a = NaN, b = NaN, c = NaN] = positive;
  return estimable({
    mean,
    example,
    variant: estimable(variant),
    residual: estimable(residual),
    withinExample: variant + residual,
    shares: total > 0 ? { example: a / total, variant: b / total, residual: c / total } : null,
  });
}

interface Moments {
  readonly mean: number;
  readonly sums: { readonly example: number; readonly variant: number; readonly residual: number };
  readonly freedom: { readonly example: number; readonly variant: number; readonly residual: number };
  /** How often a component counts in a mean square: `variantOnExample` is σ²_variant's factor in MS_example. */
  readonly factors: {
    readonly variantOnVariant: number;
    readonly variantOnExample: number;
    readonly exampleOnExample: number;
  };
}

function moments(examples: readonly (readonly Float64Array[])[]): Moments {
  const everything = Float64Array.from(
    examples.flatMap((variants) => variants.flatMap((values) => [...values])),
  );
  const total = everything.length;
  const mean = meanOf(everything);
  const sums = { example: 0, variant: 0, residual: 0 };
  const freedom = { example: examples.length - 1, variant: 0, residual: 0 };
  let squaresOverExample = 0; // Σ_i Σ_j n_ij² / n_i
  let variantSquares = 0; // Σ n_ij²
  let exampleSquares = 0; // Σ n_i²
  for (const variants of examples) {
    const size = variants.reduce((sum, values) => sum + values.length, 0);
    const exampleMean = variants.reduce((sum, values) => sum + sumOf(values), 0) / size;
    sums.example += size * (exampleMean - mean) ** 2;
    freedom.variant += variants.length - 1;
    exampleSquares += size ** 2;
    for (const values of variants) {
      sums.variant += values.length * (meanOf(values) - exampleMean) ** 2;
      sums.residual += sumOfSquaredDeviations(values);
      freedom.residual += values.length - 1;
      squaresOverExample += values.length ** 2 / size;
      variantSquares += values.length ** 2;
    }
  }
  return {
    mean,
    sums,
    freedom,
    factors: {
      variantOnVariant: (total - squaresOverExample) / freedom.variant,
      variantOnExample: (squaresOverExample - variantSquares / total) / freedom.example,
      exampleOnExample: (total - exampleSquares / total) / freedom.example,
    },
  };
}
