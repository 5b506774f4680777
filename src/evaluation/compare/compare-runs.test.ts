import { describe, expect, it, vi } from "vitest";
import { syntheticBundle } from "../../../tests/fixtures/synthetic-bundle.ts";
import { createRandom } from "../../statistics/index.ts";
import { analyseRun, furtherAnalysis } from "../analysis/index.ts";
import type { Analysis } from "../analysis-result.ts";
import { analysedRun } from "./analysed-run-fixtures.ts";
import type { AnalysedRun } from "./comparison.ts";
import { compareRuns } from "./compare-runs.ts";

vi.setConfig({ testTimeout: 120_000 });

const bundle = syntheticBundle({ examples: 32 });
const base = analyseRun(bundle, { replications: 100 });
const random = createRandom("compare");

/** An analysed run whose questions have the given composites. */
function run(
  model: string,
  dataset: string,
  mean: number,
  change: Partial<AnalysedRun["spec"]> = {},
): AnalysedRun {
  const examples = base.examples.map((example) => ({
    ...example,
    composite: mean + 0.08 * random.normal(),
    complete: true,
  }));
  return analysedRun(bundle, model, dataset, { ...base, examples }, change);
}

describe("compareRuns", () => {
  it("confirms a planted reversal, and says which model is more stable where", () => {
    const { findings, orderChanges, cells, factor } = compareRuns([
      run("a", "facts", 0.2),
      run("b", "facts", 0.4),
      run("a", "essays", 0.5),
      run("b", "essays", 0.3),
    ]);
    expect(factor).toBe("model");
    expect(orderChanges).toMatchObject([{ contenders: ["a", "b"], status: "confirmed" }]);
    expect(findings[2].sentence).toMatch(
      /^1 reversal is confirmed .*: a is more stable than b on facts \(by 0\.\d\d\) and less on essays \(by 0\.\d\d\)\.$/,
    );
    expect(cells).toHaveLength(4);
    expect(cells[0]?.low).toBeLessThan(cells[0]?.estimate ?? NaN);
  });

  it("finds no reversal where there is none, and calls a chance change of sign unresolved", () => {
    const steady = compareRuns([
      run("a", "facts", 0.2),
      run("b", "facts", 0.4),
      run("a", "essays", 0.3),
      run("b", "essays", 0.5),
    ]);
    expect(steady.orderChanges).toEqual([]);
    expect(steady.findings[2].sentence).toMatch(/^No order changes between the 2 datasets/);
    expect(steady.order).toMatchObject({ contenders: ["a", "b"], share: 1 });
    let confirmed = 0;
    let unresolved = 0;
    for (let draw = 0; draw < 20; draw += 1) {
      const { orderChanges } = compareRuns([
        run("a", "facts", 0.3),
        run("b", "facts", 0.3),
        run("a", "essays", 0.3),
        run("b", "essays", 0.3),
      ]);
      confirmed += orderChanges.filter(({ status }) => status === "confirmed").length;
      unresolved += orderChanges.filter(({ status }) => status === "unresolved").length;
    }
    expect(confirmed).toBeLessThanOrEqual(1);
    expect(unresolved).toBeGreaterThan(0);
  });

  it("names another setting of the same model as the factor, and refuses to compare two differences at once", () => {
    const sampled = {
      decoding: { ...bundle.run.spec.decoding, kind: "sampled" as const, temperature: 1, repeats: 4 },
    };
    const { factor, contenders, findings } = compareRuns([
      run("a", "facts", 0.2),
      run("a", "essays", 0.2),
      run("a", "facts", 0.4, sampled),
      run("a", "essays", 0.4, sampled),
    ]);
    expect(factor).toBe("decoding");
    expect(contenders.map(({ name }) => name)).toEqual([
      "greedy, 6 tokens",
      "sampled at 1, 4 answers, 6 tokens",
    ]);
    expect(findings[2].sentence).toContain("The compared factor is decoding, not the model.");
    const mixed = compareRuns([run("a", "facts", 0.2), run("b", "facts", 0.4, sampled)]);
    expect(mixed.findings[2].sentence).toContain("no single cause");
    expect(mixed.cells).toEqual([]);
  });

  it("takes a setting that differs only between datasets for no factor, and says that it differs", () => {
    const longer = { decoding: { ...bundle.run.spec.decoding, maxNewTokens: 64 } };
    const { factor, cells, notes, runs, findings } = compareRuns([
      run("a", "facts", 0.2),
      run("b", "facts", 0.4),
      run("a", "essays", 0.5, longer),
      run("b", "essays", 0.3, longer),
    ]);
    expect(factor).toBe("model");
    expect(cells).toHaveLength(4);
    expect(notes).toEqual([
      "Between the datasets decoding differs too, so what differs between datasets may be due to that.",
    ]);
    expect(runs.map(({ contender, dataset }) => `${contender} on ${dataset}`)).toEqual([
      "a on facts",
      "b on facts",
      "a on essays",
      "b on essays",
    ]);
    expect(findings[2].count).toEqual({ part: 1, whole: 1 });
  });

  it("corrects for the axes of all runs together, and says where a run repeats another", () => {
    const p = base.axes.generation.aboveFloor.pValue ?? NaN;
    const twice = compareRuns([run("a", "facts", 0.2), { ...run("a", "facts", 0.2), runId: "again" }]);
    expect(twice.runs[0]?.axes.generation.adjustedP).toBeGreaterThanOrEqual(p);
    expect(twice.notes[0]).toMatch(/^1 run repeats another/);
    const once = compareRuns([run("a", "facts", 0.2)]).findings[0].count?.whole ?? NaN;
    expect(twice.findings[0].count?.whole).toBe(2 * once);
  });

  it("says that there is not enough data with one run, no run, or too few questions", () => {
    expect(compareRuns([]).findings.map(({ sentence }) => sentence.slice(0, 15))).toEqual([
      "Not enough data",
      "Not enough data",
      "Not enough data",
    ]);
    const one = compareRuns([run("a", "facts", 0.2)]).findings;
    expect(one[2].sentence).toContain("two models, or one model in two settings, are needed");
    const few = [
      run("a", "facts", 0.2),
      run("b", "facts", 0.4),
      run("a", "essays", 0.5),
      run("b", "essays", 0.3),
    ];
    const cut = (it: AnalysedRun): AnalysedRun => ({
      ...it,
      analysis: { ...it.analysis, examples: it.analysis.examples.slice(0, 5) },
    });
    expect(compareRuns(few.map(cut)).findings[2].sentence).toContain("at least 8 questions");
  });

  it("corrects the tests of all runs together, and lists the axes above noise with their p", () => {
    const noisy = (p: number): Analysis => ({
      ...base,
      axes: {
        ...base.axes,
        generation: {
          ...base.axes.generation,
          aboveFloor: { ...base.axes.generation.aboveFloor, pValue: p },
        },
        activation: {
          ...base.axes.activation,
          aboveFloor: { ...base.axes.activation.aboveFloor, pValue: 0.9 },
        },
        confidence: {
          ...base.axes.confidence,
          aboveFloor: { ...base.axes.confidence.aboveFloor, pValue: 0.8 },
        },
        mirroring: {
          ...base.axes.mirroring,
          aboveFloor: { ...base.axes.mirroring.aboveFloor, pValue: null },
        },
      },
    });
    const first = { ...run("a", "facts", 0.2), analysis: noisy(0.01) };
    const second = { ...run("b", "facts", 0.2), analysis: noisy(0.2) };
    expect(compareRuns([first]).findings[0].sentence).toBe(
      "1 of 3 axes is above noise after correction for 3 tests: generation (p = 0.030).",
    );
    expect(compareRuns([first, second]).findings[0].sentence).toMatch(/^None of 6 axes is above noise/);
  });

  it("tells per run how many pairs of axes fail together", () => {
    const further = furtherAnalysis(bundle, { replications: 100 });
    const { sentence } = compareRuns([{ ...run("a", "facts", 0.2), analysis: { ...base, further } }])
      .findings[1];
    expect(sentence).toMatch(/^Here \(32 questions\) \d of 6 pairs of axes fail together/);
  });
});
