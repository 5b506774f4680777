/** Correlations smaller than this in magnitude count as practically none. */
export const DEFAULT_EQUIVALENCE_BOUND = 0.3;
/** Two one-sided tests at .05 each are an interval of .90. */
export const EQUIVALENCE_CONFIDENCE = 0.9;

/**
 * - `"equivalent"`: the interval lies within (−bound, bound): practically no association.
 * - `"beyond"`: it lies wholly outside: an association that matters.
 * - `"undecided"`: neither can be said. Not significant is not independent.
 */
export type Equivalence = "equivalent" | "beyond" | "undecided";

/**
 * Equivalence by interval inclusion: two one-sided tests (TOST, Schuirmann 1987) at level α reject exactly if the
 * 1 − 2α interval lies within the bounds. Pass a 90 % interval for α = .05.
 *
 * @param bound - positive, in the units of the interval
 * @throws {RangeError} if the interval is reversed or not finite, or the bound is not positive
 */
export function equivalenceByInterval(
  interval: { readonly low: number; readonly high: number },
  bound = DEFAULT_EQUIVALENCE_BOUND,
): Equivalence {
  const { low, high } = interval;
  if (!Number.isFinite(low) || !Number.isFinite(high) || low > high) {
    throw new RangeError(`not an interval: ${low}, ${high}`);
  }
  if (!(bound > 0)) throw new RangeError(`the bound must be positive, not ${bound}`);
  if (low > -bound && high < bound) return "equivalent";
  return low >= bound || high <= -bound ? "beyond" : "undecided";
}
