/** @throws {RangeError} naming the first entry that is not finite */
export function requireFinite(values: ArrayLike<number>, name: string): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === undefined || !Number.isFinite(value)) {
      throw new RangeError(`${name}[${i}] must be a finite number, not ${String(value)}`);
    }
  }
}

/** @throws {RangeError} unless 0 < value < 1 */
export function requireOpenUnit(value: number, name: string): void {
  if (!(value > 0 && value < 1)) throw new RangeError(`${name} must lie between 0 and 1, not ${value}`);
}

/** @throws {RangeError} unless the value is a whole number of at least `minimum` */
export function requireWhole(value: number, name: string, minimum: number): void {
  if (!Number.isSafeInteger(value) || value < minimum) {
    throw new RangeError(`${name} must be a whole number of at least ${minimum}, not ${value}`);
  }
}

/** @throws {RangeError} unless both have the same length */
export function requireSameLength(a: ArrayLike<unknown>, b: ArrayLike<unknown>, name: string): void {
  if (a.length !== b.length)
    throw new RangeError(`${name} must have the same length: ${a.length}, ${b.length}`);
}
