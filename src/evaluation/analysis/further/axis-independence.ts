import {
  correlationMatrix,
  disattenuate,
  distanceCorrelation,
  equivalenceByInterval,
  EQUIVALENCE_CONFIDENCE,
  explainNotEstimable,
  splitHalfReliability,
  type Estimable,
  type RandomSource,
  type WithInterval,
} from "../../../statistics/index.ts";
import { AXES, type AxisId } from "../../../storage/index.ts";
import type { Estimate, ExampleResult } from "../../analysis-result.ts";
import type { AxisIndependence, AxisPair } from "../../further-result.ts";
import type { MeasuredAxes } from "../joint-bootstrap.ts";
import type { ExampleRecords } from "../run-index.ts";

/** From so many questions on fewer shuffles and halves are drawn: each costs more, and p is rarely near .05. */
const MANY = 256;
/** Fewer questions say nothing about a correlation. */
const MINIMAL_EXAMPLES = 8;

/** Do the axes rise and fall together over the questions of one run? */
export function axisIndependence(
  examples: readonly ExampleRecords[],
  results: readonly ExampleResult[],
  measured: MeasuredAxes,
  random: RandomSource,
  replications: number,
): AxisIndependence {
  const axes = AXES.filter((axis) => results.some((result) => result.axes[axis].instability !== null));
  const complete = results.flatMap((result, at) =>
    axes.every((axis) => result.axes[axis].instability !== null) ? [at] : [],
  );
  const none = (reason: string): AxisIndependence => ({
    examples: complete.length,
    axes,
    pairs: [],
    reliability: {},
    participationRatio: missing(reason),
    reason,
  });
  if (axes.length < 2) return none("fewer than two axes could be measured");
  if (complete.length < MINIMAL_EXAMPLES) {
    return none(`not enough data: at least ${MINIMAL_EXAMPLES} questions with all axes are needed`);
  }
  const values = axes.map((axis) => complete.map((at) => results[at]?.axes[axis].instability ?? NaN));
  const given = complete.map((at) => Math.log1p(examples[at]?.original.generations[0].tokenIds.length ?? 0));
  const matrix = correlationMatrix(values, random.split("correlation"), { given, replications }).value;
  // The same draws once more, for the narrower interval of the equivalence test.
  const narrow = correlationMatrix(values, random.split("correlation"), {
    replications,
    confidence: EQUIVALENCE_CONFIDENCE,
  }).value;
  if (matrix === null || narrow === null) return none("the correlations do not exist");
  const reliabilities = axes.map((axis) =>
    splitHalfReliability(
      complete.map((at) => measurements(axis, at, measured)),
      random.split(`halves/${axis}`),
    ),
  );
  const reliabilityOf = (which: number): Estimable => {
    const half = reliabilities[which];
    if (!half) return { value: null, reason: "empty" };
    return half.value === null ? half : half.value.reliability;
  };
  const pairs = matrix.pairs.map(({ first, second, correlation, partial }, at): AxisPair => {
    const [a, b] = [axes[first], axes[second]];
    if (a === undefined || b === undefined) throw new RangeError("A correlation is of no axis.");
    const interval = narrow.pairs[at]?.correlation.value?.interval.value;
    const [x, y] = [reliabilityOf(first), reliabilityOf(second)];
    const corrected =
      correlation.value === null || x.value === null || y.value === null
        ? null
        : disattenuate(correlation.value.estimate, x.value, y.value);
    const verdict = interval ? equivalenceByInterval(interval) : null;
    return {
      axes: [a, b],
      correlation: estimateOf(correlation),
      givenLength: partial === null ? missing("it was not computed") : estimateOf(partial),
      disattenuated:
        corrected === null || corrected.value === null
          ? { value: null, reason: "the halves of an axis do not agree, so its noise cannot be told" }
          : { value: corrected.value, reason: null },
      distance: distanceOf(values[first] ?? [], values[second] ?? [], random.split(`distance/${at}`)),
      verdict: verdict === null ? null : VERDICTS[verdict],
    };
  });
  return {
    examples: complete.length,
    axes,
    pairs,
    reliability: Object.fromEntries(
      axes.map((axis, which) => {
        const { value, reason } = reliabilityOf(which);
        return [axis, { value, reason: reason === null ? null : sentence(reason) }];
      }),
    ),
    participationRatio: estimateOf(matrix.participationRatio),
    reason: null,
  };
}

const VERDICTS = { equivalent: "independent", beyond: "associated", undecided: "undecided" } as const;

/** What an axis measures of one example, a number for each variant, to be split into halves. */
function measurements(axis: AxisId, at: number, measured: MeasuredAxes): number[] {
  if (axis !== "mirroring") {
    return (measured[axis].distances.toOriginal[at]?.variants ?? []).filter((it) => it !== null);
  }
  const rows = measured.mirroring.results[at]?.rows ?? [];
  return rows.map((row, v) => {
    const own = row[v] ?? NaN;
    const others = row.reduce((sum, value) => sum + value, 0) - own;
    return own - others / Math.max(1, row.length - 1);
  });
}

function distanceOf(x: readonly number[], y: readonly number[], random: RandomSource): AxisPair["distance"] {
  const many = x.length > MANY;
  const { value, reason } = distanceCorrelation(x, y, random, {
    permutations: many ? 199 : 999,
    // Its interval is not shown.
    halves: 1,
  });
  return value === null
    ? { squared: null, pValue: null, reason: sentence(reason) }
    : { squared: value.squared, pValue: value.pValue, reason: null };
}

function estimateOf({ value, reason }: Estimable<WithInterval>): Estimate {
  if (value === null) return missing(sentence(reason));
  const { estimate, interval } = value;
  return interval.value === null
    ? { estimate, low: null, high: null, reason: sentence(interval.reason) }
    : { estimate, low: interval.value.low, high: interval.value.high, reason: null };
}

function missing(reason: string): Estimate {
  return { estimate: null, low: null, high: null, reason };
}

function sentence(reason: Parameters<typeof explainNotEstimable>[0]): string {
  const text = explainNotEstimable(reason);
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
}
