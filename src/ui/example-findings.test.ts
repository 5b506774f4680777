import { describe, expect, it } from "vitest";
import { axisLook } from "./axes.ts";
import type { ExamplePrompt, ExampleResult } from "./controller.ts";
import {
  answerGrid,
  answersTitle,
  exampleLede,
  featureRange,
  mirrorVerdict,
  rulerReading,
} from "./example-findings.ts";

function prompt(promptId: string, response: string, correct: boolean | null): ExamplePrompt {
  return {
    promptId,
    role: promptId === "original" ? "original" : "variant",
    family: "style",
    label: promptId,
    text: "?",
    response,
    correct,
    tokens: 3,
    finish: "eos",
    meanProbability: 0.5,
    distance: { generation: 0, activation: 0, confidence: 0 },
    sameTokens: false,
    flags: [],
  };
}
const none = {
  instability: null,
  reason: "No answers yet.",
  B: null,
  W: null,
  C: null,
  N: null,
  signed: null,
};
function example(gold: string[] | null, ...prompts: ExamplePrompt[]): ExampleResult {
  return {
    exampleId: "e",
    prompt: "?",
    gold,
    prompts,
    composite: null,
    complete: false,
    flags: [],
    axes: {
      generation: { ...none, instability: 0.68, B: 0.517, W: 0, C: 0.76, N: 0.03 },
      activation: none,
      confidence: none,
      mirroring: { ...none, instability: 0.36, B: 0.91, C: 0.53, signed: 0.38 },
    },
  };
}
const sentence = (e: ExampleResult) => {
  const { before, strong, after } = exampleLede(e);
  return before + strong + after;
};

describe("what happened to a question", () => {
  it("says how many wordings lose the right answer", () => {
    const e = example(
      ["skin"],
      prompt("original", "Skin", true),
      prompt("a", "Liver", false),
      prompt("b", "Skin", true),
      prompt("c", "Heart", false),
    );
    expect(sentence(e)).toBe("Two of three new wordings lose the right answer, skin.");
    expect(answersTitle(e)).toBe("Four wordings, three answers");
  });
  it("says how many find it when the first answer is wrong", () => {
    const e = example(
      ["skin"],
      prompt("original", "Liver", false),
      prompt("a", "Skin", true),
      prompt("b", "Bone", false),
    );
    expect(sentence(e)).toBe(
      "Asked in the original words it is wrong; one of two new wordings finds the right answer, skin.",
    );
  });
  it("counts different answers where there is no right one, not minding case and marks", () => {
    const e = example(
      null,
      prompt("original", "Bring water.", null),
      prompt("a", "bring water", null),
      prompt("b", "Bring bread", null),
    );
    expect(sentence(e)).toBe(
      "Two new wordings get two different answers; one is the first one word for word.",
    );
  });
  it("says so when nothing changes", () => {
    expect(sentence(example(null, prompt("original", "Yes", null), prompt("a", "Yes", null)))).toContain(
      "the same answer",
    );
  });
});

describe("rulers", () => {
  it("shows the way from W to C and the formula behind the number", () => {
    expect(rulerReading(example(null), axisLook("generation"))).toMatchObject({
      known: true,
      value: 0.68,
      stray: 0.03,
      formula: "(0.52 − 0.00) / (0.76 − 0.00)",
    });
  });
  it("shows mirroring as a difference without an end", () => {
    expect(rulerReading(example(null), axisLook("mirroring"))).toMatchObject({
      known: true,
      value: 0.38,
      end: null,
      formula: "0.91 − 0.53",
    });
  });
  it("gives the reason where there is no number", () => {
    expect(rulerReading(example(null), axisLook("confidence"))).toEqual({
      known: false,
      reason: "No answers yet.",
    });
  });
});

describe("features", () => {
  it("calls a feature following only when the whole interval is above zero", () => {
    expect(mirrorVerdict(0.46, 0.31, 0.58).text).toBe("follows");
    expect(mirrorVerdict(0.5, -0.1, 0.9).text).toBe("unclear");
    expect(mirrorVerdict(0, 0, 0.11).text).toBe("does not follow");
    expect(mirrorVerdict(0.4, null, null).text).toBe("unclear");
    expect(mirrorVerdict(null, null, null).text).toBe("not varied here");
  });
  it("writes the range of a feature as short as it can", () => {
    expect([featureRange([3, 100, 3]), featureRange([0, 4.3]), featureRange([2, 2])]).toEqual([
      "3 to 100",
      "0 to 4.3",
      "2",
    ]);
  });
});

describe("the grid of answers", () => {
  it.each([320, 600, 900, 1200])("leaves no hole that nothing fills at %i px", (width) => {
    for (let variants = 0; variants <= 14; variants += 1) {
      const { columns, firstRows, rest } = answerGrid(width, variants);
      const first = columns === 2 ? 2 : firstRows;
      expect((first + variants + rest) % columns).toBe(0);
      expect(rest).toBeLessThan(columns === 1 ? 1 : firstRows * columns + 1);
    }
  });
});
