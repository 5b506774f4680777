import type { SeededChoice } from "../seeded-order.ts";

/**
 * A share of n places, at least one: which ones is drawn, and a larger share contains every smaller one.
 *
 * @param percent - 0 … 100
 */
export function shareOf(n: number, percent: number, choice: SeededChoice): Set<number> {
  return new Set(choice.order(n).slice(0, countOf(n, percent)));
}

/** How many of n places a share is: rounded, but one at least and n at most. */
export function countOf(n: number, percent: number): number {
  return Math.min(n, Math.max(1, Math.round((n * percent) / 100)));
}
