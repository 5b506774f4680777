import { AXES, type AxisId } from "../../storage/index.ts";
import type { ExampleAxis, ExamplePrompt, ExampleResult, Flag } from "../analysis-result.ts";
import { answersAlwaysAlike, defectsOf, flagsOf, isCorrect } from "./answer-quality.ts";
import { meanOfExisting, meanOverLayers, type DistancesToOriginal } from "./axis-distances.ts";
import type { CalibratedAxis } from "./calibrated-axis.ts";
import { repeatsApart } from "./generation-axis.ts";
import type { MeasuredAxes } from "./joint-bootstrap.ts";
import type { ExampleRecords, PromptRecords, RunIndex } from "./run-index.ts";

/** What each example says, in the order of the plan. */
export function exampleResults({ examples, spec }: RunIndex, measured: MeasuredAxes): ExampleResult[] {
  const constant = answersAlwaysAlike(examples);
  return examples.map((example, at) => {
    const axes: Record<AxisId, ExampleAxis> = {
      generation: calibratedExample(measured.generation, at),
      activation: calibratedExample(measured.activation, at),
      confidence: calibratedExample(measured.confidence, at),
      mirroring: mirroringExample(measured, at),
    };
    const prompts = promptsOf(example, spec, {
      generation: measured.generation.distances.toOriginal[at],
      activation: measured.activation.distances.toOriginal[at],
      confidence: measured.confidence.distances.toOriginal[at],
    });
    const available = AXES.map((axis) => axes[axis].instability);
    return {
      exampleId: example.id,
      prompt: example.original.prompt.text,
      gold: example.gold,
      axes,
      composite: meanOfExisting(available),
      complete: available.every((value) => value !== null),
      flags: [...flagsOf(prompts, spec), ...(constant ? [constantFlag(prompts)] : [])],
      prompts,
    };
  });
}

function calibratedExample(axis: CalibratedAxis, at: number): ExampleAxis {
  const { layers, between, nullEdits, rerun, reasons } = axis.distances;
  const instability = axis.ofExample(at);
  return {
    instability,
    reason: instability === null ? (reasons[at] ?? axis.reason ?? "it has no distance at any layer") : null,
    B: meanOverLayers(between, at, layers),
    W: rerun[at] ?? null,
    C: meanOverLayers(axis.means.unrelated, 0, layers),
    N: meanOverLayers(nullEdits, at, layers),
    signed: null,
  };
}

function mirroringExample({ mirroring }: MeasuredAxes, at: number): ExampleAxis {
  const result = mirroring.results[at] ?? null;
  return {
    instability: result?.instability ?? null,
    reason: result === null ? (mirroring.reasons[at] ?? "it could not be measured") : null,
    B: result?.test.matched ?? null,
    W: null,
    C: result?.test.mismatched ?? null,
    N: null,
    signed: result?.test.matchedMinusMismatched ?? null,
  };
}

type ToOriginal = Readonly<
  Record<"generation" | "activation" | "confidence", DistancesToOriginal | undefined>
>;

function promptsOf(example: ExampleRecords, spec: RunIndex["spec"], toOriginal: ToOriginal): ExamplePrompt[] {
  const shown = (
    records: PromptRecords,
    prompt: PromptRecords["prompt"],
    distance: ExamplePrompt["distance"],
    sameTokens: boolean,
  ): ExamplePrompt => {
    const [{ text, tokenIds, finish, logProbNats, thinking }] = records.generations;
    return {
      promptId: prompt.promptId,
      role: prompt.role,
      family: prompt.family,
      label: prompt.label,
      text: prompt.text,
      response: text,
      tokens: tokenIds.length,
      finish,
      ...(thinking ? { thinking: { tokens: thinking.tokens, closed: thinking.closed } } : {}),
      correct: isCorrect(text, example.gold, spec),
      meanProbability: meanProbability(logProbNats),
      distance,
      sameTokens,
      flags: defectsOf(records),
    };
  };
  const distanceAt = (group: keyof DistancesToOriginal, at: number): ExamplePrompt["distance"] => ({
    generation: toOriginal.generation?.[group][at] ?? null,
    activation: toOriginal.activation?.[group][at] ?? null,
    confidence: toOriginal.confidence?.[group][at] ?? null,
  });
  const { original, variants, nullEdits } = example;
  const itself = {
    generation: repeatsApart(original),
    activation: original.activation === null ? null : 0,
    confidence: original.score === null ? null : 0,
  };
  return [
    shown(original, original.prompt, itself, false),
    ...variants.map((records, at) => shown(records, records.prompt, distanceAt("variants", at), false)),
    ...nullEdits.map(({ prompt, records }, at) =>
      shown(records ?? original, prompt, distanceAt("nullEdits", at), records === null),
    ),
  ];
}

/** Geometric mean of the token probabilities; null for an empty response. */
function meanProbability(logProbNats: Float32Array): number | null {
  if (logProbNats.length === 0) return null;
  return Math.exp(logProbNats.reduce((sum, value) => sum + value, 0) / logProbNats.length);
}

function constantFlag(prompts: readonly ExamplePrompt[]): Flag {
  return {
    kind: "constant",
    text: "always the same",
    why: "The model gives the same answer to every question of the set, so its stability means nothing.",
    promptIds: prompts.slice(0, 1).map(({ promptId }) => promptId),
  };
}
