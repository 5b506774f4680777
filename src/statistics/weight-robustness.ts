import { requireFinite, requireWhole } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { modelPairs, type ModelPair } from "./model-scores.ts";
import type { RandomSource } from "./random-source.ts";

export interface PairRobustness {
  readonly models: ModelPair;
  /** Composite of the first model minus that of the second under equal weights. */
  readonly difference: number;
  /** Share of random weights under which the difference keeps its sign; in [0, 1]. */
  readonly preserved: Estimable;
}

/**
 * Does the order of two models hang on the weights of the axes? Weights are drawn from the flat Dirichlet
 * distribution (every mixture of the axes equally likely; normalised exponentials) and the composites compared.
 *
 * @param profiles - profiles[model][axis] on a common scale, all axes present
 * @returns reason `"empty"` without models or axes, `"too-few"` for one model; a pair has `"zero-variance"` if
 *   its composites are equal under equal weights, so that there is no order to preserve
 * @throws {RangeError} if profiles differ in length or a value is not finite
 */
export function weightRobustness(
  profiles: readonly ArrayLike<number>[],
  random: RandomSource,
  draws = 2_000,
): Estimable<readonly PairRobustness[]> {
  requireWhole(draws, "draws", 1);
  const axes = profiles[0]?.length ?? 0;
  profiles.forEach((profile, model) => {
    requireFinite(profile, `profiles[${model}]`);
    if (profile.length !== axes)
      throw new RangeError(`model ${model} has ${profile.length} axes instead of ${axes}`);
  });
  if (profiles.length === 0 || axes === 0) return notEstimable("empty");
  if (profiles.length === 1) return notEstimable("too-few");
  const weights = Array.from({ length: draws }, () => flatDirichlet(axes, random));
  const equal = new Array<number>(axes).fill(1 / axes);
  return estimable(
    modelPairs(profiles.length).map(([a, b]) => {
      const gaps = equal.map((_, axis) => (profiles[a]?.[axis] ?? NaN) - (profiles[b]?.[axis] ?? NaN));
      const weighted = (of: readonly number[]): number =>
        of.reduce((sum, w, axis) => sum + w * (gaps[axis] ?? NaN), 0);
      const difference = weighted(equal);
      const scale = gaps.reduce((largest, gap) => Math.max(largest, Math.abs(gap)), 0);
      if (Math.abs(difference) <= 1e-12 * scale) {
        return { models: [a, b] as const, difference: 0, preserved: notEstimable("zero-variance") };
      }
      const kept = weights.filter((of) => weighted(of) * difference > 0).length;
      return { models: [a, b] as const, difference, preserved: estimable(kept / draws) };
    }),
  );
}

/** One draw from Dirichlet(1, …, 1): positive, sum 1. */
export function flatDirichlet(parts: number, random: RandomSource): number[] {
  // 1 − u lies in (0, 1], so that the logarithm is finite.
  const draws = Array.from({ length: parts }, () => -Math.log(1 - random.uniform()));
  const total = draws.reduce((sum, draw) => sum + draw, 0);
  return total > 0 ? draws.map((draw) => draw / total) : flatDirichlet(parts, random);
}
