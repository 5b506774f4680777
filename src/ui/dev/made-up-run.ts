/** A made-up run with its analysis: the numbers mean nothing, their shapes are those of the real thing. */
import { mean, quantile, range } from "d3-array";
import {
  AXES,
  type Analysis,
  type AxisId,
  type AxisResult,
  type ExamplePrompt,
  type ExampleResult,
  type Flag,
  type RunRecord,
} from "../controller.ts";
import { nullEdits, questions, wordings } from "./questions.ts";
import { clip, normal, seeded } from "./random.ts";

export const LAYERS = 30;
const DRIFT: readonly number[] = [0.24, 0.22, 0.71, 0.24, 0.08, 0.52, 0.63];
const MEANS: Readonly<Record<AxisId, readonly [mean: number, sd: number, shared: number]>> = {
  generation: [0.4, 0.2, 0.45],
  activation: [0.22, 0.07, 0.55],
  confidence: [0.31, 0.12, 0.5],
  mirroring: [0.085, 0.075, 0.1],
};
const CEILING: Readonly<Record<AxisId, number>> = {
  generation: 0.76,
  activation: 0.92,
  confidence: 0.57,
  mirroring: 0.53,
};
const FLOORS: Readonly<Record<AxisId, number>> = {
  generation: 0.055,
  activation: 0.03,
  confidence: 0.05,
  mirroring: 0.12,
};

function makePrompts(index: number, random: () => number): ExamplePrompt[] {
  const question = questions[index];
  if (question === undefined) return [];
  const heard = (response: string) =>
    response.toLowerCase().includes(question.gold.replace(/^(the|an?) /, "").toLowerCase());
  const base = { tokens: 12, finish: "eos", sameTokens: false, flags: [] } as const;
  const original: ExamplePrompt = {
    ...base,
    promptId: "original",
    role: "original",
    family: "original",
    label: "original",
    text: question.prompt,
    response: question.answer,
    correct: heard(question.answer),
    meanProbability: 0.81,
    tokens: question.answer.split(" ").length + 2,
    distance: { generation: 0, activation: 0, confidence: 0 },
  };
  const variants = wordings.map((wording, v): ExamplePrompt => {
    const away = clip((DRIFT[v] ?? 0.3) * (0.6 + 0.7 * random()));
    const changed = index === 0 || random() < 0.2 + away;
    const response = changed ? wording.answer(question.answer) : question.answer;
    const looping = index === 23 && v === 2;
    return {
      ...base,
      promptId: wording.id,
      role: "variant",
      family: wording.family,
      label: wording.label,
      text: wording.reword(question.prompt),
      response: looping ? `${response} ${"The vitamin is in the sun. ".repeat(5).trim()}` : response,
      correct: heard(response),
      meanProbability: clip(0.8 - 0.3 * random() * away),
      tokens: response.split(" ").length + 2,
      finish: looping ? "length" : "eos",
      flags: looping ? ["looping", "truncated"] : [],
      distance: {
        generation: changed ? away : 0,
        activation: clip(0.1 + 0.4 * random() * (0.4 + away)),
        confidence: clip(0.1 + 0.35 * away),
      },
    };
  });
  const edits = nullEdits.map((edit, n): ExamplePrompt => ({
    ...base,
    promptId: edit.id,
    role: "null-edit",
    family: "null-edit",
    label: edit.label,
    text: edit.edit(question.prompt),
    response: n === 2 && index % 3 === 0 ? question.answer.replace("The ", "It is the ") : question.answer,
    correct: heard(question.answer),
    meanProbability: 0.8,
    sameTokens: n === 0,
    distance:
      n === 0
        ? { generation: 0, activation: 0, confidence: 0 }
        : { generation: 0.02 * n, activation: 0.015 * n, confidence: 0.02 * n },
  }));
  return [original, ...variants, ...edits];
}

