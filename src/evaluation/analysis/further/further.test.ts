import { describe, expect, it } from "vitest";
import { syntheticBundle } from "../../../../tests/fixtures/synthetic-bundle.ts";
import { bleu, encodeFloat16 } from "../../../metrics/index.ts";
import type { RunBundle } from "../../../storage/index.ts";
import { analyseRun, furtherAnalysis } from "../index.ts";
import { completeLinkage } from "./answer-groups.ts";

const OPTIONS = { replications: 200 };

const numbersOf = (bundle: RunBundle, options = OPTIONS) =>
  new Map(
    furtherAnalysis(bundle, options)
      .numbers.flatMap(({ numbers }) => numbers)
      .map((number) => [number.id, number]),
  );

describe("furtherAnalysis", { timeout: 60_000 }, () => {
  const bundle = syntheticBundle();
  const further = furtherAnalysis(bundle, OPTIONS);
  const all = further.numbers.flatMap(({ numbers }) => numbers);

  it("gives every number a value or a reason, no NaN, and survives JSON", () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { id, estimate, low, reason } of all) {
      expect(estimate === null || Number.isFinite(estimate), id).toBe(true);
      if (estimate === null || low === null) expect(reason, id).toMatch(/./);
      else expect(reason, id).toBeNull();
    }
    expect(JSON.parse(JSON.stringify(further))).toEqual(further);
  });

  it("does not depend on the order of the records", () => {
    const reversed: RunBundle = {
      ...bundle,
      generations: bundle.generations.toReversed(),
      activations: bundle.activations.toReversed(),
      scores: bundle.scores.toReversed(),
      embeddings: bundle.embeddings.toReversed(),
    };
    expect(furtherAnalysis(reversed, OPTIONS)).toEqual(further);
  });

  it("has nothing and says why for a run without complete examples", () => {
    const none = furtherAnalysis(bundle, { ...OPTIONS, onlyExamples: [] });
    for (const { estimate, reason } of none.numbers.flatMap(({ numbers }) => numbers)) {
      expect(estimate).toBeNull();
      expect(reason).toMatch(/./);
    }
    expect(none.geometry.reason).toMatch(/./);
    expect(none.independence.reason).toMatch(/./);
    expect(none.paper.every(({ score, reason }) => score === null && reason !== null)).toBe(true);
    expect(none.dose.curves).toEqual([]);
  });

  it("never calls groups of answers semantic entropy, and says what the groups are", () => {
    const names = all.map(({ name }) => name).join("\n");
    expect(names).not.toMatch(/semantic entropy/i);
    expect(names).toContain("Entropy over equal answers");
    const free = syntheticBundle({ examples: 5 });
    const { run } = free;
    const spec = { ...run.spec, dataset: { ...run.spec.dataset, kind: "free-text" as const } };
    const freeNames = [...numbersOf({ ...free, run: { ...run, spec } }).values()].map(({ name }) => name);
    expect(freeNames).toContain("Entropy over similar answers (sentence encoder)");
  });

  it("finds the planted agreement of answers", () => {
    // Without planted changes every wording of an example has the same answer.
    const still = { generation: 0, activation: 0.25, confidence: 0.3, mirroring: 0 };
    const numbers = numbersOf(syntheticBundle({ planted: still }));
    expect(numbers.get("agreement")?.estimate).toBe(1);
    expect(numbers.get("cluster-entropy")?.estimate).toBe(0);
    expect(numbers.get("chrf")?.estimate).toBeCloseTo(0, 12);
    expect(numbers.get("pss")?.estimate).toBe(0);
    expect(numbers.get("variant-information")?.reason).toContain("not sampled");
    expect(all.find(({ id }) => id === "agreement")?.estimate).toBeLessThan(0.5);
    // Every fourth example loses its gold answer under one of seven wordings: 6 of 21 pairs differ there.
    expect(all.find(({ id }) => id === "pss")?.estimate).toBeCloseTo(((6 / 21) * 4) / 16, 10);
    expect(all.find(({ id }) => id === "format-spread")?.estimate).toBeCloseTo(0.25, 12);
  });

  it("gives variant information for sampled runs, above 0 where each wording has its own answer", () => {
    const number = numbersOf(syntheticBundle({ examples: 6, repeats: 3, rerunDistance: 0.2 })).get(
      "variant-information",
    );
    expect(number?.estimate).not.toBeNull();
    expect(number?.reason === null || number?.low === null).toBe(true);
  });

  it("has distances of states that follow from the planted ones", () => {
    const number = (id: string) => all.find((it) => it.id === id);
    // Vectors of one length: ‖a − b‖ = r √(2d), so the relative distance is √(2d), averaged over layers and examples.
    const relative = number("relative-l2")?.estimate ?? NaN;
    expect(relative).toBeGreaterThan(0.6);
    expect(relative).toBeLessThan(Math.sqrt(2 * 0.3));
    expect(number("prompt-mean")?.reason).toContain("could not be told");
    expect(number("z-cosine")?.estimate).not.toBeNull();
  });

  it("finds the geometry of the questions kept by the variants, layer by layer", () => {
    expect(further.geometry.layers.map(({ layer }) => layer)).toEqual([1, 2, 3, 4]);
    // Questions on a curve in two dimensions, a little off it under each wording.
    const activations = bundle.activations.map((it, place) => {
      const at = Number(it.exampleId.slice("example-".length));
      const value = (dimension: number) =>
        dimension === 0 ? at / 16 : dimension === 1 ? Math.sin(at) : 0.02 * Math.sin(place * 7 + dimension);
      const length = it.layers * it.hiddenSize;
      return {
        ...it,
        values: encodeFloat16(Float32Array.from({ length }, (_, i) => value(i % it.hiddenSize))),
      };
    });
    for (const { cka, rsa } of furtherAnalysis({ ...bundle, activations }, OPTIONS).geometry.layers) {
      expect(cka).toBeGreaterThan(0.9);
      expect(rsa).toBeGreaterThan(0.9);
    }
  });

  it("computes the paper's scores from the stored records, and badges what stands in", () => {
    const paper = new Map(further.paper.map((score) => [score.id, score]));
    const { examples } = analyseRun(bundle, OPTIONS);
    const expected = examples.map(({ prompts }) => {
      const reference = prompts[0]?.response ?? "";
      const variants = prompts.filter(({ role }) => role === "variant");
      const options = { effectiveOrder: false };
      const squares = variants.map(
        ({ response }) =>
          ((bleu(response, reference, options) - bleu(reference, reference, options)) / 100) ** 2,
      );
      return Math.sqrt(squares.reduce((sum, it) => sum + it, 0) / squares.length);
    });
    const mean = expected.reduce((sum, it) => sum + it, 0) / expected.length;
    expect(paper.get("bleu")?.score).toBeCloseTo(mean, 12);
    expect(paper.get("bleu")?.substitution).toBeNull();
    expect(paper.get("bert-score")?.substitution).toContain("roberta-large");
    expect(paper.get("bleu")?.tests.map(({ epsilon }) => epsilon)).toEqual([0.01, 0.05, 0.1]);
    expect(paper.get("mirroring")).toMatchObject({ score: null });
    // Raw states have the background's mean, so their cosine is much nearer to 1 than the centred one.
    expect(paper.get("activation")?.score ?? NaN).toBeGreaterThan(0);
    expect(paper.get("activation")?.score ?? NaN).toBeLessThan(0.25 / 2);
  });

  it("calls axes that rise and fall together associated, with a participation ratio below their number", () => {
    const { independence } = further;
    expect(independence.examples).toBe(16);
    const pair = independence.pairs.find(({ axes: [a, b] }) => a === "generation" && b === "activation");
    expect(pair?.correlation.estimate).toBeGreaterThan(0.99);
    const few = furtherAnalysis(syntheticBundle({ examples: 5 }), OPTIONS).independence;
    expect(few.reason).toContain("not enough data");
    expect(few.pairs).toEqual([]);
  });

  it("draws distance against strength where variants have one, and names a family only with a sure lead", () => {
    const { curves, breaksMost } = further.dose;
    expect(curves.every(({ points }) => points.length === 0)).toBe(true);
    expect(curves[0]?.trend.reason).toContain("no strengths");
    expect(breaksMost.map(({ axis }) => axis)).toEqual(["generation", "activation", "confidence"]);
    // All wordings of the synthetic run move equally far, so that no family leads.
    expect(breaksMost[1]?.family).toBeNull();
    const strengths = { ...bundle.run, prompts: bundle.run.prompts.map(withStrength) };
    const dosed = furtherAnalysis({ ...bundle, run: strengths }, OPTIONS).dose;
    const style = dosed.curves.find(({ family, axis }) => family === "style" && axis === "activation");
    expect(style?.points.map(({ strength }) => strength)).toEqual([1, 2]);
    expect(style?.points[0]?.estimate).toBeCloseTo(0.25, 3);
  });

  it("ends with an AbortError when cancelled", () => {
    let asked = 0;
    const isCancelled = () => ++asked > 6;
    expect(() => furtherAnalysis(bundle, { ...OPTIONS, isCancelled })).toThrow(
      expect.objectContaining({ name: "AbortError" }),
    );
  });
});

function withStrength<T extends { readonly promptId: string; readonly role: string }>(prompt: T): T {
  return prompt.role === "variant" ? { ...prompt, strength: Number(prompt.promptId.slice(1)) } : prompt;
}

describe("completeLinkage", () => {
  const at = (degrees: number) =>
    Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

  it("joins what lies within the threshold as a whole, not what a chain connects", () => {
    const labels = completeLinkage([at(0), at(1), at(90), null, null], 0.05);
    expect(labels[0]).toBe(labels[1]);
    expect(labels[3]).toBe(labels[4]);
    expect(new Set(labels).size).toBe(3);
    const chain = completeLinkage([at(0), at(20), at(41)], 1 - Math.cos((25 * Math.PI) / 180));
    expect(chain[0]).toBe(chain[1]);
    expect(chain[1]).not.toBe(chain[2]);
  });
});
