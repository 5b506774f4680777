/** One row of a chart of intervals. */
export interface IntervalRow {
  readonly key: string;
  readonly label: string;
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Shown instead of a mark where there is no estimate. */
  readonly reason: string | null;
  /** Text at the right end. */
  readonly note: string;
  readonly colour: string;
}

/** Names of families as people say them: "letter-case" becomes "Letter case". */
export function familyName(family: string): string {
  const words = family.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A domain that holds all intervals and the given values, a little wider. */
export function domainOf(rows: readonly IntervalRow[], ...held: readonly number[]): [number, number] {
  const values = [
    ...held,
    ...rows.flatMap(({ estimate, low, high }) => [estimate, low, high].filter((it) => it !== null)),
  ];
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low < high ? [low, high] : [low, low + 1];
}
