import { describe, expect, it } from "vitest";
import { syntheticBundle } from "../../../tests/fixtures/synthetic-bundle.ts";
import { analyseRun, exampleDetail } from "./index.ts";
import { slopeWithInterval } from "./slope-interval.ts";

describe("exampleDetail", { timeout: 60_000 }, () => {
  const bundle = syntheticBundle({
    planted: { generation: 0.4, activation: 0.2, confidence: 0.3, mirroring: 1 },
  });
  const detail = exampleDetail(bundle, "example-0");

  it("shows every wording and null edit over all layers, raw and against that layer's ceiling", () => {
    expect(detail.layerHeat.map(({ promptId }) => promptId)).toEqual([
      ...["v1", "v2", "v3", "v4", "v5", "v6"],
      ...["null:0", "null:1", "null:2"],
    ]);
    // Example 0 has 1.5 times the planted mean; the first layer half of that.
    expect(detail.layerHeat[0]?.raw[0]).toBeCloseTo(0.15, 3);
    expect(detail.layerHeat[0]?.calibrated[3]).toBeCloseTo(0.45, 3);
  });

  it("shows the certainty of each token of the original answer under every prompt", () => {
    const { certainty } = detail;
    expect(certainty?.tokens.join("")).toBe(bundle.generations[0]?.text);
    expect(certainty?.curves).toHaveLength(10);
    expect(certainty?.curves[0]?.probability[0]).toBeCloseTo(0.6 * (1 - 0.45 ** 2), 5);
    expect(certainty?.positionDistance[0]).toBeCloseTo(0.45, 2);
    expect(certainty?.coveredMass).toBeGreaterThan(0.99);
  });

  it("agrees with the analysis on mirroring", () => {
    const axis = analyseRun(bundle, { replications: 50 }).examples[0]?.axes.mirroring;
    expect((detail.mirroring.matched ?? NaN) - (detail.mirroring.mismatched ?? NaN)).toBeCloseTo(
      axis?.signed ?? NaN,
      12,
    );
    const capitals = detail.mirroring.features.find(({ id }) => id === "capitals");
    expect(capitals?.prompts[1]).toBe(100);
    expect(capitals?.responses[1]).toBe(100);
    expect(capitals?.slope).toBeGreaterThan(0.9);
    expect(detail.mirroring.promptIds).toHaveLength(7);
  });

  it("has the tokens of every answer with their probabilities", () => {
    expect(detail.responseTokens).toHaveLength(10);
    for (const { tokens } of detail.responseTokens) {
      for (const { probability } of tokens) expect(probability > 0 && probability <= 1).toBe(true);
    }
  });

  it("says when an example is not there, and has no certainty without scores", () => {
    expect(() => exampleDetail(bundle, "example-99")).toThrow('Example "example-99" is not complete');
    const bare = exampleDetail({ ...bundle, scores: [], activations: [] }, "example-0");
    expect(bare.certainty).toBeNull();
    expect(bare.layerHeat).toEqual([]);
  });
});

describe("slopeWithInterval", () => {
  it("agrees with ordinary least squares worked by hand", () => {
    // x 1 2 3 4, y 2 4 5 8: slope 1.9, SSE .7, Sxx 5, df 2: 1.9 ± 4.3027 · sqrt(.7 / 2 / 5).
    const { slope, slopeLow, slopeHigh } = slopeWithInterval([1, 2, 3, 4], [2, 4, 5, 8]);
    expect(slope).toBeCloseTo(1.9, 12);
    expect(slopeLow).toBeCloseTo(1.9 - 4.3027 * Math.sqrt(0.07), 4);
    expect(slopeHigh).toBeCloseTo(1.9 + 4.3027 * Math.sqrt(0.07), 4);
  });

  it("has no interval without residuals or with two wordings, and no slope where the prompts agree", () => {
    expect(slopeWithInterval([1, 2, 3], [2, 4, 6])).toEqual({ slope: 2, slopeLow: null, slopeHigh: null });
    expect(slopeWithInterval([1, 2], [1, 3])).toEqual({ slope: 2, slopeLow: null, slopeHigh: null });
    expect(slopeWithInterval([1, 1, 1], [2, 4, 6]).slope).toBeNull();
  });
});
