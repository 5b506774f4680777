import { describe, expect, it } from "vitest";
import { syntheticBundle } from "../../../tests/fixtures/synthetic-bundle.ts";
import { analyseRun } from "../analysis/index.ts";
import { compareRuns } from "./compare-runs.ts";
import { analysedRun } from "./analysed-run-fixtures.ts";
import type { AnalysedRun } from "./comparison.ts";
import { onPooledCeiling } from "./pooled-ceiling.ts";

const bundle = syntheticBundle({ examples: 8 });
const base = analyseRun(bundle, { replications: 100 });

/** B, W and C as given; the estimate follows from them. */
function run(model: string, dataset: string, [B, W, C]: readonly [number, number, number]): AnalysedRun {
  const mean = (value: number) => ({ mean: value, pairs: 1 });
  const { generation } = base.axes;
  const raw = { ...generation.raw, B: mean(B), W: mean(W), C: mean(C) };
  return analysedRun(bundle, model, dataset, {
    ...base,
    axes: { ...base.axes, generation: { ...generation, raw, estimate: (B - W) / (C - W) } },
  });
}

describe("a ceiling pooled over datasets", () => {
  const facts = run("a", "facts", [0.2, 0.1, 0.5]);
  const essays = run("a", "essays", [0.3, 0.1, 0.9]);

  it("puts a dataset's own distances on the mean of the ceilings", () => {
    // C is (.5 + .9) / 2 = .7, so (.2 − .1) / (.7 − .1) and (.3 − .1) / (.7 − .1).
    expect(onPooledCeiling(facts, "generation", [facts, essays])).toBeCloseTo(1 / 6, 12);
    expect(onPooledCeiling(essays, "generation", [facts, essays])).toBeCloseTo(1 / 3, 12);
  });

  it("is none for one dataset, and where an axis or a ceiling is missing", () => {
    expect(onPooledCeiling(facts, "generation", [facts])).toBeNull();
    const { axes } = essays.analysis;
    const generation = { ...axes.generation, raw: { ...axes.generation.raw, C: { mean: null, pairs: 0 } } };
    const missing = { ...essays, analysis: { ...essays.analysis, axes: { ...axes, generation } } };
    expect(onPooledCeiling(facts, "generation", [facts, missing])).toBeNull();
    expect(onPooledCeiling(missing, "generation", [facts, missing])).toBeNull();
  });

  it("says which order came from a ceiling alone", () => {
    // On facts b looks the more stable with its own high ceiling; its raw distance is the larger one.
    const runs = [
      run("a", "facts", [0.2, 0, 0.4]),
      run("a", "essays", [0.2, 0, 0.8]),
      run("b", "facts", [0.3, 0, 0.8]),
      run("b", "essays", [0.3, 0, 0.4]),
    ];
    const { notes, runs: compared } = compareRuns(runs);
    expect(notes).toContain(
      "On facts, b is the more stable in generation only by the ceiling of this dataset: with one pooled over the datasets it is a.",
    );
    expect(compared[0]?.axes.generation.pooledCeiling).toBeCloseTo(0.2 / 0.6, 12);
    expect(compared[0]?.axes.mirroring.pooledCeiling).toBeNull();
    const steady = compareRuns([
      facts,
      essays,
      run("b", "facts", [0.3, 0.1, 0.5]),
      run("b", "essays", [0.4, 0.1, 0.9]),
    ]);
    expect(steady.notes.join()).not.toContain("ceiling");
  });
});