function makeExample(index: number, random: () => number): ExampleResult {
  const common = normal(random);
  const values = new Map(
    AXES.map((axis) => {
      const [m, sd, shared] = MEANS[axis];
      return [
        axis,
        clip(m + sd * (shared * common + 0.86 * normal(random)), axis === "mirroring" ? -0.04 : 0.02, 0.96),
      ] as const;
    }),
  );
  if (index === 0)
    [
      ["generation", 0.68],
      ["activation", 0.29],
      ["confidence", 0.47],
      ["mirroring", 0.38],
    ].forEach(([axis, value]) => {
      const id = AXES.find((name) => name === axis);
      if (id && typeof value === "number") values.set(id, value);
    });
  const axisOf = (axis: AxisId) => {
    const value = values.get(axis) ?? 0;
    const C = CEILING[axis];
    if (axis === "mirroring")
      return {
        instability: clip((Math.abs(value) - 0.03) / 0.97),
        reason: null,
        B: C + value,
        W: null,
        C,
        N: null,
        signed: value,
      };
    return {
      instability: value,
      reason: null,
      B: value * C,
      W: 0,
      C,
      N: FLOORS[axis] * C * (0.5 + random()),
      signed: null,
    };
  };
  const prompts = makePrompts(index, random);
  const variants = prompts.filter(({ role }) => role === "variant");
  const lost = variants.filter(({ correct }) => correct === false).length;
  const flags: Flag[] = [];
  if (lost > 3)
    flags.push({
      kind: "answer-changes",
      text: "answer changes",
      why: `The right answer is lost under ${lost} of ${variants.length} wordings.`,
      promptIds: [],
    });
  if (index === 23)
    flags.push({ kind: "looping", text: "1 loop", why: "One answer repeats the same words.", promptIds: [] });
  if (index === 16)
    flags.push({
      kind: "truncated",
      text: "1 cut off",
      why: "One answer reached the longest length.",
      promptIds: [],
    });
  const axes = {
    generation: axisOf("generation"),
    activation: axisOf("activation"),
    confidence: axisOf("confidence"),
    mirroring: axisOf("mirroring"),
  };
  return {
    exampleId: `short-facts-${String(index + 1).padStart(2, "0")}`,
    prompt: questions[index]?.prompt ?? "",
    gold: [questions[index]?.gold ?? ""],
    axes,
    composite: mean(AXES, (axis) => axes[axis].instability) ?? null,
    complete: true,
    flags,
    prompts,
  };
}

const random = seeded(20261);
const allExamples = questions.map((_, index) => makeExample(index, random));

export interface MakeOptions {
  readonly done: number;
  /** Leaves out the activation axis, as a graph without recognisable layers does. */
  readonly withoutLayers?: boolean;
  readonly runId?: string;
}

function axisResult(axis: AxisId, examples: readonly ExampleResult[], all: number): AxisResult {
  const values = examples.map(
    (example) => (axis === "mirroring" ? example.axes[axis].signed : example.axes[axis].instability) ?? 0,
  );
  const estimate = mean(values) ?? 0;
  const draw = seeded(7 + AXES.indexOf(axis));
  const means = range(400).map(
    () => mean(range(values.length), () => values[Math.floor(draw() * values.length)] ?? 0) ?? 0,
  );
  const few = examples.length < 4;
  const low = few ? null : (quantile(means, 0.025) ?? null);
  const high = few ? null : (quantile(means, 0.975) ?? null);
  const floor = clip(FLOORS[axis] * Math.sqrt(all / examples.length), 0, 0.6);
  const tooFew = "There are too few questions for an interval: at least 4.";
  const C = CEILING[axis];
  return {
    axis,
    estimate,
    low,
    high,
    reason: few ? tooFew : null,
    floor: { estimate: floor, low: null, high: null, reason: "no interval in made-up data" },
    raw: {
      B: { mean: estimate * C, pairs: 21 * examples.length },
      W: { mean: axis === "mirroring" ? null : 0, pairs: 8 },
      C: { mean: C, pairs: 240 },
      N: { mean: axis === "mirroring" ? null : floor * C, pairs: 3 * examples.length },
    },
    aboveFloor: {
      test: "Permutation within each question, wordings against edits without meaning",
      pValue: few ? null : 0.0004,
      difference: 0.2,
      examples: examples.length,
      reason: few ? tooFew : null,
      above: few || low === null ? null : low > floor,
      adjustedP: few ? null : 0.012,
    },
    changed: { count: examples.length - 3, total: examples.length, low: 0.8, high: 0.98 },
    layers:
      axis === "activation"
        ? range(1, LAYERS + 1).map((layer) => ({ layer, estimate: 0.2, floor: 0.03 }))
        : null,
  };
}

