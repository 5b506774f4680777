/**
 * A controller on made-up data, for looking at the interface without a model. `?fake=STATE` names the state:
 * first, empty, loading, preparing, running, few, stopping, stopped, finished, failed, unfinished, missing, hard, many, compare.
 */
import { get, writable } from "svelte/store";
import type {
  Analysis,
  Controller,
  ControllerState,
  RunChoices,
  RunRecord,
  TryRow,
  TryState,
} from "../controller.ts";
import { hardCase, manyQuestions } from "./hard-case.ts";
import { madeUpComparison, madeUpRuns } from "./made-up-comparison.ts";
import { madeUpLibrary } from "./made-up-library.ts";
import { madeUpData } from "./made-up-data.ts";
import { makeDetail } from "./made-up-detail.ts";
import { madeUpRun, makeAnalysis } from "./made-up-run.ts";
import { wordings } from "./questions.ts";

const done: Readonly<Record<string, number>> = {
  running: 26,
  stopped: 26,
  failed: 26,
  stopping: 26,
  few: 2,
  loading: 32,
  preparing: 32,
};
const stored: RunRecord = { ...madeUpRun, stored: true };
const interrupted: RunRecord = {
  ...madeUpRun,
  id: "ffee00112233",
  status: "running",
  updatedAt: "2026-11-03T17:40:00Z",
  spec: { ...madeUpRun.spec, dataset: { ...madeUpRun.spec.dataset, name: "Judgements", id: "judgements" } },
};

function phaseOf(name: string): ControllerState["phase"] {
  switch (name) {
    case "loading":
      return {
        kind: "loading",
        what: "the model",
        loadedBytes: 41e6,
        totalBytes: 88e6,
        bytesPerSecond: 12e6,
        secondsLeft: 4,
      };
    case "preparing":
      return { kind: "preparing", what: "the model" };
    case "running":
      return {
        kind: "running",
        examplesDone: 26,
        examples: 32,
        pieceDone: 300,
        pieces: 370,
        tokensPerSecond: 61.8,
        secondsLeft: 98,
        activity: "writing answers",
      };
    case "few":
      return {
        kind: "running",
        examplesDone: 2,
        examples: 32,
        pieceDone: 26,
        pieces: 370,
        tokensPerSecond: 61.8,
        secondsLeft: 400,
        activity: "writing answers",
      };
    case "stopping":
      return { kind: "stopping" };
    case "stopped":
      return { kind: "stopped", examplesDone: 26, examples: 32 };
    case "finished":
    case "missing":
      return { kind: "finished", elapsedMs: 98_000, answers: 352 };
    case "failed":
      return {
        kind: "failed",
        title: "The graphics processor went away after 26 of 32 questions.",
        safe: "These 26 are stored and shown below.",
        next: "Continue tries it again; the main processor would need a run of its own, since the two are never mixed.",
        canContinue: true,
      };
    default:
      return { kind: "idle" };
  }
}

