import { describe, expect, it } from "vitest";
import type { EmbeddedText } from "../inference/index.ts";
import type { PlannedPrompt } from "../storage/index.ts";
import { planTokenMatches, promptName, tokenMatches } from "./token-matches.ts";

const prompt = (
  exampleId: string,
  promptId: string,
  role: PlannedPrompt["role"] = "variant",
): PlannedPrompt => ({
  exampleId,
  promptId,
  role,
  family: role === "variant" ? "style" : role,
  label: "",
  text: `${exampleId} ${promptId}`,
});

const planOf = (questions: number): PlannedPrompt[] =>
  Array.from({ length: questions }, (_, at) => [
    prompt(`q${at}`, "original", "original"),
    prompt(`q${at}`, "v1"),
    prompt(`q${at}`, "v2"),
    prompt(`q${at}`, "null:space", "null-edit"),
  ]).flat();

function embedded(...rows: number[][]): EmbeddedText {
  return {
    vector: Float32Array.of(1, 0),
    tokens: { rows: rows.length, dimensions: 2, values: Float32Array.from(rows.flat()) },
  };
}

describe("the plan of token matching", () => {
  const plan = planOf(7);
  const partners = planTokenMatches(plan);

  it("has every pair of wordings of a question once, and no null edit", () => {
    const within = [...partners].flatMap(([name, others]) =>
      others
        .map(promptName)
        .filter((other) => other.split("\u0000")[0] === name.split("\u0000")[0])
        .map((other) => [other, name].sort().join("|")),
    );
    expect(within).toHaveLength(7 * 3);
    expect(new Set(within).size).toBe(within.length);
    expect([...partners.keys()].some((name) => name.includes("null:"))).toBe(false);
  });

  it("pairs each original with the originals of up to four questions before it", () => {
    const unrelated = plan
      .filter(({ role }) => role === "original")
      .map((original) => (partners.get(promptName(original)) ?? []).map(({ exampleId }) => exampleId));
    expect(unrelated.map((it) => it.length)).toEqual([0, 1, 2, 3, 4, 4, 4]);
    expect(unrelated[6]).toEqual(["q2", "q3", "q4", "q5"]);
    // 64 questions are enough for the 200 unrelated pairs that a ceiling should rest on.
    const of64 = [...planTokenMatches(planOf(64))].reduce((sum, [, others]) => sum + others.length, 0);
    expect(of64 - 64 * 3).toBe(246);
  });
});

describe("token matches of an answer", () => {
  const other = prompt("q0", "original", "original");

  it("holds the mean best cosine in both directions", () => {
    const own = { text: "a b", embedded: embedded([2, 0], [0, 3]) };
    const { others, precision, recall } = tokenMatches(own, [
      { prompt: other, text: "c", embedded: embedded([1, 0]) },
    ]);
    expect(others).toEqual([{ exampleId: "q0", promptId: "original" }]);
    // Of the tokens of this answer one finds itself and one finds nothing; the other's only token finds itself.
    expect([...precision]).toEqual([0.5]);
    expect([...recall]).toEqual([1]);
  });

  it("is exactly 1 for equal texts", () => {
    const states = embedded([0.1, 0.7], [0.3, -0.9], [1 / 3, 1e-3]);
    const matches = tokenMatches({ text: "x y z", embedded: states }, [
      { prompt: other, text: "x y z", embedded: states },
    ]);
    expect([...matches.precision, ...matches.recall]).toEqual([1, 1]);
  });

  it("leaves out pairs with an answer that has no tokens", () => {
    const empty = { text: "", embedded: null };
    expect(tokenMatches(empty, [{ prompt: other, text: "c", embedded: embedded([1, 0]) }]).others).toEqual(
      [],
    );
    expect(
      tokenMatches({ text: "c", embedded: embedded([1, 0]) }, [{ prompt: other, ...empty }]).others,
    ).toEqual([]);
    expect(tokenMatches({ text: "c", embedded: embedded([1, 0]) }, [])).toEqual({
      others: [],
      precision: new Float32Array(0),
      recall: new Float32Array(0),
    });
  });
});