const noLayers =
  "The graph of this model has no layers that can be recognised (28 points found, 30 layers named in its configuration).";

export function makeAnalysis({ done, withoutLayers = false, runId = madeUpRun.id }: MakeOptions): Analysis {
  const planned = allExamples.length;
  const examples = allExamples.slice(0, done).map((example): ExampleResult =>
    withoutLayers
      ? {
          ...example,
          complete: false,
          axes: {
            ...example.axes,
            activation: {
              instability: null,
              reason: noLayers,
              B: null,
              W: null,
              C: null,
              N: null,
              signed: null,
            },
          },
        }
      : example,
  );
  const of = (axis: AxisId) => axisResult(axis, examples, planned);
  const missing: AxisResult = {
    ...of("activation"),
    estimate: null,
    low: null,
    high: null,
    reason: noLayers,
    floor: { estimate: null, low: null, high: null, reason: noLayers },
    aboveFloor: {
      test: "",
      pValue: null,
      difference: null,
      examples: 0,
      reason: noLayers,
      above: null,
      adjustedP: null,
    },
    layers: null,
  };
  const axes = {
    generation: of("generation"),
    activation: withoutLayers ? missing : of("activation"),
    confidence: of("confidence"),
    mirroring: of("mirroring"),
  };
  const composite = mean(examples, (example) => example.composite ?? undefined) ?? null;
  const answers = examples.reduce((sum, example) => sum + example.prompts.length, 0);
  const right = examples.filter((example) => example.prompts[0]?.correct === true).length;
  return {
    schema: "sago-analysis/4",
    runId,
    productVersion: "development",
    examplesPlanned: planned,
    examplesAnalysed: examples.length,
    exploratory: true,
    bootstrapReplications: 2000,
    axes,
    further: null,
    composite: {
      estimate: composite,
      low: composite === null ? null : composite - 0.03,
      high: composite === null ? null : composite + 0.03,
      reason: null,
      complete: !withoutLayers,
      axes: AXES.filter((axis) => !withoutLayers || axis !== "activation"),
    },
    examples,
    beside: {
      accuracyOriginal: { correct: right, total: examples.length, low: 0.4, high: 0.7 },
      accuracyWorst: 0.41,
      accuracyBest: 0.62,
      answers,
      truncated: done > 16 ? 3 : 0,
      empty: 0,
      looping: done > 23 ? 1 : 0,
      constant: false,
      rejectedVariants: 0,
    },
    determinism: { reruns: 12, identical: 12, maxDistance: 0 },
    notes: withoutLayers ? ["The composite is of three axes and cannot be compared with one of four."] : [],
  };
}

export const madeUpRun: RunRecord = {
  id: "a1b2c3d4e5f60718",
  spec: {
    schema: "sago-run/1",
    productVersion: "development",
    model: {
      id: "SmolLM2-135M-Instruct",
      source: "bundled",
      revision: null,
      filesHash: "00",
      dtype: "q4",
      layers: LAYERS,
      hiddenSize: 576,
      vocabularySize: 49152,
    },
    device: {
      kind: "wasm",
      adapter: null,
      threads: 2,
      runtime: "onnxruntime-web 1.31.0",
      reason: "No adapter answered inside the worker, so the main processor computes, with two threads.",
    },
    encoder: { id: "all-MiniLM-L6-v2", filesHash: "00" },
    dataset: {
      id: "short-facts",
      name: "Short facts",
      kind: "short-answer",
      contentHash: "00",
      labels: null,
    },
    template: {
      kind: "chat",
      systemPrompt: "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
    },
    decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens: 48, repeats: 1 },
    seed: 7,
    examples: 32,
    variantsPerExample: null,
    nullEditsPerExample: 3,
    batchRows: 8,
    rerunShare: 0.05,
    unrelatedPairs: 200,
  },
  createdAt: "2026-11-02T09:14:00Z",
  updatedAt: "2026-11-02T09:21:00Z",
  status: "finished",
  message: null,
  prompts: [],
  golds: {},
  elapsedMs: {},
};
