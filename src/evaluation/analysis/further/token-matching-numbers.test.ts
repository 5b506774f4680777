import { describe, expect, it } from "vitest";
import { syntheticBundle } from "../../../../tests/fixtures/synthetic-bundle.ts";
import type { EmbeddingRecord, RunBundle } from "../../../storage/index.ts";
import { planTokenMatches, promptName } from "../../token-matches.ts";
import { furtherAnalysis } from "../index.ts";

const OPTIONS = { replications: 100 };

/** As a run stores it: F1 of `within` for wordings of one question and of `unrelated` for originals of two. */
function withMatches(bundle: RunBundle, within: number, unrelated: number): RunBundle {
  const partners = planTokenMatches(bundle.run.prompts);
  const embeddings = bundle.embeddings.map((record): EmbeddingRecord => {
    const others = record.repeat > 0 ? undefined : partners.get(promptName(record));
    if (others === undefined) return record;
    const scores = Float32Array.from(others, (other) =>
      other.exampleId === record.exampleId ? within : unrelated,
    );
    return {
      ...record,
      tokenMatches: {
        others: others.map(({ exampleId, promptId }) => ({ exampleId, promptId })),
        precision: scores,
        recall: scores,
      },
    };
  });
  return { ...bundle, embeddings };
}

function tokenNumbers(bundle: RunBundle) {
  const further = furtherAnalysis(bundle, OPTIONS);
  const distance = further.numbers
    .flatMap(({ numbers }) => numbers)
    .find(({ id }) => id === "token-matching");
  return { distance, paper: further.paper.find(({ id }) => id === "bert-score") };
}

describe("token matching in the analysis", () => {
  const bundle = syntheticBundle({ examples: 6 });

  it("is rescaled between equal and unrelated answers: (F − b) / (1 − b) from 1", () => {
    const { distance, paper } = tokenNumbers(withMatches(bundle, 0.75, 0.5));
    expect(distance?.estimate).toBeCloseTo(1 - (0.75 - 0.5) / (1 - 0.5), 6);
    expect(distance?.name).toContain(bundle.run.spec.encoder.id);
    // The paper's score is not rescaled: root mean square of F1 − 1.
    expect(paper?.score).toBeCloseTo(0.25, 6);
    expect(paper?.substitution).toContain("roberta-large");
  });

  it("is 0 for answers that match wholly, and about 1 for answers as far apart as unrelated ones", () => {
    expect(tokenNumbers(withMatches(bundle, 1, 0.5)).distance?.estimate).toBe(0);
    expect(tokenNumbers(withMatches(bundle, 0.5, 0.5)).distance?.estimate).toBeCloseTo(1, 6);
  });

  it("has no number, with the reason, in a run that did not store it", () => {
    const { distance, paper } = tokenNumbers(bundle);
    expect(distance).toMatchObject({ estimate: null, reason: "token matching is not stored in this run" });
    expect(paper).toMatchObject({ score: null, reason: "token matching is not stored in this run" });
  });

  it("has no scale where nothing is unrelated, or where unrelated answers match wholly", () => {
    const alone = tokenNumbers(withMatches(syntheticBundle({ examples: 1 }), 0.75, 0.5)).distance;
    expect(alone).toMatchObject({ estimate: null });
    expect(alone?.reason).toContain("unrelated");
    const same = tokenNumbers(withMatches(bundle, 0.75, 1)).distance;
    expect(same).toMatchObject({ estimate: null, reason: "unrelated answers match as well as equal ones" });
  });

  it("counts an empty answer as wholly different from a written one, and two empty ones as the same", () => {
    const matched = withMatches(bundle, 1, 0.5);
    const emptied = (ids: readonly string[]) => ({
      ...matched,
      embeddings: matched.embeddings.map((record) =>
        ids.includes(record.promptId) ? { ...record, vector: null } : record,
      ),
    });
    const wordings = matched.run.prompts.filter(
      ({ exampleId, role }) => exampleId === "example-0" && role !== "null-edit",
    );
    const ids = wordings.map(({ promptId }) => promptId);
    const pairs = (ids.length * (ids.length - 1)) / 2;
    const one = tokenNumbers(emptied([ids[1] ?? ""])).distance;
    expect(one?.estimate).toBeCloseTo((ids.length - 1) / pairs, 10);
    expect(tokenNumbers(emptied(ids)).distance?.estimate).toBe(0);
  });
});
