import { spearman, type RandomSource } from "../../../statistics/index.ts";
import type { PlannedPrompt } from "../../../storage/index.ts";
import type { DoseAxis, DoseCurve, DoseResponse } from "../../further-result.ts";
import type { MeasuredAxes } from "../joint-bootstrap.ts";
import type { ExampleRecords } from "../run-index.ts";
import { meansWithIntervals, type ExampleValues } from "./example-means.ts";

const DOSE_AXES: readonly DoseAxis[] = ["generation", "activation", "confidence"];

/** The strength of a variant within its family, where the run's plan says one. */
export function strengthOf(prompt: PlannedPrompt): number | null {
  const strength: unknown = "strength" in prompt ? prompt.strength : undefined;
  return typeof strength === "number" && Number.isFinite(strength) ? strength : null;
}

/** Distance to the original by family and, where variants have one, by strength; on the raw scale of each axis. */
export function doseResponse(
  examples: readonly ExampleRecords[],
  measured: MeasuredAxes,
  random: RandomSource,
  replications: number,
): DoseResponse {
  const families = [
    ...new Set(examples.flatMap(({ variants }) => variants.map(({ prompt }) => prompt.family))),
  ];
  const curves: DoseCurve[] = [];
  const breaksMost: DoseResponse["breaksMost"][number][] = [];
  for (const axis of DOSE_AXES) {
    const distances = (at: number, variant: number) =>
      measured[axis].distances.toOriginal[at]?.variants[variant] ?? null;
    const stream = random.split(axis);
    const byFamily = families.map((family) => meansOfFamily(examples, distances, family));
    const ofAxis = families.map((family, which) => {
      return curveOf(examples, distances, family, axis, byFamily[which] ?? [], stream, replications);
    });
    curves.push(...ofAxis);
    breaksMost.push({ axis, ...leaderOf(ofAxis, byFamily, stream.split("lead"), replications) });
  }
  return { curves, breaksMost };
}

type Distances = (example: number, variant: number) => number | null;

/** Mean distance of each example's variants that `belongs`; null where it has none. */
function meansOf(
  examples: readonly ExampleRecords[],
  distances: Distances,
  belongs: (prompt: PlannedPrompt) => boolean,
): (number | null)[] {
  return examples.map(({ variants }, at) => {
    const known = variants
      .map(({ prompt }, variant) => (belongs(prompt) ? distances(at, variant) : null))
      .filter((distance) => distance !== null);
    return known.length === 0 ? null : known.reduce((sum, it) => sum + it, 0) / known.length;
  });
}

function meansOfFamily(examples: readonly ExampleRecords[], distances: Distances, family: string) {
  return meansOf(examples, distances, (prompt) => prompt.family === family);
}

function curveOf(
  examples: readonly ExampleRecords[],
  distances: Distances,
  family: string,
  axis: DoseAxis,
  means: ExampleValues,
  random: RandomSource,
  replications: number,
): DoseCurve {
  const strengths = [
    ...new Set(
      examples.flatMap(({ variants }) =>
        variants.flatMap(({ prompt }) => (prompt.family === family ? (strengthOf(prompt) ?? []) : [])),
      ),
    ),
  ].sort((a, b) => a - b);
  const columns = [
    means,
    examples.map((example, at) => trendOf(example, at, distances, family)),
    ...strengths.map((strength) =>
      meansOf(examples, distances, (prompt) => prompt.family === family && strengthOf(prompt) === strength),
    ),
  ];
  const noTrend =
    strengths.length < 2
      ? "its variants have no strengths"
      : "no question has three wordings of several strengths at distances that differ";
  const [whole, trend, ...points] = meansWithIntervals(
    columns,
    ["no distance was measured", noTrend, ...strengths.map(() => "no distance was measured")],
    random.split(family),
    replications,
  );
  if (!whole || !trend) throw new RangeError("A curve lost its estimates.");
  const count = (column: ExampleValues | undefined) => (column ?? []).filter((it) => it !== null).length;
  return {
    family,
    axis,
    ...whole,
    examples: count(means),
    points: points.flatMap((point, at) => {
      const strength = strengths[at];
      return strength === undefined ? [] : [{ strength, ...point, examples: count(columns[at + 2]) }];
    }),
    trend,
  };
}

/**
 * Spearman's correlation of the size of the change and the distance over one example's variants of the family. The size
 * is |strength|: from very rude (−10) to very polite (10) the distance falls and rises again.
 */
function trendOf(
  { variants }: ExampleRecords,
  at: number,
  distances: Distances,
  family: string,
): number | null {
  const known = variants.flatMap(({ prompt }, variant) => {
    const strength = prompt.family === family ? strengthOf(prompt) : null;
    const distance = distances(at, variant);
    return strength === null || distance === null ? [] : [{ strength, distance }];
  });
  return spearman(
    known.map(({ strength }) => Math.abs(strength)),
    known.map(({ distance }) => distance),
  ).value;
}

/** The family with the largest mean, and its lead over the next, question by question. */
function leaderOf(
  curves: readonly DoseCurve[],
  byFamily: readonly ExampleValues[],
  random: RandomSource,
  replications: number,
): Omit<DoseResponse["breaksMost"][number], "axis"> {
  const order = curves
    .map(({ estimate }, which) => ({ estimate, which }))
    .filter(({ estimate }) => estimate !== null)
    .sort((a, b) => (b.estimate ?? 0) - (a.estimate ?? 0));
  const [first, second] = order;
  const none = { estimate: null, low: null, high: null };
  if (!first) return { family: null, leader: null, lead: { ...none, reason: "no distance was measured" } };
  const leader = curves[first.which]?.family ?? null;
  if (!second) return { family: null, leader, lead: { ...none, reason: "there is only one family" } };
  const differences = (byFamily[first.which] ?? []).map((value, at) => {
    const other = byFamily[second.which]?.[at] ?? null;
    return value === null || other === null ? null : value - other;
  });
  const [lead] = meansWithIntervals(
    [differences],
    ["no question has variants of both"],
    random,
    replications,
  );
  if (!lead) throw new RangeError("A lead lost its estimate.");
  return { family: lead.low !== null && lead.low > 0 ? leader : null, leader, lead };
}
