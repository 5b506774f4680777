import { describe, expect, it } from "vitest";
import type { ControllerState, ModelChoice, RunChoices, RunRecord } from "../controller.ts";
import { choicesText, questionCounts, sizeAdvice, shownChoices } from "./run-choices.ts";

const defaults: RunChoices = {
  modelId: "m",
  datasetId: "facts",
  examples: 16,
  variantsPerExample: null,
  wordings: "own",
  device: "auto",
  decoding: { kind: "greedy", temperature: null, maxNewTokens: 64, repeats: 1 },
  seed: 7,
};
function model(id: string): ModelChoice {
  return {
    id,
    name: id,
    source: "bundled",
    role: "language",
    revision: null,
    askedRevision: null,
    page: null,
    licence: null,
    gated: false,
    formats: [],
    dtype: "q4",
    device: "auto",
    sizeBytes: 1,
    note: "",
    kept: { kind: "page" },
  };
}
const offer = {
  library: { models: [model("m")], modelId: "m", picked: false },
  datasets: [{ id: "facts", name: "Facts", description: "", kind: "short-answer" as const, examples: 64 }],
  defaults,
};
function run(datasetId: string, examples: number): RunRecord {
  return {
    id: "r",
    createdAt: "",
    updatedAt: "",
    status: "finished",
    message: null,
    prompts: [],
    golds: {},
    elapsedMs: {},
    spec: {
      schema: "sago-run/1",
      productVersion: "1",
      seed: 3,
      examples,
      variantsPerExample: 4,
      nullEditsPerExample: 3,
      rerunShare: 0.05,
      unrelatedPairs: 200,
      batchRows: 8,
      model: {
        id: "m",
        source: "bundled",
        revision: null,
        filesHash: "",
        dtype: "q4",
        layers: 1,
        hiddenSize: 1,
        vocabularySize: 1,
      },
      device: { kind: "wasm", adapter: null, threads: 1, runtime: "", reason: "" },
      encoder: { id: "e", filesHash: "" },
      dataset: { id: datasetId, name: "Facts", kind: "short-answer", contentHash: "", labels: null },
      template: { kind: "raw", systemPrompt: null },
      decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens: 8, repeats: 1 },
    },
  };
}
const state = (
  record: RunRecord | null,
  kind: "idle" | "stopping",
): Pick<ControllerState, "run" | "phase"> => ({ run: record, phase: { kind } });

describe("what the run bar says", () => {
  it("begins with the defaults, then with the run that is shown", () => {
    expect(shownChoices(offer, state(null, "idle"), null)).toEqual(defaults);
    expect(shownChoices(offer, state(run("facts", 32), "idle"), null).examples).toBe(32);
  });
  it("takes over where the shown run's wordings came from; runs that do not say had the set's own", () => {
    const shown = run("facts", 32);
    expect(shownChoices(offer, state(shown, "idle"), null).wordings).toBe("own");
    const paper = { ...shown, spec: { ...shown.spec, wordings: "paper" as const } };
    expect(shownChoices(offer, state(paper, "idle"), null).wordings).toBe("paper");
  });
  it("does not offer a set that this page does not have", () => {
    expect(shownChoices(offer, state(run("gone", 32), "idle"), null)).toEqual(defaults);
  });
  it("keeps what the reader has chosen, but says what runs while it runs", () => {
    const chosen = { ...defaults, examples: 64 };
    expect(shownChoices(offer, state(run("facts", 32), "idle"), chosen).examples).toBe(64);
    expect(shownChoices(offer, state(run("facts", 32), "stopping"), chosen).examples).toBe(32);
  });
  it("lets a model that was picked from the list go before the shown run's", () => {
    const library = { models: [model("m"), model("n")], modelId: "n", picked: true };
    const shown = shownChoices({ ...offer, library }, state(run("facts", 32), "idle"), null);
    expect(shown).toMatchObject({ modelId: "n", examples: 32 });
    const unpicked = shownChoices(
      { ...offer, library: { ...library, picked: false } },
      state(run("facts", 32), "idle"),
      null,
    );
    expect(unpicked.modelId).toBe("m");
  });
  it("takes the library's model and its device where no run is shown", () => {
    const library = { models: [{ ...model("n"), device: "webgpu" as const }], modelId: "n", picked: false };
    expect(shownChoices({ ...offer, library }, state(null, "idle"), null)).toMatchObject({
      modelId: "n",
      device: "webgpu",
    });
  });
  it("sums the folded choices up in one line", () => {
    expect(choicesText(defaults)).toBe("Greedy, up to 64 tokens, device chosen by itself, seed 7");
    expect(choicesText({ ...defaults, wordings: "paper" })).toContain("wordings: the paper’s families");
  });
});

it("offers no more questions than a set has, and always the chosen number", () => {
  expect(questionCounts(64, 16)).toEqual([4, 8, 16, 32, 64]);
  expect(questionCounts(10, 5)).toEqual([4, 5, 8, 10]);
});

describe("the advice on size", () => {
  const decoding = { kind: "greedy", temperature: null, maxNewTokens: 64, repeats: 1 } as const;

  it("says what so many questions find, and what firm numbers need", () => {
    // METRICS §7: 25 questions for 0.5 standard deviations, 69 for 0.3.
    expect(sizeAdvice({ examples: 25, decoding }, 0.497, 7)).toBe(
      "25 questions find middling differences from noise (from 0.5 standard deviations on, in 4 of 5 runs). For firm numbers take at least 64 questions.",
    );
    expect(sizeAdvice({ examples: 69, decoding }, 0.299, 7)).toBe(
      "69 questions find also small differences from noise (from 0.3 standard deviations on, in 4 of 5 runs).",
    );
  });

  it("names too few wordings, and too few answers where they are sampled", () => {
    const sampled = { ...decoding, kind: "sampled", repeats: 2 } as const;
    expect(sizeAdvice({ examples: 64, decoding: sampled }, 0.31, 2)).toContain(
      "at least 5 wordings and 4 answers to each prompt.",
    );
    expect(sizeAdvice({ examples: 64, decoding }, 0.31, null)).not.toContain("firm");
  });
});
