/** A number, or null together with the reason why there is none: undefined is never 0 and never NaN. */
export type Measured =
  { readonly value: number; readonly reason: null } | { readonly value: null; readonly reason: string };

/** @throws {RangeError} if `value` is not finite: that is a defect of the caller, not an undefined result */
export function measured(value: number): Measured {
  if (!Number.isFinite(value)) throw new RangeError(`A measured value must be finite, not ${value}.`);
  return { value, reason: null };
}

/** @param reason - a short sentence for the reader, without the name of a function */
export function notEstimable(reason: string): Measured {
  return { value: null, reason };
}
