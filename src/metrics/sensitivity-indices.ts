import { entropyNats } from "./response-certainty.ts";
import { measured, notEstimable, type Measured } from "./measured.ts";

/**
 * PSS, the prompt sensitivity score of one example: mean |Y_a − Y_b| over pairs of wordings.
 *
 * Range: that of the metric, [0, 1] for 0/1 answers.
 * @param scores - Y, one for each wording
 * @returns null for fewer than two wordings
 * @see Zhuo et al. 2024 (ProSA), arXiv:2410.12405
 * @example promptSensitivity([1, 1, 0, 1]) // 0.5
 */
export function promptSensitivity(scores: readonly number[]): Measured {
  const k = scores.length;
  if (k < 2) return notEstimable("there are fewer than two wordings");
  let sum = 0;
  for (const [at, score] of scores.entries()) {
    for (const other of scores.slice(at + 1)) sum += Math.abs(score - other);
  }
  return measured((2 * sum) / (k * (k - 1)));
}

/**
 * FormatSpread: accuracy of the best format minus that of the worst. Range [0, 1]; grows with the number of formats.
 * @see Sclar et al. 2023, arXiv:2310.11324
 */
export function formatSpread(accuracies: readonly number[]): Measured {
  return accuracies.length < 2
    ? notEstimable("there are fewer than two formats")
    : measured(Math.max(...accuracies) - Math.min(...accuracies));
}

/**
 * Sensitivity of one example: entropy of the mean predicted distribution over wordings, divided by the log of the
 * number of classes.
 *
 * Range [0, 1]; needs no gold.
 * @param distributions - for each wording, the share of each class (0 and 1 for a single answer)
 * @see Errica et al. 2024, arXiv:2406.12334
 * @example predictionSensitivity([[.6, .4, 0]]) // 0.612602…
 */
export function predictionSensitivity(distributions: readonly (readonly number[])[]): Measured {
  const classes = distributions[0]?.length ?? 0;
  if (classes < 2) return notEstimable("there are fewer than two classes");
  const mean = Array.from({ length: classes }, (_, at) => {
    return (
      distributions.reduce((sum, distribution) => sum + (distribution[at] ?? NaN), 0) / distributions.length
    );
  });
  return measured(entropyNats(mean) / Math.log(classes));
}

/**
 * Consistency of two examples of the same class: 1 − total variation distance of their predicted distributions.
 *
 * Range [0, 1].
 * @see Errica et al. 2024, arXiv:2406.12334
 * @example predictionConsistency([.6, .4, 0], [.8, 0, .2]) // 0.6
 */
export function predictionConsistency(p: readonly number[], q: readonly number[]): number {
  if (p.length !== q.length) throw new RangeError(`Distributions over ${p.length} and ${q.length} classes.`);
  return 1 - p.reduce((sum, value, at) => sum + Math.abs(value - (q[at] ?? NaN)), 0) / 2;
}
