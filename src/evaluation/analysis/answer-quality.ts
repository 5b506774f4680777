import { comparableText, matchesGold } from "../../datasets/index.ts";
import { isConstant, isEmptyResponse, isLooping } from "../../metrics/index.ts";
import { shareInterval } from "../../statistics/index.ts";
import type { RunSpec } from "../../storage/index.ts";
import type { Analysis, ExamplePrompt, Flag } from "../analysis-result.ts";
import type { ExampleRecords, PromptRecords } from "./run-index.ts";

/** Is the first answer to this prompt right? Null where the example has no gold. */
export function isCorrect(
  text: string,
  gold: readonly string[] | null,
  { dataset }: RunSpec,
): boolean | null {
  return matchesGold(text, gold ?? undefined, dataset.kind, dataset.labels ?? []);
}

/** What is wrong with one answer, whatever its distance to the others. */
export function defectsOf(records: PromptRecords): Flag["kind"][] {
  const [{ text, finish, closeSteps }] = records.generations;
  const kinds: Flag["kind"][] = [];
  if (isEmptyResponse(text)) kinds.push("empty");
  if (finish !== "eos") kinds.push("truncated");
  if (isLooping(text)) kinds.push("looping");
  if (closeSteps.length > 0) kinds.push("close-steps");
  return kinds;
}

/** All originals of the set have the same answer. */
export function answersAlwaysAlike(examples: readonly ExampleRecords[]): boolean {
  return isConstant(examples.map(({ original }) => original.generations[0].text));
}

/** Flags of an example from its prompts, `constant` aside. */
export function flagsOf(prompts: readonly ExamplePrompt[], spec: RunSpec): Flag[] {
  const flags: Flag[] = [];
  const wordings = prompts.filter(({ role }) => role !== "null-edit");
  const change = answerChange(wordings, spec);
  if (change) flags.push(change);
  const add = (kind: Flag["kind"], text: (count: number) => string, why: (count: number) => string) => {
    const affected = prompts.filter(({ flags: kinds }) => kinds.includes(kind));
    const count = affected.length;
    if (count > 0)
      flags.push({ kind, text: text(count), why: why(count), promptIds: affected.map((it) => it.promptId) });
  };
  const answers = (count: number) => (count === 1 ? "One answer" : `${count} answers`);
  add(
    "truncated",
    (count) => `${count} truncated`,
    (count) =>
      `${answers(count)} reached the limit of ${spec.decoding.maxNewTokens} tokens or of the context.`,
  );
  add(
    "empty",
    (count) => `${count} empty`,
    (count) => `${answers(count)} ${count === 1 ? "has" : "have"} no text.`,
  );
  add(
    "looping",
    (count) => (count === 1 ? "1 loop" : `${count} loops`),
    (count) => `${answers(count)} ${count === 1 ? "repeats" : "repeat"} the same words.`,
  );
  add(
    "close-steps",
    () => "near ties",
    (count) =>
      `In ${count === 1 ? "one answer" : `${count} answers`} two tokens were almost equally likely somewhere, so another device may answer differently.`,
  );
  return flags;
}

function answerChange(wordings: readonly ExamplePrompt[], { dataset }: RunSpec): Flag | null {
  const flag = (why: string, promptIds: string[]): Flag => ({
    kind: "answer-changes",
    text: "answer changes",
    why,
    promptIds,
  });
  const judged = wordings.filter(({ correct }) => correct !== null);
  if (judged.length > 0) {
    const wrong = judged.filter(({ correct }) => correct === false);
    if (wrong.length === 0 || wrong.length === judged.length) return null;
    return flag(
      `The gold answer is missing under ${wrong.length} of ${judged.length} wordings.`,
      wrong.map(({ promptId }) => promptId),
    );
  }
  if (dataset.kind === "free-text") return null;
  const original = comparableText(wordings[0]?.response ?? "");
  const others = wordings.filter(({ response }) => comparableText(response) !== original);
  if (others.length === 0) return null;
  return flag(
    `The answer differs from the original's under ${others.length} of ${wordings.length - 1} other wordings.`,
    others.map(({ promptId }) => promptId),
  );
}

/** Accuracy and degenerate answers over the set. */
export function qualityBeside(
  examples: readonly ExampleRecords[],
  spec: RunSpec,
  rejectedVariants: number,
): Analysis["beside"] {
  const verdicts = examples.map(({ wordings, gold }) =>
    wordings.map(({ generations }) => isCorrect(generations[0].text, gold, spec)),
  );
  const places = Math.max(0, ...verdicts.map(({ length }) => length));
  const accuracies: number[] = [];
  for (let place = 0; place < places; place += 1) {
    const ofPlace = verdicts.map((row) => row[place]).filter((it) => it !== null);
    // A place that some examples lack would compare wordings over different examples.
    const judged = ofPlace.filter((it) => it !== undefined);
    if (judged.length === 0 || judged.length < ofPlace.length) continue;
    accuracies.push(judged.filter(Boolean).length / judged.length);
  }
  const original = verdicts.map((row) => row[0]).filter((it) => it !== null && it !== undefined);
  const correct = original.filter(Boolean).length;
  const interval = shareInterval(correct, original.length).value;
  const answers = examples.flatMap(({ wordings, nullEdits }) => [
    ...wordings.flatMap(({ generations }) => generations),
    ...nullEdits.flatMap(({ records }) => records?.generations ?? []),
  ]);
  return {
    accuracyOriginal: interval && { correct, total: original.length, low: interval.low, high: interval.high },
    accuracyWorst: accuracies.length === 0 ? null : Math.min(...accuracies),
    accuracyBest: accuracies.length === 0 ? null : Math.max(...accuracies),
    answers: answers.length,
    truncated: answers.filter(({ finish }) => finish !== "eos").length,
    empty: answers.filter(({ text }) => isEmptyResponse(text)).length,
    looping: answers.filter(({ text }) => isLooping(text)).length,
    constant: answersAlwaysAlike(examples),
    rejectedVariants,
  };
}
