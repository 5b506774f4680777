import { requireOpenUnit, requireWhole } from "./checks.ts";
import { binomial, factorial } from "./permutation-count.ts";
import { normalQuantile } from "./normal-distribution.ts";

export interface ComparisonDesign {
  /** δ: the difference between two models that should be found. */
  readonly difference: number;
  /** ω²: variance over examples of the expected paired difference. */
  readonly betweenExamples: number;
  /** σ²_A and σ²_B: variance of each model's score within an example, over wordings or samples. */
  readonly withinA: number;
  readonly withinB: number;
  /** K_A and K_B: wordings or samples averaged for each example. */
  readonly repeatsA: number;
  readonly repeatsB: number;
  readonly alpha?: number;
  readonly power?: number;
}

/**
 * Examples needed to find a difference between two models on paired examples, two-sided:
 * n = (z_{α/2} + z_β)² (ω² + σ²_A/K_A + σ²_B/K_B) / δ², rounded up. Normal approximation; at least 2.
 *
 * @throws {RangeError} if δ is 0, a variance is negative, a count is not whole, or a level lies outside (0, 1)
 * @see Miller 2024, arXiv:2411.00640
 */
export function examplesForComparison(design: ComparisonDesign): number {
  const {
    difference,
    betweenExamples,
    withinA,
    withinB,
    repeatsA,
    repeatsB,
    alpha = 0.05,
    power = 0.8,
  } = design;
  requireWhole(repeatsA, "repeatsA", 1);
  requireWhole(repeatsB, "repeatsB", 1);
  for (const part of [betweenExamples, withinA, withinB]) {
    if (!(part >= 0 && part < Infinity)) throw new RangeError(`a variance cannot be ${part}`);
  }
  requireNonzero(difference, "difference");
  const variance = betweenExamples + withinA / repeatsA + withinB / repeatsB;
  return roundedUp((zSum(alpha / 2, power) ** 2 * variance) / difference ** 2);
}

/**
 * Examples needed to find that a paired difference exceeds 0, one-sided: n = ((z_α + z_β) / d_z)², rounded up;
 * at least 2. Normal approximation: with n below 20 add one or two.
 *
 * @param effect - d_z: mean difference in units of its standard deviation over examples; positive
 * @throws {RangeError} if the effect is not positive or a level lies outside (0, 1)
 * @example examplesForDetection(0.5) // 25
 */
export function examplesForDetection(effect: number, alpha = 0.05, power = 0.8): number {
  requirePositive(effect, "effect");
  return roundedUp((zSum(alpha, power) / effect) ** 2);
}

/** The smallest d_z that n examples find, one-sided: (z_α + z_β) / √n. */
export function detectableEffect(examples: number, alpha = 0.05, power = 0.8): number {
  requireWhole(examples, "examples", 1);
  return zSum(alpha, power) / Math.sqrt(examples);
}

/** Smallest p-value that all 2ⁿ sign patterns of n nonzero differences can give (one-sided). */
export function smallestSignFlipP(n: number): number {
  requireWhole(n, "n", 1);
  return 2 ** -n;
}

/** Smallest p-value of the variants-against-null-edits test when all examples have the same numbers of each. */
export function smallestWithinExampleP(examples: number, variants: number, nullEdits: number): number {
  requireWhole(examples, "examples", 1);
  requireWhole(variants, "variants", 1);
  requireWhole(nullEdits, "nullEdits", 1);
  return binomial(variants + nullEdits, nullEdits) ** -examples;
}

/**
 * Smallest p-value of the sampled test for each example with k wordings of R samples: k! labellings of
 * (kR)!/(R!)^k are the same partition.
 * @example smallestSampledP(1, 2, 4) // 2/70
 */
export function smallestSampledP(examples: number, wordings: number, samples: number): number {
  requireWhole(examples, "examples", 1);
  requireWhole(wordings, "wordings", 2);
  requireWhole(samples, "samples", 2);
  // As a product of binomials, which stay finite longer than the factorials.
  let partitions = 1;
  for (let k = 2; k <= wordings; k++) partitions *= binomial(k * samples - 1, samples - 1);
  return partitions ** -examples;
}

/** Smallest p-value of the pairing test of one example with k wordings: 1/k!. */
export function smallestPairingP(wordings: number): number {
  requireWhole(wordings, "wordings", 2);
  return 1 / factorial(wordings);
}

/** Smallest two-sided exact p-value of a rank correlation over m models: 2/m!. */
export function smallestRankP(models: number): number {
  requireWhole(models, "models", 2);
  return 2 / factorial(models);
}

function zSum(alpha: number, power: number): number {
  requireOpenUnit(alpha, "alpha");
  requireOpenUnit(power, "power");
  return normalQuantile(1 - alpha) + normalQuantile(power);
}

function roundedUp(n: number): number {
  return Math.max(2, Math.ceil(n - 1e-9));
}

function requirePositive(value: number, name: string): void {
  if (!(value > 0 && value < Infinity)) throw new RangeError(`${name} must be positive, not ${value}`);
}

function requireNonzero(value: number, name: string): void {
  requirePositive(Math.abs(value), `|${name}|`);
}
