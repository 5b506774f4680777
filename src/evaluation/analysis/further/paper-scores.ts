import {
  bleu,
  decodeCentred,
  embeddingDistance,
  mirrorsPerturbation,
  PAPER_RANGES,
  paperScore,
  paperSensitivity,
  type PaperPerturbation,
} from "../../../metrics/index.ts";
import { explainNotEstimable, oneSampleT } from "../../../statistics/index.ts";
import type { AxisId, BackgroundRecord } from "../../../storage/index.ts";
import type { PaperScore } from "../../further-result.ts";
import type { ExampleRecords, PromptRecords, RunIndex } from "../run-index.ts";
import { strengthOf } from "./dose-response.ts";
import { tokenF1, TOKENS_NOT_STORED } from "./token-matching-numbers.ts";

/** ε of the paper's tests. */
const EPSILONS = [0.01, 0.05, 0.1] as const;

interface Definition {
  readonly id: string;
  readonly axis: AxisId;
  readonly name: string;
  readonly range: number;
  /** X of a variant minus X of the original; null where it does not exist. */
  readonly difference: (variant: PromptRecords, example: ExampleRecords) => number | null;
  readonly substitution: string | null;
  readonly ours?: true;
  readonly missing: string;
}

/**
 * The paper's scores: root mean square over variants of the change of X in units of R, averaged over questions, with its
 * t tests against ε. Lower is more stable; rows cannot be compared with each other.
 * @see arXiv:2610.01428 and its authors' public code; METRICS.md §0
 */
export function paperScores({ examples, background, spec }: RunIndex): PaperScore[] {
  return definitions(background, spec.encoder.id).map((definition) => scoreOf(definition, examples));
}

function definitions(background: BackgroundRecord | null, encoder: string): Definition[] {
  const noScore = "the answers were not scored";
  return [
    {
      id: "activation",
      axis: "activation",
      name: "Cosine of the last prompt token, mean of the layers",
      range: PAPER_RANGES.activation,
      difference: (variant, { original }) => rawCosineChange(variant, original, background, "mean"),
      substitution: null,
      missing: "this run has no activations",
    },
    {
      id: "activation-last",
      axis: "activation",
      name: "The same, last layer only",
      range: PAPER_RANGES.activation,
      difference: (variant, { original }) => rawCosineChange(variant, original, background, "last"),
      substitution: null,
      missing: "this run has no activations",
    },
    {
      id: "bleu",
      axis: "generation",
      name: "BLEU against the original’s answer",
      range: PAPER_RANGES.bleu,
      difference: (variant, { original }) => bleuChange(variant, original, false),
      substitution: null,
      missing: "there is only one wording",
    },
    {
      id: "bleu-effective",
      axis: "generation",
      name: "The same, with effective order",
      range: PAPER_RANGES.bleu,
      difference: (variant, { original }) => bleuChange(variant, original, true),
      substitution: null,
      ours: true,
      missing: "there is only one wording",
    },
    {
      id: "bert-score",
      axis: "generation",
      name: "BERTScore F1, not rescaled",
      range: PAPER_RANGES.bertScore,
      difference: (variant, { original }) => {
        const f1 = tokenF1(original, variant);
        return f1 === null ? null : f1 - 1;
      },
      substitution: `token vectors of ${encoder} in place of roberta-large’s`,
      missing: TOKENS_NOT_STORED,
    },
    {
      id: "meaning",
      axis: "generation",
      name: "The same by whole texts: cosine of the sentence encoder",
      range: PAPER_RANGES.bertScore,
      difference: (variant, { original }) =>
        -embeddingDistance(original.embeddings[0] ?? null, variant.embeddings[0] ?? null),
      substitution: null,
      ours: true,
      missing: "there is only one wording",
    },
    {
      id: "log-prob",
      axis: "confidence",
      name: "Summed log-probability of the original’s answer",
      range: PAPER_RANGES.logProb,
      difference: (variant, { original }) =>
        scoreChange(variant, original, (score) => sum(score.logProbNats)),
      substitution: null,
      missing: noScore,
    },
    {
      id: "log-prob-token",
      axis: "confidence",
      name: "The same, per token (nats)",
      range: 1,
      difference: (variant, { original }) =>
        scoreChange(variant, original, (score) => mean(score.logProbNats)),
      substitution: null,
      ours: true,
      missing: noScore,
    },
    {
      id: "entropy",
      axis: "confidence",
      name: "Mean entropy of the next token, same answer",
      range: PAPER_RANGES.entropy,
      difference: (variant, { original }) =>
        scoreChange(variant, original, (score) => mean(score.entropyNats)),
      substitution: null,
      missing: noScore,
    },
    {
      id: "mirroring",
      axis: "mirroring",
      name: "Mirroring detector",
      range: PAPER_RANGES.mirroring,
      difference: mirrorChange,
      substitution: "rules only; politeness would need a judge and is left out",
      missing:
        "no variant is of a family and a strength that the rules know; choose the paper’s families as wordings of a run",
    },
  ];
}

