import { pValueFromTails, type Alternative } from "./alternative.ts";
import { requireFinite } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { isConstant, meanOf, sumOfSquaredDeviations } from "./moments.ts";
import { studentUpperTail } from "./student-t-distribution.ts";

export interface OneSampleT {
  readonly t: number;
  readonly degreesOfFreedom: number;
  readonly pValue: number;
  readonly mean: number;
  readonly standardError: number;
}

/**
 * One-sample t test of a mean against a reference value (Student 1908): t = (x̄ − ε) / (s/√n), n − 1 degrees of
 * freedom.
 *
 * A sensitivity that cannot be negative must not be tested against 0, which is rejected by construction.
 *
 * @param reference - ε, in the units of the values
 * @returns reason `"empty"` for n = 0, `"too-few"` for n = 1, `"zero-variance"` if all values are the same
 * @throws {RangeError} if a value or the reference is not finite
 * @example oneSampleT([.12, .3, .05, .22, .18, .09], .05) // t 2.932899, p .016262
 */
export function oneSampleT(
  values: ArrayLike<number>,
  reference: number,
  alternative: Alternative = "greater",
): Estimable<OneSampleT> {
  requireFinite(values, "values");
  requireFinite([reference], "reference");
  const n = values.length;
  if (n === 0) return notEstimable("empty");
  if (n === 1) return notEstimable("too-few");
  if (isConstant(values)) return notEstimable("zero-variance");
  const mean = meanOf(values);
  const standardError = Math.sqrt(sumOfSquaredDeviations(values) / (n - 1) / n);
  const t = (mean - reference) / standardError;
  const upper = studentUpperTail(t, n - 1);
  const lower = studentUpperTail(-t, n - 1);
  return estimable({
    t,
    degreesOfFreedom: n - 1,
    pValue: pValueFromTails(upper, lower, alternative),
    mean,
    standardError,
  });
}
