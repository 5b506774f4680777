import { AXES, type AxisId } from "../../storage/index.ts";
import {
  clusterBootstrap,
  expandedInterval,
  explainNotEstimable,
  MINIMUM_EXAMPLES_FOR_INTERVAL,
  type ClusterBootstrap,
  type Interval,
  type NotEstimableReason,
  type RandomSource,
} from "../../statistics/index.ts";
import type { Estimate } from "../analysis-result.ts";
import type { CalibratedAxis } from "./calibrated-axis.ts";
import type { MirroringAxis } from "./mirroring-axis.ts";

export interface MeasuredAxes {
  readonly generation: CalibratedAxis;
  readonly activation: CalibratedAxis;
  readonly confidence: CalibratedAxis;
  readonly mirroring: MirroringAxis;
}

export interface JointEstimates {
  readonly axes: Readonly<Record<AxisId, { readonly estimate: Estimate; readonly floor: Estimate }>>;
  /** Signed mean of M. */
  readonly signedMirroring: Estimate;
  readonly composite: Estimate;
  /** The axes that the composite averages. */
  readonly compositeAxes: readonly AxisId[];
}

export interface JointOptions {
  readonly replications: number;
  /** Asked before each resample. */
  readonly isCancelled: () => boolean;
  /**
   * Whether W of the generation axis is estimated from several answers to one prompt. B − W is then a difference with
   * long tails on both sides, and a correction for skewness follows whichever tail the sample happens to have: BCa held
   * the truth in .91 of simulated runs without an effect. That one number gets a percentile interval.
   */
  readonly sampled: boolean;
}

/** Position of each statistic in a resample's list. */
const FLOOR = AXES.length;
const SIGNED = 2 * AXES.length;
const COMPOSITE = SIGNED + 1;

/**
 * All headline numbers with their intervals from one cluster bootstrap over examples: every resample draws whole
 * examples and computes W, C, all axes and the composite from the same draws.
 *
 * @param available - [n × axes], whether an example has a value on an axis; the composite is the mean over the
 *   examples that have all axes which the data set has
 * @throws {DOMException} `AbortError` once cancelled
 */
export function jointEstimates(
  measured: MeasuredAxes,
  available: readonly Readonly<Record<AxisId, boolean>>[],
  random: RandomSource,
  { replications, isCancelled, sampled }: JointOptions,
): JointEstimates {
  const n = available.length;
  const compositeAxes = AXES.filter((axis) => available.some((example) => example[axis]));
  const complete = Int32Array.from(available, (example) =>
    Number(compositeAxes.every((axis) => example[axis])),
  );
  const everyoneComplete = complete.every((it) => it === 1);
  const masked = new Int32Array(n);
  const mirroring = mirroringMeans(measured.mirroring);

  const statistics = (counts: Int32Array): (number | null)[] => {
    if (isCancelled()) throw new DOMException("The analysis was cancelled.", "AbortError");
    for (let at = 0; at < n; at += 1) masked[at] = (counts[at] ?? 0) * (complete[at] ?? 0);
    const means = mirroring(counts);
    const estimates: (number | null)[] = [];
    const floors: (number | null)[] = [];
    let sum: number | null = compositeAxes.length === 0 ? null : 0;
    for (const axis of AXES) {
      const whole =
        axis === "mirroring"
          ? { instability: means.instability, floor: means.chance }
          : measured[axis].evaluate(counts, counts);
      estimates.push(whole.instability);
      floors.push(whole.floor);
      if (sum === null || !compositeAxes.includes(axis)) continue;
      const part = everyoneComplete
        ? whole.instability
        : axis === "mirroring"
          ? mirroring(masked).instability
          : measured[axis].evaluate(counts, masked).instability;
      sum = part === null ? null : sum + part;
    }
    return [...estimates, ...floors, means.signed, sum === null ? null : sum / compositeAxes.length];
  };

  const bootstrap = clusterBootstrap(n, ({ counts }) => statistics(counts), random, replications);
  const estimateOf = (which: number, reason: string | null, method?: Interval["method"]) =>
    estimateFrom(bootstrap, which, reason, method);
  const reasonOf = (axis: AxisId): string | null =>
    axis === "mirroring"
      ? (measured.mirroring.reasons[0] ?? "no example is complete yet")
      : measured[axis].reason;
  const axisEntry = (axis: AxisId) => {
    const place = AXES.indexOf(axis);
    return {
      estimate: estimateOf(place, reasonOf(axis), sampled && axis === "generation" ? "percentile" : "bca"),
      floor: estimateOf(FLOOR + place, reasonOf(axis) ?? "there are no null edits"),
    };
  };
  return {
    axes: {
      generation: axisEntry("generation"),
      activation: axisEntry("activation"),
      confidence: axisEntry("confidence"),
      mirroring: axisEntry("mirroring"),
    },
    signedMirroring: estimateOf(SIGNED, reasonOf("mirroring")),
    composite: estimateOf(COMPOSITE, "no axis could be measured"),
    compositeAxes,
  };
}

function mirroringMeans({ results }: MirroringAxis) {
  const value = (pick: (result: NonNullable<(typeof results)[number]>) => number) =>
    Float64Array.from(results, (result) => (result === null ? NaN : pick(result)));
  const instability = value((result) => result.instability);
  const chance = value((result) => result.chance);
  const signed = value((result) => result.test.matchedMinusMismatched);
  return (counts: Int32Array) => {
    const mean = (values: Float64Array): number | null => {
      let sum = 0;
      let weight = 0;
      for (let at = 0; at < values.length; at += 1) {
        const count = counts[at] ?? 0;
        const it = values[at] ?? NaN;
        if (count === 0 || Number.isNaN(it)) continue;
        sum += count * it;
        weight += count;
      }
      return weight === 0 ? null : sum / weight;
    };
    return { instability: mean(instability), chance: mean(chance), signed: mean(signed) };
  };
}

/** @param missing - why there is no estimate, where there is none */
function estimateFrom(
  bootstrap: ClusterBootstrap,
  which: number,
  missing: string | null,
  method: Interval["method"] = "bca",
): Estimate {
  const estimate = bootstrap.estimates[which] ?? null;
  if (estimate === null) {
    return { estimate, low: null, high: null, reason: missing ?? "it could not be measured" };
  }
  const { value, reason } = expandedInterval(bootstrap, which, 0.95, method);
  return value === null
    ? { estimate, low: null, high: null, reason: intervalReason(reason, bootstrap.examples) }
    : { estimate, low: value.low, high: value.high, reason: null };
}

function intervalReason(reason: NotEstimableReason, examples: number): string {
  if (reason === "too-few" || reason === "empty") {
    return `an interval needs at least ${MINIMUM_EXAMPLES_FOR_INTERVAL} examples, and there ${
      examples === 1 ? "is 1" : `are ${examples}`
    }`;
  }
  if (reason === "zero-variance") return "all examples have the same value, so there is no interval";
  return `there is no interval: ${lowerFirst(explainNotEstimable(reason))}`;
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