function scoreOf(definition: Definition, examples: readonly ExampleRecords[]): PaperScore {
  const { id, axis, name, range, difference, substitution, ours = false, missing } = definition;
  const sensitivities = examples.flatMap((example) => {
    const differences = example.variants
      .map((variant) => difference(variant, example))
      .filter((it) => it !== null);
    return paperSensitivity(differences, range).value ?? [];
  });
  const score = paperScore(sensitivities).value;
  return {
    id,
    axis,
    name,
    score,
    examples: sensitivities.length,
    reason: score === null ? missing : null,
    substitution,
    ours,
    tests: EPSILONS.map((epsilon) => {
      if (score === null) return { epsilon, t: null, pValue: null, reason: missing };
      const { value, reason } = oneSampleT(sensitivities, epsilon);
      return value === null
        ? { epsilon, t: null, pValue: null, reason: explainNotEstimable(reason) }
        : { epsilon, t: value.t, pValue: value.pValue, reason: null };
    }),
  };
}

/** Raw cosine minus 1, the original's with itself: stored states are centred, so the background mean is added again. */
function rawCosineChange(
  variant: PromptRecords,
  original: PromptRecords,
  background: BackgroundRecord | null,
  which: "mean" | "last",
): number | null {
  const [a, b] = [original.activation, variant.activation];
  if (a === null || b === null || background === null) return null;
  const { layers, hiddenSize } = background;
  const x = decodeCentred(a, layers, hiddenSize);
  const y = decodeCentred(b, layers, hiddenSize);
  let total = 0;
  const from = which === "last" ? layers - 1 : 0;
  for (let layer = from; layer < layers; layer += 1) {
    let [dot, squareA, squareB] = [0, 0, 0];
    for (let at = layer * hiddenSize; at < (layer + 1) * hiddenSize; at += 1) {
      const centre = background.lastPromptTokenMean[at] ?? 0;
      const u = (x[at] ?? 0) + centre;
      const w = (y[at] ?? 0) + centre;
      dot += u * w;
      squareA += u * u;
      squareB += w * w;
    }
    if (squareA === 0 || squareB === 0) return null;
    total += dot / Math.sqrt(squareA * squareB) - 1;
  }
  return total / (layers - from);
}

function bleuChange(variant: PromptRecords, original: PromptRecords, effectiveOrder: boolean): number {
  const reference = original.generations[0].text;
  const options = { effectiveOrder };
  return bleu(variant.generations[0].text, reference, options) - bleu(reference, reference, options);
}

type Score = NonNullable<PromptRecords["score"]>;

function scoreChange(
  variant: PromptRecords,
  original: PromptRecords,
  of: (score: Score) => number | null,
): number | null {
  if (variant.score === null || original.score === null) return null;
  const [changed, base] = [of(variant.score), of(original.score)];
  return changed === null || base === null ? null : changed - base;
}

/** 1 where the rules of the variant's family see its change in the answer; the original's value is 0. */
function mirrorChange(variant: PromptRecords, { original }: ExampleRecords): number | null {
  const perturbation = perturbationOf(variant);
  if (perturbation === null) return null;
  const mirrored = mirrorsPerturbation(
    variant.generations[0].text,
    original.generations[0].text,
    perturbation,
  );
  return mirrored === null ? null : Number(mirrored);
}

function perturbationOf({ prompt }: PromptRecords): PaperPerturbation | null {
  const strength = strengthOf(prompt);
  if (strength === null) return null;
  switch (prompt.family) {
    case "spacing":
    case "punctuation":
      return { kind: prompt.family, strength };
    case "case":
    case "letter-case":
      return { kind: "case", strength };
    case "length":
      return { kind: "length", multiplier: strength };
    default:
      return null;
  }
}

function sum(values: Float32Array): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
}

function mean(values: Float32Array): number | null {
  const total = sum(values);
  return total === null ? null : total / values.length;
}
