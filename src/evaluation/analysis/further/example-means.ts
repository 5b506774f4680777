import {
  clusterBootstrap,
  expandedInterval,
  explainNotEstimable,
  MINIMUM_EXAMPLES_FOR_INTERVAL,
  type RandomSource,
} from "../../../statistics/index.ts";
import type { Estimate } from "../../analysis-result.ts";

/** A number for each example, null where it has none. */
export type ExampleValues = readonly (number | null)[];

/**
 * Means over examples with their BCa intervals, all from the same draws.
 * @param columns - each with one value for every example
 * @param missing - why a column has no value at all
 */
export function meansWithIntervals(
  columns: readonly ExampleValues[],
  missing: readonly (string | null)[],
  random: RandomSource,
  replications: number,
): Estimate[] {
  const n = columns[0]?.length ?? 0;
  const values = columns.map((column) => Float64Array.from(column, (value) => value ?? NaN));
  const bootstrap = clusterBootstrap(
    n,
    ({ counts }) => values.map((column) => weightedMean(column, counts)),
    random,
    replications,
  );
  return columns.map((column, which): Estimate => {
    const estimate = bootstrap.estimates[which] ?? null;
    const none = { estimate, low: null, high: null };
    if (estimate === null) return { ...none, reason: missing[which] ?? "no question has this number" };
    const known = column.filter((value) => value !== null).length;
    if (known < MINIMUM_EXAMPLES_FOR_INTERVAL) {
      return { ...none, reason: `an interval needs at least ${MINIMUM_EXAMPLES_FOR_INTERVAL} questions` };
    }
    const { value, reason } = expandedInterval(bootstrap, which);
    if (value !== null) return { estimate, low: value.low, high: value.high, reason: null };
    return {
      ...none,
      reason:
        reason === "zero-variance"
          ? "all questions have the same value, so there is no interval"
          : `there is no interval: ${explainNotEstimable(reason).toLowerCase().replace(/\.$/, "")}`,
    };
  });
}

function weightedMean(values: Float64Array, counts: Int32Array): number | null {
  let sum = 0;
  let weight = 0;
  for (let at = 0; at < values.length; at += 1) {
    const count = counts[at] ?? 0;
    const value = values[at] ?? NaN;
    if (count === 0 || value !== value) continue;
    sum += count * value;
    weight += count;
  }
  return weight === 0 ? null : sum / weight;
}

/** Mean over all pairs of a list; null for fewer than two items or where no pair has a value. */
export function meanOverPairs<T>(items: readonly T[], of: (a: T, b: T) => number | null): number | null {
  let sum = 0;
  let pairs = 0;
  for (const [index, a] of items.entries()) {
    for (const b of items.slice(index + 1)) {
      const value = of(a, b);
      if (value === null) continue;
      sum += value;
      pairs += 1;
    }
  }
  return pairs === 0 ? null : sum / pairs;
}

/** One row of "More numbers" before its interval is known. */
export interface Draft {
  readonly id: string;
  readonly name: string;
  readonly meaning: string;
  /** A value for each example: the number is their mean, with an interval. */
  readonly values?: ExampleValues;
  /** A number of the whole dataset, without an interval; `noInterval` says why. */
  readonly whole?: { readonly value: number | null; readonly noInterval: string };
  /** Why there is no number, where there is none. */
  readonly missing: string | null;
}
