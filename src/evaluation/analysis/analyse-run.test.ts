import { describe, expect, it } from "vitest";
import { syntheticBundle } from "../../../tests/fixtures/synthetic-bundle.ts";
import type { RunBundle } from "../../storage/index.ts";
import { analyseRun } from "./index.ts";

const OPTIONS = { replications: 200 };

/** Thousands of relabellings in every test: on a busy machine the default five seconds are too few. */
describe("analyseRun", { timeout: 60_000 }, () => {
  it("recovers the planted instability and floor of every calibrated axis", () => {
    const planted = { generation: 0.4, activation: 0.25, confidence: 0.3, mirroring: 0 };
    const { axes, composite } = analyseRun(syntheticBundle({ planted }), OPTIONS);
    expect(axes.generation.estimate).toBeCloseTo(0.4, 6);
    expect(axes.activation.estimate).toBeCloseTo(0.25, 4);
    expect(axes.confidence.estimate).toBeCloseTo(0.3, 2);
    expect(axes.generation.floor.estimate).toBeCloseTo(0.05, 6);
    expect(axes.activation.floor.estimate).toBeCloseTo(0.02, 4);
    expect(axes.confidence.floor.estimate).toBeCloseTo(0.04, 2);
    expect(axes.mirroring.estimate).toBe(0);
    expect(composite.estimate).toBeCloseTo((0.4 + 0.25 + 0.3 + 0) / 4, 2);
    expect(composite.complete).toBe(true);
  });

  it("gives intervals around the planted values, none where all examples agree, and says why", () => {
    const { axes } = analyseRun(syntheticBundle(), OPTIONS);
    for (const axis of ["generation", "activation", "confidence"] as const) {
      const { low, high, estimate } = axes[axis];
      expect(low).toBeLessThan(estimate ?? NaN);
      expect(high).toBeGreaterThan(estimate ?? NaN);
    }
    expect(axes.mirroring).toMatchObject({ estimate: 0, low: null, high: null });
    expect(axes.mirroring.reason).toBe("all examples have the same value, so there is no interval");
  });

  it("shows the planted rise over the layers", () => {
    const { layers } = analyseRun(syntheticBundle({ layers: 5 }), OPTIONS).axes.activation;
    const expected = [0.125, 0.1875, 0.25, 0.3125, 0.375];
    expect(layers?.map(({ layer }) => layer)).toEqual([1, 2, 3, 4, 5]);
    layers?.forEach(({ estimate }, at) => expect(estimate).toBeCloseTo(expected[at] ?? NaN, 3));
  });

  it("takes W out on both ends when answers are sampled, and tests against sampling too", () => {
    const bundle = syntheticBundle({ examples: 8, repeats: 3, rerunDistance: 0.3 });
    const { generation } = analyseRun(bundle, OPTIONS).axes;
    expect(generation.raw.W.mean).toBeCloseTo(0.3, 5);
    expect(generation.raw.B.mean).toBeCloseTo(0.58, 5);
    expect(generation.estimate).toBeCloseTo(0.4, 5);
    expect(generation.floor.estimate).toBeCloseTo(0.05, 5);
    expect(generation.aboveSampling?.above).toBe(true);
    const stable = { generation: 0, activation: 0, confidence: 0, mirroring: 0 };
    const null_ = analyseRun(
      syntheticBundle({ examples: 8, repeats: 3, rerunDistance: 0.3, planted: stable, floor: stable }),
      OPTIONS,
    );
    expect(null_.axes.generation.estimate).toBeCloseTo(0, 5);
    expect(null_.axes.generation.aboveSampling?.above).toBe(false);
  });

  it("finds axes above their floor, and none where variants do no more than null edits", () => {
    const above = analyseRun(syntheticBundle({ planted: { ...PLANTED, mirroring: 1 } }), OPTIONS).axes;
    expect(
      [above.generation, above.activation, above.confidence, above.mirroring].map(
        (it) => it.aboveFloor.above,
      ),
    ).toEqual([true, true, true, true]);
    const still = { generation: 0, activation: 0, confidence: 0, mirroring: 0 };
    const within = analyseRun(syntheticBundle({ planted: still, floor: still }), OPTIONS).axes;
    expect(within.generation.aboveFloor).toMatchObject({ pValue: 1, above: false, difference: 0 });
    expect(within.mirroring.aboveFloor).toMatchObject({ pValue: 1, above: false });
    expect(within.generation.changed.count).toBe(0);
    expect(within.confidence.changed.count).toBe(0);
    expect(within.activation.changed.count).toBe(0);
  });

  it("sees answers that take over the style of their prompts", () => {
    const { mirroring } = analyseRun(
      syntheticBundle({ planted: { ...PLANTED, mirroring: 1 } }),
      OPTIONS,
    ).axes;
    expect(mirroring.signed?.estimate).toBeGreaterThan(0.05);
    expect(mirroring.estimate ?? 0).toBeGreaterThan((mirroring.floor.estimate ?? 1) + 0.02);
    const { B, C } = mirroring.raw;
    expect((B.mean ?? NaN) - (C.mean ?? NaN)).toBeCloseTo(mirroring.signed?.estimate ?? NaN, 12);
  });

  it("does not depend on the order of the records, and gives the same figures for the same seed", () => {
    const bundle = syntheticBundle({ examples: 10, planted: { ...PLANTED, mirroring: 0.5 } });
    const reversed: RunBundle = {
      ...bundle,
      generations: bundle.generations.toReversed(),
      activations: bundle.activations.toReversed(),
      scores: bundle.scores.toReversed(),
      embeddings: bundle.embeddings.toReversed(),
    };
    const first = analyseRun(bundle, OPTIONS);
    expect(analyseRun(bundle, OPTIONS)).toEqual(first);
    expect(analyseRun(reversed, OPTIONS)).toEqual(first);
  });

  it("says where the meaning gate left no wording to compare, and where there was none", () => {
    const bundle = syntheticBundle({ examples: 4 });
    const isVariant = ({ promptId }: { promptId: string }) =>
      bundle.run.prompts.some((prompt) => prompt.promptId === promptId && prompt.role === "variant");
    const gate = {
      ...{ key: "gate", threshold: 0.9, notApplied: null, unrelatedPairs: 28, unrelatedSimilarity: 0.88 },
      ...{ quantile: 0.95, margin: 0.02, checked: 8, rejected: [] },
    };
    const rejected = bundle.run.prompts
      .filter(isVariant)
      .map(({ role: _role, ...prompt }) => ({ ...prompt, similarity: 0.5, reason: "Too far." }));
    const kept = bundle.run.prompts.filter((prompt) => !isVariant(prompt));
    const emptied = analyseRun(
      { ...bundle, run: { ...bundle.run, prompts: kept, meaningGate: { ...gate, rejected } } },
      OPTIONS,
    );
    expect(emptied.axes.generation.estimate).toBeNull();
    expect(emptied.notes[0]).toMatch(/^4 of 4 questions are left with their original only/);
    const run = { ...bundle.run, meaningGate: { ...gate, threshold: null, notApplied: "Too few." } };
    expect(analyseRun({ ...bundle, run }, OPTIONS).notes[0]).toBe(
      "The wordings’ meaning was not checked. Too few.",
    );
  });

  it("leaves out incomplete examples of a run in progress and says how many", () => {
    const bundle = syntheticBundle({ examples: 8 });
    const partial: RunBundle = {
      ...bundle,
      run: { ...bundle.run, status: "running" },
      generations: bundle.generations.filter((it) => it.exampleId !== "example-7" && !lacks(it, "example-6")),
      embeddings: bundle.embeddings.filter((it) => it.exampleId !== "example-7" && !lacks(it, "example-5")),
    };
    const analysis = analyseRun(partial, OPTIONS);
    expect(analysis.examples.map(({ exampleId }) => exampleId)).toEqual(
      [0, 1, 2, 3, 4].map((at) => `example-${at}`),
    );
    expect(analysis.notes[0]).toBe("5 of 8 examples are complete; the others are left out.");
    expect(hasNaN(analysis)).toBe(false);
  });

  it.each([0, 1, 2, 3])("gives no interval and no NaN for %d complete examples", (count) => {
    const only = Array.from({ length: count }, (_, at) => `example-${at}`);
    const analysis = analyseRun(syntheticBundle(), { ...OPTIONS, onlyExamples: only });
    expect(analysis.examplesAnalysed).toBe(count);
    expect(hasNaN(analysis)).toBe(false);
    for (const axis of Object.values(analysis.axes)) {
      expect(axis.low).toBeNull();
      expect(axis.reason).toMatch(/./);
    }
    expect(analysis.axes.generation.estimate === null).toBe(count < 2);
  });

  it("keeps the other axes when activations, scores or null edits are missing", () => {
    const bundle = syntheticBundle({ nullEdits: 0 });
    const { axes, composite, notes } = analyseRun({ ...bundle, activations: [], scores: [] }, OPTIONS);
    expect(axes.activation).toMatchObject({ estimate: null, low: null, layers: null });
    expect(axes.activation.reason).toContain("layers of its model");
    expect(axes.confidence).toMatchObject({ estimate: null, reason: "the answer was not scored" });
    expect(axes.generation.estimate).toBeCloseTo(0.4, 5);
    expect(axes.generation.floor).toMatchObject({ estimate: null, reason: "there are no null edits" });
    expect(axes.generation.aboveFloor).toMatchObject({
      above: null,
      reason: "there are no null edits to compare with",
    });
    expect(composite).toMatchObject({ complete: false, axes: ["generation", "mirroring"] });
    expect(notes.some((note) => note.startsWith("The activations axis is missing"))).toBe(true);
  });

  it("makes the composite from examples that have all axes the set has", () => {
    const bundle = syntheticBundle({ examples: 6 });
    const scores = bundle.scores.filter((it) => it.exampleId !== "example-0");
    const analysis = analyseRun({ ...bundle, scores }, OPTIONS);
    const complete = analysis.examples.filter((it) => it.complete);
    expect(complete).toHaveLength(5);
    expect(analysis.examples[0]).toMatchObject({ complete: false });
    expect(analysis.examples[0]?.axes.confidence.reason).toBe("the answer was not scored");
    const mean = complete.reduce((sum, it) => sum + (it.composite ?? NaN), 0) / 5;
    expect(analysis.composite.estimate).toBeCloseTo(mean, 10);
  });

  it("counts a null edit that was not run as the original again", () => {
    const bundle = syntheticBundle({ examples: 6 });
    const kept = <T extends { readonly promptId: string }>(records: readonly T[]) =>
      records.filter((it) => it.promptId !== "null:0");
    const analysis = analyseRun(
      {
        ...bundle,
        generations: kept(bundle.generations),
        activations: kept(bundle.activations),
        scores: kept(bundle.scores),
        embeddings: kept(bundle.embeddings),
      },
      OPTIONS,
    );
    const edit = analysis.examples[0]?.prompts.find((it) => it.promptId === "null:0");
    expect(edit).toMatchObject({
      sameTokens: true,
      distance: { generation: 0, activation: 0, confidence: 0 },
    });
    expect(analysis.axes.generation.floor.estimate).toBeCloseTo((0.05 * 2) / 3, 5);
    expect(analysis.axes.confidence.floor.estimate).toBeCloseTo((0.04 * 2) / 3, 2);
    expect(analysis.notes.some((note) => note.startsWith("6 of 18 null edits"))).toBe(true);
  });

  it("reports accuracy of the original, the best and the worst wording, and flags the changed answer", () => {
    const { beside, examples } = analyseRun(syntheticBundle({ examples: 8 }), OPTIONS);
    expect(beside.accuracyOriginal).toMatchObject({ correct: 8, total: 8, high: 1 });
    expect(beside).toMatchObject({
      accuracyBest: 1,
      accuracyWorst: 0.75,
      constant: false,
      truncated: 0,
      answers: 80,
    });
    expect(examples[1]?.flags).toEqual([
      {
        kind: "answer-changes",
        text: "answer changes",
        why: "The gold answer is missing under 1 of 7 wordings.",
        promptIds: ["v1"],
      },
    ]);
    expect(examples[0]?.flags).toEqual([]);
  });

  it("flags degenerate answers and a model that always says the same", () => {
    const bundle = syntheticBundle({ examples: 5 });
    const change = (text: string, finish: "eos" | "length") => ({
      ...bundle,
      generations: bundle.generations.map((it) => ({ ...it, text, finish })),
    });
    const looping = analyseRun(change("I do not know that. ".repeat(8), "length"), OPTIONS);
    expect(looping.beside).toMatchObject({ constant: true, truncated: 50, looping: 50 });
    expect(looping.examples[0]?.flags.map(({ kind }) => kind)).toEqual(["truncated", "looping", "constant"]);
    expect(looping.notes.some((note) => note.includes("were cut off"))).toBe(true);
    const silent = analyseRun(
      { ...change("", "eos"), embeddings: bundle.embeddings.map((it) => ({ ...it, vector: null })) },
      OPTIONS,
    );
    expect(silent.axes.generation).toMatchObject({ estimate: null, reason: "all answers are empty" });
    expect(silent.axes.mirroring).toMatchObject({ estimate: null, reason: "all answers are empty" });
    expect(silent.axes.activation.estimate).toBeCloseTo(0.25, 3);
    expect(silent.beside.empty).toBe(50);
  });

  it("nulls an axis whose unrelated examples are as close as wordings", () => {
    const bundle = syntheticBundle({ examples: 6 });
    const [first] = bundle.embeddings;
    const embeddings = bundle.embeddings.map((it) => ({ ...it, vector: first?.vector ?? null }));
    const { generation } = analyseRun({ ...bundle, embeddings }, OPTIONS).axes;
    expect(generation.estimate).toBeNull();
    expect(generation.reason).toContain("there is no scale to measure on");
    expect(generation.raw.B.mean).toBe(0);
  });

  it("reports re-runs that give other tokens", () => {
    const bundle = syntheticBundle({ examples: 4 });
    const generations = bundle.generations.map((it) =>
      it.repeat === 1 && it.exampleId === "example-2"
        ? { ...it, tokenIds: it.tokenIds.map((id) => id + 1) }
        : it,
    );
    const scores = bundle.scores.flatMap((it) =>
      it.relation === "original" ? [it, { ...it, relation: "rerun" as const, key: `${it.key}/again` }] : [it],
    );
    expect(analyseRun({ ...bundle, generations, scores }, OPTIONS).determinism).toEqual({
      reruns: 4,
      identical: 3,
      maxDistance: 0,
    });
  });

  it("ends with an AbortError when cancelled", () => {
    let asked = 0;
    const isCancelled = () => ++asked > 20;
    expect(() => analyseRun(syntheticBundle(), { ...OPTIONS, isCancelled })).toThrow(
      expect.objectContaining({ name: "AbortError" }),
    );
  });

  it("survives JSON unchanged", () => {
    const analysis = analyseRun(syntheticBundle({ examples: 5 }), OPTIONS);
    expect(JSON.parse(JSON.stringify(analysis))).toEqual(analysis);
  });
});

const PLANTED = { generation: 0.4, activation: 0.25, confidence: 0.3, mirroring: 0 };

const lacks = (record: { readonly exampleId: string; readonly promptId: string }, exampleId: string) =>
  record.exampleId === exampleId && record.promptId === "v3";

function hasNaN(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasNaN);
}
