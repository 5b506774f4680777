import { describe, expect, it } from "vitest";
import type { ComparedRun, Estimate } from "../controller.ts";
import { accuracyPoints } from "./accuracy-points.ts";
import { contenderLook } from "./contender-look.ts";
import { forestEnd, forestRows } from "./forest-rows.ts";

const none: Estimate = { estimate: null, low: null, high: null, reason: "not measured" };
function run(contender: string, dataset: string, change: Partial<ComparedRun> = {}): ComparedRun {
  const axis = { ...none, floor: null, pooledCeiling: null, adjustedP: null, above: null };
  return {
    runId: `${contender}/${dataset}`,
    createdAt: "2026-01-01T00:00:00Z",
    contender,
    dataset,
    examples: 32,
    axes: { generation: axis, activation: axis, confidence: axis, mirroring: axis },
    composite: { estimate: 0.3, low: 0.2, high: 0.5, reason: null, complete: true, axes: [] },
    accuracy: { correct: 8, total: 32, low: 0.1, high: 0.4 },
    accuracyWorst: 0.2,
    accuracyBest: 0.3,
    independence: null,
    ...change,
  };
}

describe("the rows of the forest plot", () => {
  it("stand under their dataset, in the order of the contenders", () => {
    const runs = [run("B", "Facts"), run("A", "Essays"), run("A", "Facts", { examples: 16 })];
    const rows = forestRows(runs, [{ name: "A" }, { name: "B" }]);
    expect(rows.map(({ run: { runId }, heading, contender }) => [runId, heading, contender])).toEqual([
      ["A/Facts", "Facts, 16 to 32 questions", 0],
      ["B/Facts", null, 1],
      ["A/Essays", "Essays, 32 questions", 0],
    ]);
  });

  it("share a scale that holds every interval, also with nothing measured", () => {
    const base = run("A", "Facts");
    const measured = {
      estimate: 0.4,
      low: 0.3,
      high: 1.1,
      reason: null,
      floor: 0.1,
      pooledCeiling: null,
      adjustedP: 0.01,
      above: true,
    };
    expect(forestEnd([{ ...base, axes: { ...base.axes, generation: measured } }])).toBe(1.1);
    expect(forestEnd([base])).toBe(0.2);
  });
});

describe("stability against accuracy", () => {
  it("turns the composite and its interval round", () => {
    const [point] = accuracyPoints([run("A", "Facts")]);
    expect(point).toMatchObject({ stability: 0.7, low: 0.5, high: 0.8, accuracy: 0.25 });
  });

  it("leaves out what has no known answers, or not all four axes", () => {
    const partial = { ...run("A", "Facts").composite, complete: false };
    expect(
      accuracyPoints([run("A", "Essays", { accuracy: null }), run("A", "Facts", { composite: partial })]),
    ).toEqual([]);
  });
});

it("tells four contenders apart without colour", () => {
  const looks = [0, 1, 2, 3].map((at) => JSON.stringify(contenderLook(at)));
  expect(new Set(looks).size).toBe(4);
});
