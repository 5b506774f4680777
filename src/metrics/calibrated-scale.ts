import { measured, notEstimable, type Measured } from "./measured.ts";

/** Unrelated inputs must differ at least this much more than re-runs, or the scale means nothing. */
export const MINIMAL_SPAN = 0.05;

/**
 * Places a distance on the scale from re-runs (0) to unrelated inputs (1): I = (B − W) / (C − W).
 *
 * Not clipped: a value below 0 (sampling noise) or above 1 is kept, and clipped for display only.
 * @param distance - B, mean distance between wordings (or N, original to null edits)
 * @param rerun - W, mean distance between re-runs of one prompt; 0 by construction where nothing samples
 * @param unrelated - C, mean distance between unrelated examples
 * @returns null where C − W is below 0.05
 * @example calibrated(.3, .1, .7) // 0.333333…
 */
export function calibrated(distance: number, rerun: number, unrelated: number): Measured {
  const span = unrelated - rerun;
  // Decimal fractions such as .15 − .1 fall short of .05 by rounding alone.
  if (!(span >= MINIMAL_SPAN - 1e-12)) {
    return notEstimable(
      `unrelated inputs differ by only ${span.toFixed(3)} more than re-runs, so there is no scale to measure on`,
    );
  }
  return measured((distance - rerun) / span);
}