export function madeUpController(name: string): Controller {
  const first = ["first", "loading", "preparing", "unfinished"].includes(name);
  const initial: ControllerState = {
    phase: phaseOf(name),
    run: name === "empty" ? null : first ? stored : madeUpRun,
    analysis:
      name === "empty" ? null : makeAnalysis({ done: done[name] ?? 32, withoutLayers: name === "missing" }),
    device: name === "empty" || name === "first" ? null : madeUpRun.spec.device,
    systemPrompt: madeUpRun.spec.template.systemPrompt,
    unfinished: name === "unfinished" ? interrupted : null,
    storage: { usedBytes: 96_400_000, quotaBytes: 18.2e9, persisted: false },
    offline: { kind: "ready" },
    exampleRun: { kind: name === "empty" ? "absent" : "here" },
  };
  const changed: Readonly<Record<string, (analysis: Analysis) => Analysis>> = {
    hard: hardCase,
    many: (analysis) => manyQuestions(analysis, 2_000),
  };
  const change = changed[name];
  const state = writable(
    change && initial.analysis ? { ...initial, analysis: change(initial.analysis) } : initial,
  );
  const runs = writable<readonly RunRecord[]>(
    name === "empty"
      ? []
      : name === "unfinished"
        ? [interrupted, stored]
        : name === "compare"
          ? madeUpRuns
          : [madeUpRun, interrupted, { ...stored, id: "stored" }],
  );
  const tried = writable<TryState>({ phase: { kind: "idle" }, rows: [] });
  let timer: ReturnType<typeof setInterval> | undefined;

  function play(from: number) {
    clearInterval(timer);
    let count = from;
    timer = setInterval(() => {
      count += 1;
      const over = count >= 32;
      if (over) clearInterval(timer);
      state.update((old) => ({
        ...old,
        run: madeUpRun,
        device: madeUpRun.spec.device,
        analysis: makeAnalysis({ done: Math.max(1, count) }),
        phase: over
          ? phaseOf("finished")
          : {
              kind: "running",
              examplesDone: count,
              examples: 32,
              pieceDone: count * 11,
              pieces: 352,
              tokensPerSecond: 60 + Math.sin(count),
              secondsLeft: (32 - count) * 3,
              activity: "writing answers",
            },
      }));
    }, 500);
  }
  const propose = (prompt: string) =>
    wordings
      .slice(0, 6)
      .map(({ id, family, label, reword }) => ({ id, family, label, text: reword(prompt) }));

  return {
    state,
    runs: { subscribe: runs.subscribe },
    requests: writable([
      {
        url: "http://localhost/",
        from: ["the page"],
        times: 1,
        firstAt: Date.UTC(2026, 10, 3, 9),
        bytes: 1993,
      },
      {
        url: "https://huggingface.co/owner/name/resolve/main/config.json",
        from: ["the list of models", "the language model"],
        times: 2,
        firstAt: Date.UTC(2026, 10, 3, 9, 1),
        bytes: null,
      },
    ]),
    compare: madeUpComparison,
    library: madeUpLibrary(),
    datasets: [
      {
        id: "short-facts",
        name: "Short facts",
        description: "Questions of general knowledge with a short answer.",
        kind: "short-answer",
        examples: 64,
      },
      {
        id: "instructions",
        name: "Instructions",
        description: "Explain, list, advise: answers in free text.",
        kind: "free-text",
        examples: 64,
      },
      {
        id: "judgements",
        name: "Judgements",
        description: "Positive or negative, true or false.",
        kind: "classification",
        examples: 64,
      },
    ],
    defaults: {
      modelId: "SmolLM2-135M-Instruct",
      datasetId: "short-facts",
      examples: 16,
      variantsPerExample: null,
      wordings: "own",
      device: "auto",
      decoding: { kind: "greedy", temperature: null, maxNewTokens: 48, repeats: 1 },
      seed: 7,
    },
    data: madeUpData(),
    estimate: (choices: RunChoices) => ({
      seconds: choices.examples * 26,
      bytes: choices.examples * 120_000,
      answers: choices.examples * 11,
      wordings: 7,
      detectableEffect: 2.49 / Math.sqrt(choices.examples),
    }),
    start: async () => play(0),
    resume: async () => play(26),
    stop: () => {
      clearInterval(timer);
      state.update((old) => ({
        ...old,
        phase: { kind: "stopped", examplesDone: old.analysis?.examplesAnalysed ?? 0, examples: 32 },
      }));
      return Promise.resolve();
    },
    discard: async (runId) => runs.update((old) => old.filter(({ id }) => id !== runId)),
    openRun: (runId) => {
      if (!get(runs).some(({ id }) => id === runId))
        return Promise.reject(new Error("There is no run of that name on this machine."));
      state.update((old) => ({
        ...old,
        run: { ...madeUpRun, id: runId },
        analysis: makeAnalysis({ done: 32, runId }),
        phase: { kind: "idle" },
      }));
      return Promise.resolve();
    },
    detail: (_, exampleId) => {
      const example = get(state).analysis?.examples.find((one) => one.exampleId === exampleId);
      return example
        ? Promise.resolve(makeDetail(example))
        : Promise.reject(new Error("This question is not in the run."));
    },
    exportTable: () => Promise.resolve(new Blob(["{}"], { type: "application/json" })),
    exportComparison: () => Promise.resolve(new Blob(["{}"], { type: "application/json" })),
    exportRun: () => Promise.resolve(new Blob(["{}"], { type: "application/json" })),
    importRun: () =>
      Promise.reject(
        new Error(
          "The file is not an exported run: it has no field “schema”. Choose a file that Sago wrote.",
        ),
      ),
    requestPersistence: () => Promise.resolve(false),
    deleteEverything: async () => runs.set([]),
    tryPrompt: {
      state: { subscribe: tried.subscribe },
      propose,
      stop: () => tried.update((old) => ({ ...old, phase: { kind: "stopped" } })),
      run: async (prompt, variants) => {
        const all = [{ id: "original", family: "original", label: "original", text: prompt }, ...variants];
        const answer =
          "The sky looks blue because the air scatters the short waves of sunlight more than the long ones.";
        const rows = all.map((one): TryRow => ({
          ...one,
          response: "",
          partial: true,
          tokens: [],
          thinking: null,
          generationDistance: null,
          activationDistance: null,
          confidenceDistance: null,
        }));
        for (let at = 0; at < rows.length; at += 1) {
          const row = rows[at];
          if (row === undefined) break;
          const text = wordings[at - 1]?.answer(answer) ?? answer;
          const tokens = text
            .split(/(?=\s)/)
            .map((piece, n) => ({ text: piece, probability: ((n * 37 + at * 11) % 60) / 100 + 0.4 }));
          rows[at] = {
            ...row,
            response: text,
            tokens,
            partial: false,
            generationDistance: at === 0 ? 0 : 0.1 * at,
            activationDistance: at === 0 ? 0 : 0.2 + 0.1 * at,
            confidenceDistance: at === 0 ? 0 : at > 4 ? null : 0.05 * at,
          };
          tried.set({
            phase: { kind: "running", done: at + 1, total: rows.length, activity: "writing answers" },
            rows: [...rows],
          });
          await new Promise((resolve) => setTimeout(resolve, 300));
          if (get(tried).phase.kind === "stopped") return;
        }
        tried.set({ phase: { kind: "finished" }, rows });
      },
    },
  };
}
