import { AXES, type AxisId } from "../../storage/index.ts";
import {
  explainNotEstimable,
  holm,
  pooledPairingPermutation,
  sampledExcessPermutation,
  withinExamplePermutation,
  type Estimable,
  type PermutationTest,
  type RandomSource,
} from "../../statistics/index.ts";
import { embeddingDistance } from "../../metrics/index.ts";
import type { AxisResult } from "../analysis-result.ts";
import type { AxisDistances } from "./axis-distances.ts";
import type { MeasuredAxes } from "./joint-bootstrap.ts";
import type { ExampleRecords } from "./run-index.ts";

type Test = AxisResult["aboveFloor"];

/** Relabellings drawn: 9,999, but fewer for large sets, whose p-values are rarely near the level. */
export function defaultRelabellings(examples: number): number {
  return Math.max(1999, Math.min(9999, Math.floor(2_000_000 / Math.max(1, examples))));
}

/** Level of the claims on the page. */
const ALPHA = 0.05;

const NULL_EDIT_TEST =
  "Distances to the original, variants against null edits: labels permuted within each example. Holm over the axes.";
const PAIRING_TEST =
  "Answers with their own prompt against answers with another wording: pairings permuted within each example. Holm over the axes.";
const SAMPLING_TEST =
  "Distances between wordings against distances between repeats of one wording: wordings permuted within each example.";

/** The test of every axis against its floor, adjusted over the axes that could be tested. */
export function testsAboveFloor(
  measured: MeasuredAxes,
  random: RandomSource,
  relabellings: number,
): Record<AxisId, Test> {
  const tests: Record<AxisId, Test> = {
    generation: againstNullEdits(
      measured.generation.distances,
      measured.generation.reason,
      random.split("generation"),
      relabellings,
    ),
    activation: againstNullEdits(
      measured.activation.distances,
      measured.activation.reason,
      random.split("activation"),
      relabellings,
    ),
    confidence: againstNullEdits(
      measured.confidence.distances,
      measured.confidence.reason,
      random.split("confidence"),
      relabellings,
    ),
    mirroring: testOf(
      PAIRING_TEST,
      pooledPairingPermutation(
        measured.mirroring.results.flatMap((result) => (result === null ? [] : [result.rows])),
        random.split("mirroring"),
        { permutations: relabellings },
      ),
      measured.mirroring.reasons[0] ?? "no example is complete yet",
    ),
  };
  const adjusted = holm(AXES.map((axis) => tests[axis].pValue));
  for (const [at, axis] of AXES.entries()) {
    const adjustedP = adjusted[at] ?? null;
    tests[axis] = { ...tests[axis], adjustedP, above: adjustedP === null ? null : adjustedP <= ALPHA };
  }
  return tests;
}

function againstNullEdits(
  { toOriginal }: AxisDistances,
  reason: string | null,
  random: RandomSource,
  permutations: number,
): Test {
  const groups = toOriginal.map(({ variants, nullEdits }) => ({
    variants: variants.filter((distance) => distance !== null),
    nullEdits: nullEdits.filter((distance) => distance !== null),
  }));
  if (reason !== null) return untested(NULL_EDIT_TEST, reason);
  return testOf(
    NULL_EDIT_TEST,
    withinExamplePermutation(groups, random, { permutations }),
    "there are no null edits to compare with",
  );
}

function testOf(test: string, { value, reason }: Estimable<PermutationTest>, empty: string): Test {
  if (value === null) return untested(test, reason === "empty" ? empty : explainNotEstimable(reason));
  return {
    test,
    pValue: value.pValue,
    difference: value.statistic,
    examples: value.examples,
    reason: null,
    above: null,
    adjustedP: null,
  };
}

function untested(test: string, reason: string): Test {
  return { test, pValue: null, difference: null, examples: 0, reason, above: null, adjustedP: null };
}

/**
 * Sampled answers only: do different wordings differ more than the same wording asked again? One test, so its
 * p-value is not adjusted.
 */
export function testAboveSampling(
  examples: readonly ExampleRecords[],
  random: RandomSource,
  permutations: number,
): Test {
  const samples = examples.map(({ wordings }) => {
    const answers = wordings.flatMap(({ embeddings }, label) =>
      embeddings.map((embedding) => ({ embedding, label })),
    );
    const distances = new Float64Array(answers.length ** 2);
    for (const [row, a] of answers.entries()) {
      for (let column = row + 1; column < answers.length; column += 1) {
        const b = answers[column];
        if (b) distances[row * answers.length + column] = embeddingDistance(a.embedding, b.embedding);
      }
    }
    return { labels: answers.map(({ label }) => label), distances };
  });
  const test = testOf(
    SAMPLING_TEST,
    sampledExcessPermutation(samples, random, { permutations }),
    "no wording was sampled twice",
  );
  return { ...test, adjustedP: test.pValue, above: test.pValue === null ? null : test.pValue <= ALPHA };
}
