import { bcaInterval, type Interval } from "./bootstrap-interval.ts";
import { requireFinite, requireSameLength } from "./checks.ts";
import { clusterBootstrap, DEFAULT_REPLICATIONS, type Resample } from "./cluster-bootstrap.ts";
import { MINIMUM_FOR_CORRELATION, partialFrom, RankedColumn, weightedPearson } from "./correlation.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { KendallPair } from "./kendall-tau.ts";
import { isConstant } from "./moments.ts";
import { participationRatioOf } from "./participation-ratio.ts";
import type { RandomSource } from "./random-source.ts";

export type CorrelationKind = "pearson" | "spearman" | "kendall";

export interface WithInterval {
  readonly estimate: number;
  readonly interval: Estimable<Interval>;
}

export interface CorrelatedPair {
  /** Positions of the two variables in the input. */
  readonly first: number;
  readonly second: number;
  readonly correlation: Estimable<WithInterval>;
  /** Given the covariate; null where none was passed, or for Kendall's. */
  readonly partial: Estimable<WithInterval> | null;
}

export interface CorrelationMatrix {
  readonly kind: CorrelationKind;
  readonly examples: number;
  /** Every pair once, first < second. */
  readonly pairs: readonly CorrelatedPair[];
  /** Effective number of independent variables, 1 … p. */
  readonly participationRatio: Estimable<WithInterval>;
}

export interface CorrelationOptions {
  readonly kind?: CorrelationKind;
  /** Covariate to hold fixed, one value for each example. */
  readonly given?: ArrayLike<number>;
  readonly confidence?: number;
  readonly replications?: number;
}

/**
 * Correlations between all pairs of variables, with BCa intervals from one bootstrap that resamples examples,
 * so that all numbers vary jointly.
 *
 * @param variables - one list for each variable, one value for each example
 * @returns reason `"empty"` without examples or with fewer than two variables, `"too-few"` for n < 3; a pair has
 *   `"zero-variance"` if one of its variables is constant (partial: if the covariate is, or determines one)
 * @throws {RangeError} if lengths differ or a value is not finite
 */
export function correlationMatrix(
  variables: readonly ArrayLike<number>[],
  random: RandomSource,
  options: CorrelationOptions = {},
): Estimable<CorrelationMatrix> {
  const { kind = "spearman", given, confidence = 0.95, replications = DEFAULT_REPLICATIONS } = options;
  const columns = given === undefined ? variables : [...variables, given];
  const n = columns[0]?.length ?? 0;
  for (const column of columns) {
    requireSameLength(columns[0] ?? [], column, "the variables");
    requireFinite(column, "values");
  }
  if (n === 0 || variables.length < 2) return notEstimable("empty");
  if (n < MINIMUM_FOR_CORRELATION) return notEstimable("too-few");

  const pairs = pairsOf(variables.length);
  const partials = given !== undefined && kind !== "kendall" ? pairs : [];
  const correlations = correlator(columns, kind);
  const bootstrap = clusterBootstrap(
    n,
    (resample) => {
      const between = correlations(resample);
      const plain = pairs.map(([a, b]) => between(a, b));
      const partial = partials.map(([a, b]) => {
        const [xy, xz, yz] = [between(a, b), between(a, variables.length), between(b, variables.length)];
        return xy === null || xz === null || yz === null ? null : partialFrom(xy, xz, yz);
      });
      return [
        ...plain,
        ...partial,
        plain.includes(null) ? null : participationRatioOf(variables.length, plain),
      ];
    },
    random,
    replications,
  );
  const result = (which: number): Estimable<WithInterval> => {
    const estimate = bootstrap.estimates[which];
    if (estimate === null || estimate === undefined) return notEstimable("zero-variance");
    return estimable({ estimate, interval: bcaInterval(bootstrap, which, confidence) });
  };
  return estimable({
    kind,
    examples: n,
    pairs: pairs.map(([first, second], which) => ({
      first,
      second,
      correlation: result(which),
      partial: partials.length === 0 ? null : result(pairs.length + which),
    })),
    participationRatio: result(pairs.length + partials.length),
  });
}

/** Correlation of two variables with its BCa interval; see `correlationMatrix`. */
export function correlationWithInterval(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  random: RandomSource,
  options: CorrelationOptions = {},
): Estimable<WithInterval> {
  const matrix = correlationMatrix([x, y], random, options);
  if (matrix.value === null) return matrix;
  const [pair] = matrix.value.pairs;
  return pair?.partial ?? pair?.correlation ?? notEstimable("empty");
}

/** For each resample a function that gives the correlation of two columns, computed once. */
function correlator(
  columns: readonly ArrayLike<number>[],
  kind: CorrelationKind,
): (resample: Resample) => (a: number, b: number) => number | null {
  const plain = columns.map((column) => Float64Array.from(column));
  const constant = plain.map(isConstant);
  const ranked = kind === "spearman" ? plain.map((column) => new RankedColumn(column)) : [];
  const kendall = new Map<number, KendallPair>();
  const keyOf = (a: number, b: number): number => a * columns.length + b;
  if (kind === "kendall") {
    for (const [a, b] of pairsOf(columns.length)) {
      kendall.set(keyOf(a, b), new KendallPair(plain[a] ?? [], plain[b] ?? []));
    }
  }
  return ({ counts }) => {
    const current = kind === "spearman" ? ranked.map((column) => column.ranks(counts)) : plain;
    const known = new Map<number, number | null>();
    return (a, b) => {
      if (constant[a] !== false || constant[b] !== false) return null;
      const key = keyOf(a, b);
      let value = known.get(key);
      if (value === undefined) {
        const pair = kendall.get(key);
        value = pair ? pair.tau(counts) : weightedPearson(current[a] ?? [], current[b] ?? [], counts);
        known.set(key, value);
      }
      return value;
    };
  };
}

function pairsOf(variables: number): (readonly [number, number])[] {
  return Array.from({ length: variables }, (_, a) =>
    Array.from({ length: variables - a - 1 }, (_, offset) => [a, a + 1 + offset] as const),
  ).flat();
}
