/** Ranks from 1; ties share the mean of their ranks. */
export function ranksOf(values: readonly number[]): number[] {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length).fill(0);
  let start = 0;
  while (start < order.length) {
    let end = start;
    while (end + 1 < order.length && order[end + 1]?.value === order[start]?.value) end += 1;
    for (const { at } of order.slice(start, end + 1)) ranks[at] = (start + end) / 2 + 1;
    start = end + 1;
  }
  return ranks;
}

/** Spearman's ρ: the correlation of the ranks, ties averaged; null where one side does not vary. */
export function spearman(x: readonly number[], y: readonly number[]): number | null {
  const a = ranksOf(x);
  const b = ranksOf(y);
  const mean = (a.length + 1) / 2;
  let covariance = 0;
  let varianceA = 0;
  let varianceB = 0;
  for (const [at, rank] of a.entries()) {
    const u = rank - mean;
    const v = (b[at] ?? NaN) - mean;
    covariance += u * v;
    varianceA += u * u;
    varianceB += v * v;
  }
  return varianceA > 0 && varianceB > 0 ? covariance / Math.sqrt(varianceA * varianceB) : null;
}
