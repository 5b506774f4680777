/** One row a response. */
import { matchesGold } from "../datasets/index.ts";
import type { Analysis, ExampleResult } from "../evaluation/index.ts";
import type { AxisId, GenerationRecord, PlannedPrompt, RunRecord } from "../storage/index.ts";
import { goldText, NO_GOLD, runColumns } from "./run-columns.ts";
import { column, measured, tableOf, type ColumnOf, type Measured, type Table } from "./table.ts";

/** What the table needs of a response: a hundredth of its record, so that thousands fit. */
export interface AnswerSummary extends Pick<
  GenerationRecord,
  "exampleId" | "promptId" | "repeat" | "text" | "finish" | "elapsedMs"
> {
  readonly promptTokens: number;
  readonly responseTokens: number;
  /** Nats; null for an empty response. */
  readonly meanLogProbNats: number | null;
  readonly meanEntropyNats: number | null;
  readonly closeSteps: number;
  readonly thinkingTokens: number;
}

export function summariseAnswer(generation: GenerationRecord): AnswerSummary {
  const { exampleId, promptId, repeat, text, finish, elapsedMs } = generation;
  return {
    exampleId,
    promptId,
    repeat,
    text,
    finish,
    elapsedMs,
    promptTokens: generation.promptTokenIds.length,
    responseTokens: generation.tokenIds.length,
    meanLogProbNats: meanOf(generation.logProbNats),
    meanEntropyNats: meanOf(generation.entropyNats),
    closeSteps: generation.closeSteps.length,
    thinkingTokens: generation.thinking?.tokens ?? 0,
  };
}

interface AnswerSource {
  readonly run: RunRecord;
  readonly prompt: PlannedPrompt;
  readonly answer: AnswerSummary;
  readonly example: ExampleResult | null;
}

/** The responses in the order of the plan, repeats of one prompt after each other. */
export function answerTable(run: RunRecord, analysis: Analysis, answers: readonly AnswerSummary[]): Table {
  const byPrompt = new Map<string, AnswerSummary[]>();
  for (const answer of answers) {
    const key = keyOf(answer);
    const group = byPrompt.get(key);
    if (group === undefined) byPrompt.set(key, [answer]);
    else group.push(answer);
  }
  const examples = new Map(analysis.examples.map((example) => [example.exampleId, example]));
  const sources = run.prompts.flatMap((prompt): AnswerSource[] => {
    const own = byPrompt.get(keyOf(prompt)) ?? [];
    const example = examples.get(prompt.exampleId) ?? null;
    return [...own].sort((a, b) => a.repeat - b.repeat).map((answer) => ({ run, prompt, answer, example }));
  });
  return tableOf(answerColumns, sources);
}

function keyOf({ exampleId, promptId }: Pick<AnswerSummary, "exampleId" | "promptId">): string {
  return JSON.stringify([exampleId, promptId]);
}

const EMPTY = "the response has no tokens";

