/**
 * Holm's step-down adjusted p-values (Holm 1979): adjusted ≤ α controls the chance of any false claim in the
 * family at α, whatever the dependence.
 *
 * @param pValues - each in [0, 1]; null (no test was possible) stays null and does not count in the family
 * @returns in the same order; [] for []
 * @throws {RangeError} if a p-value lies outside [0, 1]
 * @example holm([0.001, 0.012, 0.03, 0.04, 0.2]) // [.005, .048, .09, .09, .2]
 */
export function holm(pValues: readonly number[]): number[];
export function holm(pValues: readonly (number | null)[]): (number | null)[];
export function holm(pValues: readonly (number | null)[]): (number | null)[] {
  return adjustFamily(pValues, (ascending) => {
    let largest = 0;
    return ascending.map(
      (p, rank) => (largest = Math.max(largest, Math.min(1, (ascending.length - rank) * p))),
    );
  });
}

/**
 * Benjamini–Hochberg step-up adjusted p-values (Benjamini & Hochberg 1995): rejecting where adjusted ≤ q keeps
 * the expected share of false claims among the rejected at q, for independent or positively dependent tests.
 *
 * Arguments, result and errors as for `holm`.
 * @example benjaminiHochberg([0.001, 0.012, 0.03, 0.04, 0.2]) // [.005, .03, .05, .05, .2]
 */
export function benjaminiHochberg(pValues: readonly number[]): number[];
export function benjaminiHochberg(pValues: readonly (number | null)[]): (number | null)[];
export function benjaminiHochberg(pValues: readonly (number | null)[]): (number | null)[] {
  return adjustFamily(pValues, (ascending) => {
    let smallest = 1;
    return ascending
      .map((p, rank) => (p * ascending.length) / (rank + 1))
      .reverse()
      .map((p) => (smallest = Math.min(smallest, p)))
      .reverse();
  });
}

function adjustFamily(
  pValues: readonly (number | null)[],
  adjustAscending: (ascending: readonly number[]) => readonly number[],
): (number | null)[] {
  const family: { p: number; index: number }[] = [];
  pValues.forEach((p, index) => {
    if (p === null) return;
    if (!(p >= 0 && p <= 1)) throw new RangeError(`pValues[${index}] must lie in [0, 1], not ${p}`);
    family.push({ p, index });
  });
  family.sort((a, b) => a.p - b.p);
  const values = adjustAscending(family.map(({ p }) => p));
  const result: (number | null)[] = pValues.map(() => null);
  family.forEach(({ index }, rank) => (result[index] = values[rank] ?? null));
  return result;
}
