import { describe, expect, it } from "vitest";
import type { ComparedCell } from "../controller.ts";
import { crossings, ordinal, places, slopeLines, spread } from "./slope-layout.ts";

const cell = (contender: string, dataset: string, estimate: number): ComparedCell => ({
  contender,
  dataset,
  runId: contender + dataset,
  estimate,
  low: estimate - 0.1,
  high: estimate + 0.1,
  reason: null,
});
const datasets = [
  { key: "f", name: "Facts" },
  { key: "e", name: "Essays" },
  { key: "j", name: "Judgements" },
];
const contenders = [
  { key: "a", name: "A" },
  { key: "b", name: "B" },
];
const lines = slopeLines(contenders, datasets, [
  cell("a", "f", 0.2),
  cell("b", "f", 0.4),
  cell("a", "e", 0.5),
  cell("b", "e", 0.4),
  cell("a", "j", 0.5),
]);

describe("the slope chart", () => {
  it("marks a change of order where the two lines cross", () => {
    const [crossing] = crossings(lines, datasets, [
      {
        contenders: ["A", "B"],
        datasets: ["Facts", "Essays"],
        differences: [-0.2, 0.1],
        status: "confirmed",
      },
    ]);
    expect(crossing?.at).toBeCloseTo(2 / 3, 12);
    expect(crossing?.value).toBeCloseTo(0.4, 12);
  });

  it("has no place for a change between datasets that are not neighbours, nor for one without estimates", () => {
    const change = (from: string, to: string) => ({
      contenders: ["A", "B"] as const,
      datasets: [from, to] as const,
      differences: [-0.2, 0.1] as const,
      status: "unresolved" as const,
    });
    expect(
      crossings(lines, datasets, [change("Facts", "Judgements"), change("Essays", "Judgements")]),
    ).toEqual([]);
  });

  it("ranks the most stable first, gives ties one place, and none without an estimate", () => {
    expect(places(lines, 0)).toEqual([1, 2]);
    expect(places(lines, 1)).toEqual([2, 1]);
    expect(places(lines, 2)).toEqual([1, null]);
  });

  it("keeps labels apart and in their order", () => {
    const placed = spread([10, 12, 11, 80], 14);
    const sorted = [placed[0], placed[2], placed[1], placed[3]].map(Number);
    for (let at = 1; at < sorted.length; at += 1)
      expect((sorted[at] ?? 0) - (sorted[at - 1] ?? 0)).toBeGreaterThanOrEqual(14);
    expect(spread([], 14)).toEqual([]);
  });

  it("writes places in words", () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 112].map(ordinal)).toEqual([
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "12th",
      "13th",
      "21st",
      "22nd",
      "112th",
    ]);
  });
});