export const answerColumns: readonly ColumnOf<AnswerSource>[] = [
  ...runColumns<AnswerSource>(),
  column({ name: "example_id", type: "text", meaning: "The question" }, ({ prompt }) => prompt.exampleId),
  column(
    { name: "prompt_id", type: "text", meaning: "The wording within the question" },
    ({ prompt }) => prompt.promptId,
  ),
  column(
    {
      name: "role",
      type: "text",
      range: "original, variant, null-edit",
      meaning: "The question as the set has it, another wording, or an edit without meaning",
    },
    ({ prompt }) => prompt.role,
  ),
  column({ name: "family", type: "text", meaning: "The kind of wording" }, ({ prompt }) => prompt.family),
  column(
    { name: "label", type: "text", meaning: "The wording in two or three words" },
    ({ prompt }) => prompt.label,
  ),
  ...measured<AnswerSource>(
    {
      name: "strength",
      type: "number",
      meaning: "How strongly the wording is changed, on its family's own scale",
    },
    ({ prompt }) => ({ value: prompt.strength ?? null, reason: "this kind of wording has no degrees" }),
  ),
  ...measured<AnswerSource>(
    {
      name: "similarity",
      type: "number",
      unit: "cosine",
      range: "−1 to 1",
      meaning: "Likeness of meaning to the original wording, as the meaning gate of the run measured it",
    },
    ({ prompt }) => ({
      value: prompt.similarity ?? null,
      reason:
        prompt.role === "variant"
          ? "this run's meaning gate did not check it"
          : "only variants pass a meaning gate",
    }),
  ),
  column(
    {
      name: "repeat",
      type: "integer",
      range: "0 and up",
      meaning: "Which answer to this prompt it is",
    },
    ({ answer }) => answer.repeat,
  ),
  column(
    {
      name: "is_rerun",
      type: "boolean",
      meaning: "Written again only to see whether the device repeats itself; no axis uses it",
    },
    ({ answer, run }) => answer.repeat >= run.spec.decoding.repeats,
  ),
  column(
    { name: "prompt", type: "text", meaning: "What was asked, before the chat template" },
    ({ prompt }) => prompt.text,
  ),
  column(
    { name: "response", type: "text", meaning: "The answer; an empty one is an empty text" },
    ({ answer }) => answer.text,
  ),
  column(
    {
      name: "prompt_tokens",
      type: "integer",
      unit: "tokens",
      range: "1 and up",
      meaning: "Length of the prompt with its template",
    },
    ({ answer }) => answer.promptTokens,
  ),
  column(
    {
      name: "response_tokens",
      type: "integer",
      unit: "tokens",
      range: "0 and up",
      meaning: "Length of the answer",
    },
    ({ answer }) => answer.responseTokens,
  ),
  column(
    {
      name: "thinking_tokens",
      type: "integer",
      unit: "tokens",
      range: "0 and up",
      meaning: "Thought before the answer and no part of it; 0 where the model does not think",
    },
    ({ answer }) => answer.thinkingTokens,
  ),
  column(
    {
      name: "finish",
      type: "text",
      range: "eos, length, context",
      meaning: "It ended by itself, at the limit of new tokens, or at the model's context length",
    },
    ({ answer }) => answer.finish,
  ),
  ...measured<AnswerSource>(
    {
      name: "mean_log_prob_nats",
      type: "number",
      unit: "nats per token",
      range: "up to 0",
      meaning: "Mean log-probability of the answer's tokens",
    },
    ({ answer }) => ({ value: answer.meanLogProbNats, reason: EMPTY }),
  ),
  ...measured<AnswerSource>(
    {
      name: "mean_entropy_nats",
      type: "number",
      unit: "nats",
      range: "0 and up",
      meaning: "Mean entropy of the next-token distribution over the answer",
    },
    ({ answer }) => ({ value: answer.meanEntropyNats, reason: EMPTY }),
  ),
  column(
    {
      name: "close_steps",
      type: "integer",
      unit: "tokens",
      range: "0 and up",
      meaning: "Steps at which the two best logits were less than 0.001 apart",
    },
    ({ answer }) => answer.closeSteps,
  ),
  ...measured<AnswerSource>(
    { name: "gold", type: "text", meaning: "The accepted answers, as the text of a JSON array" },
    ({ run, prompt }) => ({ value: goldText(run.golds[prompt.exampleId]), reason: NO_GOLD }),
  ),
  ...measured<AnswerSource>(
    { name: "correct", type: "boolean", meaning: "An accepted answer was found in the response" },
    ({ run, prompt, answer }) => ({
      value: matchesGold(
        answer.text,
        run.golds[prompt.exampleId],
        run.spec.dataset.kind,
        run.spec.dataset.labels ?? [],
      ),
      reason: NO_GOLD,
    }),
  ),
  ...distanceColumns(),
  column(
    {
      name: "elapsed_ms",
      type: "number",
      unit: "ms",
      range: "0 and up",
      meaning: "Time that writing it took",
    },
    ({ answer }) => answer.elapsedMs,
  ),
];

function distanceColumns(): ColumnOf<AnswerSource>[] {
  const describe = (
    axis: Exclude<AxisId, "mirroring">,
    unit: string,
    range: string,
    meaning: string,
  ): ColumnOf<AnswerSource>[] =>
    measured({ name: `distance_${axis}`, type: "number", unit, range, meaning }, (source) =>
      distanceOf(source, axis),
    );
  return [
    ...describe(
      "generation",
      "1 − cosine",
      "0 to 2",
      "Raw distance in meaning of the answers to this wording to those to the original; at the original, between its own repeats",
    ),
    ...describe(
      "activation",
      "1 − cosine",
      "0 to 2",
      "Raw distance of the centred activations to those of the original, mean of the layers",
    ),
    ...describe(
      "confidence",
      "√ bits",
      "0 to 1",
      "Raw distance of the next-token distributions over the original's answer to those under the original",
    ),
  ];
}

function distanceOf({ example, prompt }: AnswerSource, axis: Exclude<AxisId, "mirroring">): Measured {
  if (example === null)
    return { value: null, reason: "the question is not complete, so it was not analysed" };
  const shown = example.prompts.find(({ promptId }) => promptId === prompt.promptId);
  return {
    value: shown?.distance[axis] ?? null,
    reason: example.axes[axis].reason ?? "there is nothing to compare it with",
  };
}

function meanOf(values: Float32Array): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
