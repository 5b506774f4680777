/** Pairs of axes as every chart and table of them shows them. */
import { axisLook } from "../axes.ts";
import type { AxisPair } from "../controller.ts";
import { num } from "../format.ts";
import type { IntervalRow } from "./interval-rows.ts";

export const VERDICT = {
  independent: "independent",
  associated: "fail together",
  undecided: "undecided",
} as const;

/** "Generation, activations". */
export const nameOfPair = ({ axes: [a, b] }: AxisPair): string =>
  `${axisLook(a).name}, ${axisLook(b).name.toLowerCase()}`;

/** One row a pair: its rank correlation with the interval, and the verdict beside it. */
export const axisPairRows = (pairs: readonly AxisPair[]): IntervalRow[] =>
  pairs.map((pair) => ({
    key: pair.axes.join(),
    label: nameOfPair(pair),
    ...pair.correlation,
    note: pair.verdict === null ? "" : `${num(pair.correlation.estimate)}, ${VERDICT[pair.verdict]}`,
    colour: "var(--ink-2)",
  }));
