import { calibrated } from "../../metrics/index.ts";
import { AXIS_NAMES } from "./axis-names.ts";
import type { AnalysedRun, ComparedRun } from "./comparison.ts";

/** Axes with a ceiling; mirroring has none. */
const WITH_CEILING = ["generation", "activation", "confidence"] as const;
export type CeilingAxis = (typeof WITH_CEILING)[number];

/**
 * An axis with a ceiling that does not depend on the dataset: C is the mean of the ceilings of `runs`, the same
 * contender's on all its datasets. For activations the span C − W is the mean over the layers.
 *
 * A set of similar questions has a low ceiling of its own, which makes the same raw distance a large instability.
 * @param runs - of the contender, one for each dataset, `run` among them
 * @returns null with fewer than two datasets, and where the axis or a ceiling is missing
 */
export function onPooledCeiling(
  { analysis }: AnalysedRun,
  axis: CeilingAxis,
  runs: readonly AnalysedRun[],
): number | null {
  if (new Set(runs.map(({ spec }) => spec.dataset.contentHash)).size < 2) return null;
  const {
    estimate,
    raw: { C, W },
  } = analysis.axes[axis];
  const ceilings = runs.flatMap((run) => run.analysis.axes[axis].raw.C.mean ?? []);
  if (estimate === null || C.mean === null || W.mean === null || ceilings.length < runs.length) return null;
  const pooled = ceilings.reduce((sum, ceiling) => sum + ceiling, 0) / ceilings.length;
  // The estimate times its own span is the mean distance beyond W; the axis' own C − W is never near 0.
  return calibrated(W.mean + estimate * (C.mean - W.mean), W.mean, pooled).value;
}

/** Where two contenders stand the other way round on the pooled ceiling: there the order came from C alone. */
export function ceilingNotes(runs: readonly ComparedRun[]): string[] {
  return WITH_CEILING.flatMap((axis) =>
    runs.flatMap((a, at) =>
      runs.slice(at + 1).flatMap((b) => {
        if (a.dataset !== b.dataset || a.contender === b.contender) return [];
        const own = difference(a.axes[axis].estimate, b.axes[axis].estimate);
        const pooled = difference(a.axes[axis].pooledCeiling, b.axes[axis].pooledCeiling);
        if (own === null || pooled === null || own * pooled >= 0) return [];
        const [first, second] = own < 0 ? [a, b] : [b, a];
        return [
          `On ${a.dataset}, ${first.contender} is the more stable in ${AXIS_NAMES[axis]} only by the ceiling of this dataset: with one pooled over the datasets it is ${second.contender}.`,
        ];
      }),
    ),
  );
}

function difference(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}
