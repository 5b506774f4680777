/** Stability against accuracy: runs that have both. */
import type { ComparedRun } from "../controller.ts";

export interface AccuracyPoint {
  readonly run: ComparedRun;
  /** 1 − composite, and the ends of its interval. */
  readonly stability: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly accuracy: number;
  /** Wilson interval of the accuracy under the original wording. */
  readonly accuracyLow: number;
  readonly accuracyHigh: number;
}

/** Runs of a set without known answers, and runs without all four axes, have no place in it. */
export function accuracyPoints(runs: readonly ComparedRun[]): AccuracyPoint[] {
  return runs.flatMap((run): AccuracyPoint[] => {
    const { composite, accuracy } = run;
    if (accuracy === null || accuracy.total === 0 || composite.estimate === null || !composite.complete)
      return [];
    return [
      {
        run,
        stability: 1 - composite.estimate,
        low: composite.high === null ? null : 1 - composite.high,
        high: composite.low === null ? null : 1 - composite.low,
        accuracy: accuracy.correct / accuracy.total,
        accuracyLow: accuracy.low,
        accuracyHigh: accuracy.high,
      },
    ];
  });
}
