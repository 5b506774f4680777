/** How often each sequence of `order` items occurs. Items are joined by a character that no token contains. */
export function countNgrams(items: readonly string[], order: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at + order <= items.length; at += 1) {
    const name = items.slice(at, at + order).join("\u0000");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

export function totalCount(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}

/** Size of the multiset intersection. */
export function sharedCount(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const [name, count] of a) shared += Math.min(count, b.get(name) ?? 0);
  return shared;
}
