import {
  auroc,
  brierScore,
  expectedCalibrationError,
  fixedResponseDistance,
  meanLogProbNats,
  normalisedEntropy,
  storedPartition,
  type JudgedConfidence,
} from "../../../metrics/index.ts";
import { standardDeviation } from "../../../statistics/index.ts";
import { isCorrect } from "../answer-quality.ts";
import type { ExampleRecords, PromptRecords, RunIndex } from "../run-index.ts";
import { meanOverPairs, type Draft, type ExampleValues } from "./example-means.ts";

const BINS = 10;
const NO_INTERVAL = "a resample makes it look worse than it is, so no interval is given";

/** Confidence beyond the headline; what needs gold answers is empty without them. */
export function confidenceNumbers({ examples, spec }: RunIndex): Draft[] {
  const unscored = "the answers were not scored";
  const shifts = examples.map(shiftsOf);
  const own = examples.map(({ wordings }) => wordings.map(meanProbability).filter((value) => value !== null));
  const original = examples.map(({ original: records }) => records);
  const each = <T>(of: (item: T) => number | null, items: readonly T[]): ExampleValues => items.map(of);
  return [
    {
      id: "first-token",
      name: "First-token distance",
      meaning: "As the axis, at the first token of the answer only. 0 to 1.",
      values: each(firstTokenDistance, examples),
      missing: unscored,
    },
    {
      id: "log-prob-change",
      name: "Change of log-probability",
      meaning: "Mean size of the change in the answer’s log-probability under a variant, nats per token.",
      values: each(({ variants }) => meanOf(variants), shifts),
      missing: unscored,
    },
    {
      id: "posix-original",
      name: "POSIX, original’s answer only",
      meaning: "As published, but for the original’s answer only: the others are not scored. Nats per token.",
      values: each(({ variants }) => meanOf(variants.length === 0 ? [] : [0, ...variants]), shifts),
      missing: unscored,
    },
    {
      id: "probability-sd",
      name: "Spread of probability",
      meaning: "Standard deviation over wordings of the mean token probability of the model’s own answers.",
      values: each((values) => standardDeviation(values).value, own),
      missing: "there is only one wording with an answer",
    },
    {
      id: "probability-range",
      name: "Range of probability",
      meaning: "Largest minus smallest over the wordings of a question.",
      values: each((values) => (values.length < 2 ? null : Math.max(...values) - Math.min(...values)), own),
      missing: "there is only one wording with an answer",
    },
    {
      id: "probability",
      name: "Mean probability of the original’s answer",
      meaning: "Geometric mean of its token probabilities; its inverse is the perplexity. Not a stability.",
      values: each(meanProbability, original),
      missing: "all answers are empty",
    },
    {
      id: "entropy",
      name: "Mean entropy of the original’s answer",
      meaning: "Of the next-token distribution, divided by its largest value. 0 to 1.",
      values: each(({ generations: [{ entropyNats }] }) => {
        const mean = meanOf([...entropyNats]);
        return mean === null ? null : normalisedEntropy(mean, spec.model.vocabularySize).value;
      }, original),
      missing: "all answers are empty",
    },
    ...calibrationDrafts(examples, (place) => judged(examples, place, spec)),
    {
      id: "p-true",
      name: "P(True)",
      meaning: "Probability of “True” when the model is asked whether its answer is right.",
      missing: "this is not asked in a run",
    },
  ];
}

function calibrationDrafts(
  examples: readonly ExampleRecords[],
  judgedAt: (place: number) => readonly (JudgedConfidence | null)[],
): Draft[] {
  const perExample = judgedAt(0);
  const originals = perExample.filter((it) => it !== null);
  const gold = originals.length > 0;
  const missing = "the set has no gold answers";
  const places = Math.min(...examples.map(({ wordings }) => wordings.length));
  const errors = Array.from({ length: Math.max(0, Number.isFinite(places) ? places : 0) }, (_, place) => {
    const answers = judgedAt(place).filter((it) => it !== null);
    return expectedCalibrationError(answers, BINS).value;
  }).filter((value) => value !== null);
  return [
    {
      id: "ece",
      name: "Calibration error (ECE)",
      meaning: `Mean gap between confidence and accuracy over ${BINS} bins, originals. 0 to 1; too high for few questions.`,
      whole: {
        value: gold ? expectedCalibrationError(originals, BINS).value : null,
        noInterval: NO_INTERVAL,
      },
      missing,
    },
    {
      id: "ece-sd",
      name: "Spread of the calibration error",
      meaning: "Standard deviation of the ECE over the wordings at the same place of every question.",
      whole: { value: gold ? standardDeviation(errors).value : null, noInterval: NO_INTERVAL },
      missing: gold ? "there is only one wording" : missing,
    },
    {
      id: "brier",
      name: "Brier score",
      meaning: "Mean squared gap between confidence and being right, originals. 0 to 1; lower is better.",
      values: perExample.map((it) => (it === null ? null : brierScore([it]).value)),
      missing,
    },
    {
      id: "auroc",
      name: "AUROC of confidence",
      meaning: "Chance that a right answer has more confidence than a wrong one. 0.5 is no information.",
      whole: {
        value: gold ? auroc(originals).value : null,
        noInterval: "no interval is computed for it",
      },
      missing: gold ? "the answers are all right or all wrong" : missing,
    },
  ];
}

function judged(
  examples: readonly ExampleRecords[],
  place: number,
  spec: RunIndex["spec"],
): (JudgedConfidence | null)[] {
  return examples.map(({ wordings, gold }) => {
    const records = wordings[place];
    if (!records) return null;
    const correct = isCorrect(records.generations[0].text, gold, spec);
    const confidence = meanProbability(records);
    return correct === null || confidence === null ? null : { correct, confidence };
  });
}

function meanProbability({ generations: [{ logProbNats }] }: PromptRecords): number | null {
  const mean = meanLogProbNats(logProbNats).value;
  return mean === null ? null : Math.exp(mean);
}

function firstTokenDistance({ wordings }: ExampleRecords): number | null {
  const scores = wordings.flatMap(({ score }) =>
    score !== null && score.partitionLogProbs.length > 0 ? [score] : [],
  );
  // Only the first row of each partition is decoded.
  const first = scores.map(({ partitionLogProbs, partitionSize }) =>
    storedPartition(partitionLogProbs.subarray(0, partitionSize), partitionSize),
  );
  return meanOverPairs(first, (a, b) => fixedResponseDistance(a, b)?.firstToken ?? null);
}

/** |Δ log-probability| of the original's answer under each variant, nats per token. */
function shiftsOf({ original, variants }: ExampleRecords): { readonly variants: number[] } {
  const base = meanOf([...(original.score?.logProbNats ?? [])]);
  if (base === null) return { variants: [] };
  return {
    variants: variants.flatMap(({ score }) => {
      const mean = meanOf([...(score?.logProbNats ?? [])]);
      return mean === null ? [] : [Math.abs(mean - base)];
    }),
  };
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
