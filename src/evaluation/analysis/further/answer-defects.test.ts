import { describe, expect, it } from "vitest";
import { syntheticBundle } from "../../../../tests/fixtures/synthetic-bundle.ts";
import type { GenerationRecord, RunBundle } from "../../../storage/index.ts";
import { analyseRun, furtherAnalysis } from "../index.ts";

const OPTIONS = { replications: 100 };

function withGenerations(bundle: RunBundle, change: (record: GenerationRecord) => Partial<GenerationRecord>) {
  return { ...bundle, generations: bundle.generations.map((it) => ({ ...it, ...change(it) })) };
}

function numbersOf(bundle: RunBundle) {
  const numbers = furtherAnalysis(bundle, OPTIONS).numbers.flatMap((group) => group.numbers);
  return (id: string) => numbers.find((number) => number.id === id);
}

describe("generation without answers that were cut off", () => {
  const bundle = withGenerations(syntheticBundle({ examples: 6 }), () => ({ finish: "eos" }));

  it("says that nothing was cut off where nothing was", () => {
    const number = numbersOf(bundle)("generation-whole-answers");
    expect(number).toMatchObject({ estimate: null, reason: "no answer was cut off" });
  });

  it("leaves out the pairs of the answers that were cut off, on the same scale and the same questions", () => {
    // All variants but one of every example: the only pair left is that of the original and this one.
    const kept = bundle.run.prompts.find(({ role }) => role === "variant")?.promptId ?? "";
    const cut = withGenerations(bundle, ({ promptId }) => ({
      finish: promptId === "original" || promptId === kept ? "eos" : "length",
    }));
    const number = numbersOf(cut);
    const headline = analyseRun(cut, OPTIONS);
    const { raw } = headline.axes.generation;
    const toKept = headline.examples.map(
      ({ prompts }) => prompts.find(({ promptId }) => promptId === kept)?.distance.generation ?? NaN,
    );
    const mean = toKept.reduce((sum, it) => sum + it, 0) / toKept.length;
    const scale = (raw.C.mean ?? NaN) - (raw.W.mean ?? NaN);
    expect(number("generation-whole-answers")?.estimate).toBeCloseTo(
      (mean - (raw.W.mean ?? NaN)) / scale,
      10,
    );
    expect(number("generation-same-questions")?.estimate).toBeCloseTo(
      headline.axes.generation.estimate ?? NaN,
      10,
    );
  });

  it("has none where every answer was cut off", () => {
    const number = numbersOf(withGenerations(bundle, () => ({ finish: "length" })))(
      "generation-whole-answers",
    );
    expect(number).toMatchObject({
      estimate: null,
      reason: "no question has two answers that were not cut off",
    });
  });
});

describe("steps that another device may decide otherwise", () => {
  const bundle = syntheticBundle({ examples: 4 });

  it("are counted per token over the wordings", () => {
    const one = withGenerations(bundle, ({ promptId }) => ({
      closeSteps: promptId === "original" ? [0] : [],
    }));
    const shares = one.run.prompts
      .filter(({ role }) => role === "original")
      .map(({ exampleId }) => {
        const variants = one.run.prompts.filter(
          (prompt) => prompt.exampleId === exampleId && prompt.role !== "null-edit",
        );
        const tokens = variants.reduce(
          (sum, { promptId }) =>
            sum +
            (one.generations.find(
              (it) => it.exampleId === exampleId && it.promptId === promptId && it.repeat === 0,
            )?.tokenIds.length ?? 0),
          0,
        );
        return 1 / tokens;
      });
    const expected = shares.reduce((sum, it) => sum + it, 0) / shares.length;
    expect(numbersOf(one)("close-steps")?.estimate).toBeCloseTo(expected, 12);
    expect(numbersOf(withGenerations(bundle, () => ({ closeSteps: [] })))("close-steps")?.estimate).toBe(0);
  });
});
