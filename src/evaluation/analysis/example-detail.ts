import {
  positionDivergences,
  STYLE_FEATURES,
  styleVector,
  layerDistances,
  layerVectors,
} from "../../metrics/index.ts";
import { createRandom } from "../../statistics/index.ts";
import type { GenerationRecord, RunBundle } from "../../storage/index.ts";
import type { ExampleDetail } from "../analysis-result.ts";
import { activationDistances, activationShape } from "./activation-axis.ts";
import { CalibratedAxis } from "./calibrated-axis.ts";
import { partitionOf } from "./confidence-axis.ts";
import { mirroringOf } from "./mirroring-axis.ts";
import { indexRun, type ExampleRecords, type PromptRecords } from "./run-index.ts";
import { slopeWithInterval } from "./slope-interval.ts";
import { pairExamples } from "./unrelated-pairs.ts";

/**
 * What the page of one example shows beyond its result.
 * @throws {RangeError} if the run has no complete example of that id
 */
export function exampleDetail(bundle: RunBundle, exampleId: string): ExampleDetail {
  const index = indexRun(bundle, null);
  const example = index.examples.find(({ id }) => id === exampleId);
  if (!example) throw new RangeError(`Example "${exampleId}" is not complete in this run.`);
  return {
    exampleId,
    layerHeat: layerHeat(example, index.examples, index.spec.seed),
    certainty: certaintyOf(example),
    mirroring: mirroringDetail(example, index.spec.seed),
    responseTokens: promptsOf(example).map(({ prompt, generations: [answer] }) => ({
      promptId: prompt.promptId,
      tokens: tokensOf(answer),
    })),
  };
}

function promptsOf({ wordings, nullEdits }: ExampleRecords): PromptRecords[] {
  return [...wordings, ...nullEdits.flatMap(({ records }) => records ?? [])];
}

function tokensOf({ tokenTexts, logProbNats }: GenerationRecord) {
  return tokenTexts.map((text, at) => ({ text, probability: Math.exp(logProbNats[at] ?? -Infinity) }));
}

function layerHeat(
  example: ExampleRecords,
  examples: readonly ExampleRecords[],
  seed: number,
): ExampleDetail["layerHeat"] {
  const shape = activationShape(examples);
  const { activation } = example.original;
  if (shape === null || activation === null) return [];
  const random = createRandom(`${seed}/distances`);
  const pairs = pairExamples(examples.length, random.split("unrelated-pairs"));
  const ceilings = new CalibratedAxis(activationDistances(examples, pairs, shape), examples.length).means
    .unrelated;
  const original = layerVectors(activation, shape);
  const distances = new Float64Array(shape.layers);
  return promptsOf(example).flatMap((records) => {
    if (records === example.original || records.activation === null) return [];
    layerDistances(original, layerVectors(records.activation, shape), shape, distances);
    const raw = Array.from(distances, (distance) => (Number.isNaN(distance) ? null : distance));
    return [
      {
        promptId: records.prompt.promptId,
        label: records.prompt.label,
        raw,
        calibrated: raw.map((distance, layer) => {
          const ceiling = ceilings[layer] ?? NaN;
          return distance !== null && ceiling > 0 ? distance / ceiling : null;
        }),
      },
    ];
  });
}

function certaintyOf(example: ExampleRecords): ExampleDetail["certainty"] {
  const scored = promptsOf(example).flatMap(({ prompt, score }) =>
    score !== null && score.logProbNats.length > 0 ? [{ prompt, score, partition: partitionOf(score) }] : [],
  );
  const original = scored.find(({ prompt }) => prompt.role === "original");
  if (!original) return null;
  const positions = original.score.logProbNats.length;
  const texts = example.original.generations[0].tokenTexts;
  const sums = new Float64Array(positions);
  const variants = scored.filter(({ prompt }) => prompt.role === "variant");
  for (const { partition } of variants) {
    positionDivergences(original.partition, partition).forEach((bits, at) => {
      sums[at] = (sums[at] ?? 0) + Math.sqrt(bits);
    });
  }
  return {
    tokens: Array.from({ length: positions }, (_, at) => texts[at] ?? ""),
    curves: scored.map(({ prompt, score }) => ({
      promptId: prompt.promptId,
      label: prompt.label,
      probability: Array.from(score.logProbNats, Math.exp),
    })),
    // Without variants there is no distance to show, and 0 would be one.
    positionDistance: variants.length === 0 ? [] : Array.from(sums, (sum) => sum / variants.length),
    coveredMass: Math.min(...scored.flatMap(({ partition }) => [...partition.covered])),
  };
}

function mirroringDetail(example: ExampleRecords, seed: number): ExampleDetail["mirroring"] {
  const { wordings, id } = example;
  const random = createRandom(`${seed}/distances`).split("mirroring").split(id);
  const { value } = mirroringOf(example, random);
  const prompts = wordings.map(({ prompt }) => styleVector(prompt.text));
  const responses = wordings.map(({ generations }) =>
    meanVector(generations.map(({ text }) => styleVector(text))),
  );
  return {
    features: STYLE_FEATURES.map(({ id: featureId, label, unit }, at) => {
      const x = prompts.map((vector) => vector[at] ?? 0);
      const y = responses.map((vector) => vector[at] ?? 0);
      return {
        id: featureId,
        label,
        unit,
        prompts: x,
        responses: y,
        ...slopeWithInterval(x, y),
      };
    }),
    promptIds: wordings.map(({ prompt }) => prompt.promptId),
    matched: value?.test.matched ?? null,
    mismatched: value?.test.mismatched ?? null,
    expectedByChance: value?.test.expectedMagnitude ?? null,
    pValue: value?.test.pValue ?? null,
  };
}

function meanVector(vectors: readonly Float64Array[]): Float64Array {
  return Float64Array.from(
    STYLE_FEATURES,
    (_, at) => vectors.reduce((sum, it) => sum + (it[at] ?? 0), 0) / vectors.length,
  );
}
