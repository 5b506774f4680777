/** What a run ran in, so that it can be judged and repeated. */
import type { RunRecord } from "../controller.ts";
import { moment, num } from "../format.ts";

export interface Fact {
  readonly term: string;
  readonly value: string;
}

export function environmentFacts({
  run,
  browser,
  productVersion,
}: {
  readonly run: RunRecord;
  readonly browser: string;
  readonly productVersion: string;
}): Fact[] {
  const { model, device, encoder, dataset, template, decoding } = run.spec;
  const from = { bundled: "comes with the page", hub: "from a hub", folder: "from a folder" }[model.source];
  return [
    {
      term: "Model",
      value: `${model.id}, ${from}${model.revision === null ? "" : `, revision ${model.revision}`}`,
    },
    { term: "Model files, SHA-256", value: model.filesHash },
    {
      term: "Weights",
      value: `${model.dtype}, ${model.layers} layers of ${model.hiddenSize}, vocabulary of ${model.vocabularySize}`,
    },
    { term: "Sentence encoder", value: `${encoder.id}, files ${encoder.filesHash}` },
    {
      term: "Device",
      value: `${device.kind === "webgpu" ? "WebGPU" : "WASM"}${device.adapter === null ? "" : `, ${device.adapter}`}, ${device.threads} threads. ${device.reason}`,
    },
    { term: "Runtime", value: device.runtime },
    ...selfTest(run),
    { term: "Questions", value: `${dataset.name} (${dataset.id}), content ${dataset.contentHash}` },
    {
      term: "Prompt",
      value: `${template.kind === "chat" ? "chat template" : "as it is"}, ${template.systemPrompt === null ? "no system prompt" : `system prompt: ${template.systemPrompt}`}`,
    },
    {
      term: "Decoding",
      value:
        decoding.kind === "greedy"
          ? `greedy, at most ${decoding.maxNewTokens} new tokens`
          : `sampled, temperature ${decoding.temperature ?? 1}, nucleus ${decoding.topP ?? 1}, ${decoding.repeats} repeats, at most ${decoding.maxNewTokens} new tokens`,
    },
    { term: "Seed", value: String(run.spec.seed) },
    { term: "Run", value: `${run.id}, begun ${moment(run.createdAt)}, ${run.status}` },
    { term: "Versions", value: `run by Sago ${run.spec.productVersion}, analysed by Sago ${productVersion}` },
    { term: "Browser of this report", value: browser },
  ];
}

function selfTest({ selfTest: test }: RunRecord): Fact[] {
  if (test === undefined) return [];
  const reference =
    test.referenceDifferenceNats === null
      ? "no stored reference"
      : `to the stored reference ${num(test.referenceDifferenceNats, 4)} nats`;
  return [
    {
      term: "Test after loading",
      value: `largest difference token by token ${num(test.cacheDifferenceNats, 4)} nats, ${reference}, over ${test.positions} positions`,
    },
  ];
}
