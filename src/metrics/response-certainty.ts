import { xLogX } from "./jensen-shannon.ts";
import { measured, notEstimable, type Measured } from "./measured.ts";

/** Mean log-probability of a response's tokens, nats, ≤ 0; null for a response without tokens. */
export function meanLogProbNats(logProbs: ArrayLike<number>): Measured {
  let sum = 0;
  for (let at = 0; at < logProbs.length; at += 1) sum += logProbs[at] ?? NaN;
  return logProbs.length === 0 ? notEstimable("the response is empty") : measured(sum / logProbs.length);
}

/**
 * Perplexity exp(−mean log-probability), ≥ 1.
 * @example perplexity([.9, .5, .8].map(Math.log)) // 1.405721…
 */
export function perplexity(logProbs: ArrayLike<number>): Measured {
  const mean = meanLogProbNats(logProbs);
  return mean.value === null ? mean : measured(Math.exp(-mean.value));
}

/** Probabilities of logits, stable for large ones. */
export function softmax(logits: readonly number[]): number[] {
  const largest = Math.max(...logits);
  const exps = logits.map((logit) => Math.exp(logit - largest));
  const sum = exps.reduce((total, value) => total + value, 0);
  return exps.map((value) => value / sum);
}

/** Entropy −Σ p ln p, nats, [0, ln K]. */
export function entropyNats(probabilities: readonly number[]): number {
  return Math.max(0, -probabilities.reduce((sum, p) => sum + xLogX(p), 0));
}

/** Entropy divided by ln of the vocabulary size: range [0, 1]. Null for a vocabulary of one. */
export function normalisedEntropy(entropy: number, vocabularySize: number): Measured {
  return vocabularySize > 1
    ? measured(entropy / Math.log(vocabularySize))
    : notEstimable("a vocabulary of one token has no entropy");
}

/** Probability of the likeliest outcome minus that of the second, [0, 1]; null for fewer than two outcomes. */
export function margin(probabilities: readonly number[]): Measured {
  const [first, second] = [...probabilities].sort((a, b) => b - a);
  return first === undefined || second === undefined
    ? notEstimable("there are fewer than two outcomes")
    : measured(first - second);
}

/**
 * P(True): probability of "True" when only "True" and "False" can be said.
 * @see Kadavath et al. 2022, arXiv:2207.05221
 * @example probabilityTrue(2, 1) // 0.731059…
 */
export function probabilityTrue(trueLogit: number, falseLogit: number): number {
  return 1 / (1 + Math.exp(falseLogit - trueLogit));
}

/**
 * POSIX, the prompt sensitivity index: ψ = 1/(k(k − 1)) Σ_{i≠j} |ln P(y_j | x_i) − ln P(y_j | x_j)| / L_j.
 *
 * ≥ 0, nats per token; unbounded.
 * @param logProbs - k × k, row i, column j: log-probability (nats) of response y_j under prompt x_i
 * @param lengths - L_j, tokens of each response
 * @returns null for fewer than two prompts or an empty response
 * @see Chatterjee et al. 2024, arXiv:2410.02185
 */
export function posix(logProbs: readonly (readonly number[])[], lengths: readonly number[]): Measured {
  const k = logProbs.length;
  if (k < 2) return notEstimable("there are fewer than two prompts");
  if (lengths.some((length) => length === 0)) return notEstimable("a response is empty");
  let sum = 0;
  for (const [i, row] of logProbs.entries()) {
    for (const [j, value] of row.entries()) {
      if (i !== j) sum += Math.abs(value - (logProbs[j]?.[j] ?? NaN)) / (lengths[j] ?? NaN);
    }
  }
  return measured(sum / (k * (k - 1)));
}
