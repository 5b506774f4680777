/**
 * Ranks from 1, ties given their mean rank (midranks).
 * @example midranks([10, 20, 20, 5]) // [2, 3.5, 3.5, 1]
 */
export function midranks(values: ArrayLike<number>): Float64Array {
  const order = Array.from({ length: values.length }, (_, i) => i);
  order.sort((a, b) => (values[a] ?? NaN) - (values[b] ?? NaN));
  const ranks = new Float64Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && values[order[end] ?? -1] === values[order[start] ?? -1]) end++;
    for (let i = start; i < end; i++) ranks[order[i] ?? -1] = (start + 1 + end) / 2;
    start = end;
  }
  return ranks;
}

/** Sizes of the groups of equal values, singles included. */
export function tieSizes(values: ArrayLike<number>): number[] {
  const counts = new Map<number, number>();
  for (let i = 0; i < values.length; i++) {
    // −0 and 0 are the same key of a Map.
    const value = values[i] ?? NaN;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts.values()];
}
