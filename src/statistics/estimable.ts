/** Why a number cannot be given. `explainNotEstimable` says each in words. */
export type NotEstimableReason =
  | "empty"
  | "too-few"
  | "zero-variance"
  | "no-nonzero-difference"
  | "undefined-in-resamples"
  | "bias-out-of-range"
  | "unreliable"
  | "no-residual-freedom";

/**
 * A result that may not exist: a value, or the reason why there is none. Never 0 or NaN in its place.
 *
 * Bad input (not finite, lengths that differ, probabilities outside [0, 1]) is not "not estimable": it throws.
 */
export type Estimable<T = number> =
  | { readonly value: T; readonly reason: null }
  | { readonly value: null; readonly reason: NotEstimableReason };

export function estimable<T>(value: T): Estimable<T> {
  return { value, reason: null };
}

export function notEstimable(reason: NotEstimableReason): {
  readonly value: null;
  readonly reason: NotEstimableReason;
} {
  return { value: null, reason };
}

const EXPLANATIONS: Readonly<Record<NotEstimableReason, string>> = {
  empty: "There is no data.",
  "too-few": "There are too few observations.",
  "zero-variance": "All observations are the same.",
  "no-nonzero-difference": "All differences are zero.",
  "undefined-in-resamples": "The number does not exist in too many of the resampled data sets.",
  "bias-out-of-range": "Too many resampled values lie on one side of the estimate.",
  unreliable: "The measurements do not agree with themselves, so they cannot be corrected for noise.",
  "no-residual-freedom": "There are no repeated observations to tell this part from the noise.",
};

/** The reason as a sentence for a reader. */
export function explainNotEstimable(reason: NotEstimableReason): string {
  return EXPLANATIONS[reason];
}
