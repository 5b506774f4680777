import { describe, expect, it } from "vitest";
import type { AxisId, ExampleResult } from "./controller.ts";
import { dotStride, dottedQuestions, glyphLabel, listedQuestions, ranks, shownValue } from "./questions.ts";
import { resultsHome } from "./route.ts";

function question(
  exampleId: string,
  composite: number | null,
  more: Partial<ExampleResult> = {},
): ExampleResult {
  const axis = { instability: composite, reason: null, B: null, W: null, C: null, N: null, signed: null };
  return {
    exampleId,
    prompt: `Question ${exampleId}`,
    gold: null,
    composite,
    complete: composite !== null,
    flags: [],
    prompts: [],
    axes: {
      generation: axis,
      activation: axis,
      confidence: axis,
      mirroring: { ...axis, signed: composite === null ? null : -composite },
    },
    ...more,
  };
}
const flag = { kind: "looping", text: "1 loop", why: "", promptIds: [] } as const;
const all = [
  question("a", 0.2),
  question("b", null),
  question("c", 0.5, { flags: [flag] }),
  question("d", 0.2),
];
const ids = (list: readonly ExampleResult[]) => list.map(({ exampleId }) => exampleId).join("");

describe("the questions that have a dot", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => question(String(at), at % 7 === 3 ? null : (at * 37) % count));

  it("are all of them, in their order, as long as there is room", () => {
    const examples = many(750);
    expect(dottedQuestions(examples)).toBe(examples);
    expect(dotStride(750)).toBe(1);
  });

  it("are an even choice from the least stable on where there are too many, those without a number last", () => {
    const examples = many(2000);
    const drawn = dottedQuestions(examples);
    expect(dotStride(2000)).toBe(3);
    expect(drawn).toHaveLength(667);
    expect(drawn[0]?.composite).toBe(Math.max(...examples.map(({ composite }) => composite ?? 0)));
    expect(drawn.at(-1)?.composite).toBeNull();
    const meanOf = (list: readonly ExampleResult[]) => {
      const known = list.flatMap(({ composite }) => composite ?? []);
      return known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    expect(meanOf(drawn) / meanOf(examples)).toBeCloseTo(1, 2);
  });
});

describe("the list of questions", () => {
  it("puts the least stable first and keeps what was not measured last, both ways", () => {
    expect(ids(listedQuestions(all, resultsHome))).toBe("cadb");
    expect(ids(listedQuestions(all, { ...resultsHome, ascending: true }))).toBe("adcb");
  });
  it("sorts mirroring by its signed value", () => {
    expect(ids(listedQuestions(all, { ...resultsHome, sort: "mirroring" }))).toBe("adcb");
  });
  it("can keep the order of the set, and turn it around", () => {
    expect(ids(listedQuestions(all, { ...resultsHome, sort: "order", ascending: true }))).toBe("abcd");
    expect(ids(listedQuestions(all, { ...resultsHome, sort: "order" }))).toBe("dcba");
  });
  it("finds text in any case and shows only flagged ones when asked", () => {
    expect(ids(listedQuestions(all, { ...resultsHome, find: " QUESTION C " }))).toBe("c");
    expect(ids(listedQuestions(all, { ...resultsHome, flaggedOnly: true }))).toBe("c");
  });
  it("does not reorder the analysis it was given", () => {
    const before = ids(all);
    listedQuestions(all, resultsHome);
    expect(ids(all)).toBe(before);
  });
});

it("shares the better rank between ties and puts missing numbers last", () => {
  expect([...ranks(all).entries()]).toEqual([
    ["a", 2],
    ["b", 4],
    ["c", 1],
    ["d", 2],
  ]);
});

it("says in words what the glyph shows, and that an axis is missing", () => {
  const text = glyphLabel(question("x", null), String);
  expect(text).toContain("Activations not measured");
  const axes: AxisId[] = ["generation", "mirroring"];
  expect(axes.map((axis) => shownValue(question("x", 0.3), axis))).toEqual([0.3, -0.3]);
});
