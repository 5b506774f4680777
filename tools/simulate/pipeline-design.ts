/** One way of drawing runs, and what is observed of the analysis of each. */
import { analyseRun, measureAxes } from "../../src/evaluation/analysis/analyse-run.ts";
import { exampleResults } from "../../src/evaluation/analysis/example-results.ts";
import { jointEstimates } from "../../src/evaluation/analysis/joint-bootstrap.ts";
import { indexRun } from "../../src/evaluation/analysis/run-index.ts";
import type { Analysis, Estimate } from "../../src/evaluation/analysis-result.ts";
import { createRandom, type RandomSource } from "../../src/statistics/index.ts";
import { AXES } from "../../src/storage/index.ts";
import { simulatedRun, type World } from "./simulated-run.ts";

export interface Observation {
  readonly statistic: string;
  readonly kind: "type-I" | "coverage" | "power";
  /** Rejected, or covered; null where the page gives no test or no interval, and says so. */
  readonly hit: boolean | null;
}

/** True values of each world, by name. */
export type Truths = Record<string, Readonly<Record<string, number>>>;

/** Settings of the page, but fewer draws: they make a p-value or an interval noisier, not larger or wider. */
export const BOOTSTRAP_REPLICATIONS = 1000;
export const RELABELLINGS = 499;
const ALPHA = 0.05;
/** Questions behind the truth, in runs of so many. */
const TRUTH_RUNS = 15;
const TRUTH_EXAMPLES = 400;

export class PipelineDesign {
  readonly name: string;
  readonly examples: number;
  readonly #world: World;
  /** The same object for all designs: what a world's numbers truly are takes a while to find. */
  readonly #truths: Truths;

  constructor(world: World, examples: number, truths: Truths) {
    const decoding = world.repeats > 1 ? `sampled, ${world.repeats} answers a prompt` : "greedy";
    const effect = world.effect
      ? "rewordings do more than null edits"
      : "rewordings do as much as null edits";
    this.name = `whole analysis, ${decoding}, ${effect}, zeros and ties`;
    this.examples = examples;
    this.#world = world;
    this.#truths = truths;
  }

  observe(random: RandomSource): Observation[] {
    const bundle = simulatedRun(this.#world, this.examples, random);
    const analysis = analyseRun(bundle, {
      replications: BOOTSTRAP_REPLICATIONS,
      relabellings: RELABELLINGS,
    });
    return [...this.#tests(analysis), ...this.#intervals(analysis)];
  }

  #tests({ axes }: Analysis): Observation[] {
    const kind = this.#world.effect ? "power" : "type-I";
    const rejected = (p: number | null) => (p === null ? null : p <= ALPHA);
    const ofAxes = AXES.map((axis): Observation => {
      return { statistic: `above noise: ${axis}`, kind, hit: rejected(axes[axis].aboveFloor.pValue) };
    });
    const any = AXES.some((axis) => axes[axis].aboveFloor.above === true);
    const sampling = axes.generation.aboveSampling;
    return [
      ...ofAxes,
      { statistic: "above noise: any axis, after Holm", kind, hit: any },
      ...(sampling
        ? [
            {
              statistic: "wordings against repeats (generation)",
              kind,
              hit: rejected(sampling.pValue),
            } as const,
          ]
        : []),
    ];
  }

  #intervals(analysis: Analysis): Observation[] {
    const truth = (this.#truths[JSON.stringify(this.#world)] ??= truthOf(this.#world));
    return Object.entries(intervalsOf(analysis)).map(([statistic, { low, high }]): Observation => {
      const value = truth[statistic];
      if (value === undefined) throw new RangeError(`There is no truth for ${statistic}.`);
      const hit = low === null || high === null ? null : low <= value && value <= high;
      return { statistic, kind: "coverage", hit };
    });
  }
}

type Bounds = Pick<Estimate, "low" | "high">;

/** Every interval that the page shows of a run. */
function intervalsOf({ axes, composite, beside }: Analysis): Record<string, Bounds> {
  const intervals: Record<string, Bounds> = {};
  for (const axis of AXES) {
    intervals[`instability: ${axis}`] = axes[axis];
    intervals[`floor: ${axis}`] = axes[axis].floor;
    if (axis !== "mirroring") intervals[`share of changed questions: ${axis}`] = axes[axis].changed;
  }
  intervals["mirroring, signed"] = axes.mirroring.signed ?? { low: null, high: null };
  intervals["composite"] = composite;
  intervals["accuracy"] = beside.accuracyOriginal ?? { low: null, high: null };
  return intervals;
}

/** The same numbers over a great many questions. Fixed by the world alone, whatever was simulated before. */
function truthOf(world: World): Record<string, number> {
  const random = createRandom(`truth/${JSON.stringify(world)}`);
  const sums: Record<string, number> = {};
  for (let run = 0; run < TRUTH_RUNS; run += 1) {
    const bundle = simulatedRun(world, TRUTH_EXAMPLES, random.split(run));
    const index = indexRun(bundle, null);
    const measured = measureAxes(index);
    const results = exampleResults(index, measured);
    const available = results.map(() => ({
      generation: true,
      activation: true,
      confidence: true,
      mirroring: true,
    }));
    // Point estimates only: one resample, which is not looked at.
    const joint = jointEstimates(measured, available, random.split(`${run}/joint`), {
      replications: 1,
      isCancelled: () => false,
      sampled: world.repeats > 1,
    });
    const add = (name: string, value: number | null) => {
      if (value === null) throw new RangeError(`${name} does not exist in the simulated world.`);
      sums[name] = (sums[name] ?? 0) + value / TRUTH_RUNS;
    };
    for (const axis of AXES) {
      add(`instability: ${axis}`, joint.axes[axis].estimate.estimate);
      add(`floor: ${axis}`, joint.axes[axis].floor.estimate);
    }
    add("mirroring, signed", joint.signedMirroring.estimate);
    add("composite", joint.composite.estimate);
    const share = (holds: (at: number) => boolean) =>
      results.filter((_, at) => holds(at)).length / results.length;
    add(
      "accuracy",
      share((at) => results[at]?.prompts[0]?.correct === true),
    );
    const moved = (axis: "activation" | "confidence", from: number) =>
      share(
        (at) =>
          measured[axis].distances.toOriginal[at]?.variants.some((it) => it !== null && it > from) ?? false,
      );
    add("share of changed questions: activation", moved("activation", 1e-6));
    add("share of changed questions: confidence", moved("confidence", 1e-3));
    add(
      "share of changed questions: generation",
      share((at) => {
        const example = index.examples[at];
        const text = example?.original.generations[0].text;
        return example?.variants.some(({ generations }) => generations[0].text !== text) ?? false;
      }),
    );
  }
  return sums;
}
