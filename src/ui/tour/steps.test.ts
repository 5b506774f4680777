import { describe, expect, it } from "vitest";
import { madeUpRun, makeAnalysis } from "../dev/made-up-run.ts";
import { num } from "../format.ts";
import { ranks } from "../questions.ts";
import { tourSteps } from "./steps.ts";

const analysis = makeAnalysis({ done: 32 });

describe("tourSteps", () => {
  it("speaks of the run that is shown, and opens its least stable question", () => {
    const steps = tourSteps(analysis, madeUpRun);
    const texts = steps.map(({ text }) => text).join("\n");
    expect(texts).toContain(`${madeUpRun.spec.model.id} was asked 32 questions`);
    expect(texts).toContain(`, ${num(analysis.axes.generation.floor.estimate)} for generation;`);
    const opened = steps.flatMap(({ route }) => (route.page === "example" ? route.exampleId : []));
    expect(opened.length).toBeGreaterThan(1);
    expect(new Set(opened.map((id) => ranks(analysis.examples).get(id)))).toEqual(new Set([1]));
    expect(steps.at(-1)).toMatchObject({ route: { page: "results" }, target: '[data-tour="run"]' });
  });

  it("does not name a floor that was not measured", () => {
    const { generation } = analysis.axes;
    const without = {
      ...analysis,
      axes: {
        ...analysis.axes,
        generation: { ...generation, floor: { ...generation.floor, estimate: null } },
      },
    };
    const texts = tourSteps(without, madeUpRun).map(({ text }) => text);
    expect(texts.join()).toContain("what such edits do; only");
  });

  it("has no steps where nothing has been measured", () => {
    expect(tourSteps({ ...analysis, examples: [] }, madeUpRun)).toEqual([]);
    const unknown = analysis.examples.map((example) => ({ ...example, composite: null }));
    expect(tourSteps({ ...analysis, examples: unknown }, madeUpRun)).toEqual([]);
  });
});
