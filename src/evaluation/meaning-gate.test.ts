import { describe, expect, it } from "vitest";
import type { PlannedPrompt } from "../storage/index.ts";
import { gatePrompts, gateThreshold, similarityOf } from "./meaning-gate.ts";

/** Unit vectors at an angle, in degrees: their similarity is the cosine of the difference. */
const at = (degrees: number) =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));

/** A text is its angle: "40" or "40 in other words". */
const embed = (texts: readonly string[]) =>
  Promise.resolve(texts.map((text) => (text === "empty" ? null : at(Number.parseFloat(text)))));

const prompt = (
  exampleId: string,
  promptId: string,
  role: PlannedPrompt["role"],
  text: string,
): PlannedPrompt => ({
  ...{ exampleId, promptId, role, text },
  family: role === "variant" ? "paraphrase" : role,
  label: promptId,
});
const originals = ["0", "20", "40", "60", "80", "100", "120", "140"];
const plan = [
  prompt("a", "original", "original", "0"),
  prompt("a", "near", "variant", "15"),
  prompt("a", "far", "variant", "30"),
  prompt("a", "nothing", "variant", "empty"),
  prompt("a", "null:space", "null-edit", "0 "),
];

describe("the threshold", () => {
  it("is the .95 quantile of the similarities of all pairs, plus .02", () => {
    // 28 pairs: 7 at 20° (.9397), 6 at 40° …; the place 27 · .95 = 25.65 lies among the seven.
    const { threshold, unrelatedPairs, unrelatedSimilarity } = gateThreshold(
      originals.map((text) => at(Number(text))),
    );
    expect(unrelatedPairs).toBe(28);
    expect(unrelatedSimilarity).toBeCloseTo(Math.cos(Math.PI / 9), 6);
    expect(threshold).toBeCloseTo(Math.cos(Math.PI / 9) + 0.02, 6);
  });

  it("is null with a reason where the encoder finds everything alike, and for fewer than eight originals", () => {
    const blind = gateThreshold(Array.from({ length: 8 }, () => at(3)));
    expect(blind.threshold).toBeNull();
    expect(blind.unrelatedSimilarity).toBeCloseTo(1, 6);
    expect(blind.notApplied).toMatch(/1\.00 alike.*Another encoder/);
    const few = gateThreshold(originals.slice(0, 7).map((text) => at(Number(text))));
    expect(few.threshold).toBeNull();
    expect(few.notApplied).toMatch(/With 7 questions/);
  });
});

describe("gatePrompts", () => {
  it("keeps what is near, turns away what is not, and never originals or null edits", async () => {
    const { prompts, gate } = await gatePrompts(plan, originals, "hash", embed);
    expect(prompts.map(({ promptId }) => promptId)).toEqual(["original", "near", "null:space"]);
    expect(prompts[1]?.similarity).toBeCloseTo(Math.cos(Math.PI / 12), 6);
    expect(gate.rejected.map(({ promptId }) => promptId)).toEqual(["far", "nothing"]);
    expect(gate.rejected[0]?.similarity).toBeCloseTo(Math.cos(Math.PI / 6), 6);
    expect(gate.rejected[0]?.reason).toMatch(
      /^It is 0\.87 alike to the original; .* 0\.94, and 0\.96 is asked for\.$/,
    );
    expect(gate.rejected[1]).toMatchObject({ similarity: null, text: "empty" });
    expect(gate).toMatchObject({ checked: 3, quantile: 0.95, margin: 0.02, notApplied: null });
  });

  it("lets everything pass and says why where the set is too small", async () => {
    const { prompts, gate } = await gatePrompts(plan, ["0", "90"], "hash", embed);
    expect(prompts).toHaveLength(plan.length);
    expect(gate).toMatchObject({ threshold: null, rejected: [] });
    expect(gate.notApplied).toMatch(/too few/);
  });

  it("has a key of what determines it: the encoder, the texts, the calibration", async () => {
    const keys = await Promise.all([
      gatePrompts(plan, originals, "hash", embed),
      gatePrompts(plan, originals, "hash", embed),
      gatePrompts(plan, originals, "other", embed),
      gatePrompts(plan.slice(0, 2), originals, "hash", embed),
      gatePrompts(plan, [...originals].reverse(), "hash", embed),
    ]);
    const [first, again, ...others] = keys.map(({ gate }) => gate.key);
    expect(again).toBe(first);
    expect(new Set([first, ...others]).size).toBe(4);
  });
});

it("counts opposite directions as not alike at all", () => {
  expect(similarityOf(at(0), at(180))).toBe(0);
  expect(similarityOf(null, at(0))).toBeNull();
});
