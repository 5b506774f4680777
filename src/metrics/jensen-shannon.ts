import { measured, notEstimable, type Measured } from "./measured.ts";

/**
 * Jensen–Shannon divergence of two distributions, in nats.
 *
 * H((p + q)/2) − (H(p) + H(q))/2. Range [0, ln 2]; 0 for equal distributions; symmetric.
 * @param p - probabilities, length K, sum 1
 * @param q - as `p`, over the same outcomes
 * @returns null for K = 0
 * @throws {RangeError} if the lengths differ, or an entry is negative or not finite
 * @see Lin 1991, eq. 4.1
 * @example jensenShannonNats([.7, .2, .1], [.5, .3, .2]) // 0.021901…
 */
export function jensenShannonNats(p: readonly number[], q: readonly number[]): Measured {
  return generalisedJensenShannonNats([p, q]);
}

/**
 * Jensen–Shannon divergence of k distributions with equal weights, in nats: H(mean) − mean of H.
 *
 * Range [0, ln k]; 0 for one distribution or equal ones. Errors and null as for {@link jensenShannonNats}.
 * @see Lin 1991, eq. 5.1
 * @example generalisedJensenShannonNats([[.7, .2, .1], [.5, .3, .2], [.1, .1, .8]]) // 0.228638…
 */
export function generalisedJensenShannonNats(distributions: readonly (readonly number[])[]): Measured {
  const outcomes = distributions[0]?.length ?? 0;
  if (outcomes === 0) return notEstimable("there are no outcomes to compare");
  let divergence = 0;
  for (let at = 0; at < outcomes; at += 1) {
    let sum = 0;
    for (const distribution of distributions) {
      const probability = distribution[at] ?? NaN;
      if (distribution.length !== outcomes || !(probability >= 0 && probability < Infinity)) {
        throw new RangeError(`Outcome ${at} of ${distribution.length} has the probability ${probability}.`);
      }
      sum += probability;
      divergence += xLogX(probability) / distributions.length;
    }
    divergence -= xLogX(sum / distributions.length);
  }
  return measured(Math.min(Math.log(distributions.length), Math.max(0, divergence)));
}

/** {@link jensenShannonNats} in bits: range [0, 1]. */
export function jensenShannonBits(p: readonly number[], q: readonly number[]): Measured {
  const nats = jensenShannonNats(p, q);
  return nats.value === null ? nats : measured(Math.min(1, nats.value / Math.LN2));
}

/** x ln x, with its limit 0 at 0. */
export function xLogX(x: number): number {
  return x > 0 ? x * Math.log(x) : 0;
}
