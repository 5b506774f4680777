import { requireOpenUnit, requireWhole } from "./checks.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { normalQuantile } from "./normal-distribution.ts";

export interface Proportion {
  readonly share: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
}

/**
 * A proportion with Wilson's score interval (Wilson 1927), without continuity correction. Unlike the textbook
 * interval it stays within [0, 1] and does not collapse at 0 of n.
 *
 * @param count - 0 … total
 * @param confidence - in (0, 1)
 * @returns reason `"empty"` for total = 0
 * @throws {RangeError} if a count is not whole, or count > total
 * @example wilsonInterval(2, 16) // 0.034977…, 0.360228…
 */
export function wilsonInterval(count: number, total: number, confidence = 0.95): Estimable<Proportion> {
  requireWhole(total, "total", 0);
  requireWhole(count, "count", 0);
  requireOpenUnit(confidence, "confidence");
  if (count > total) throw new RangeError(`count ${count} exceeds total ${total}`);
  if (total === 0) return notEstimable("empty");
  const z = normalQuantile(0.5 + confidence / 2);
  const share = count / total;
  const shrink = 1 + (z * z) / total;
  const centre = (share + (z * z) / (2 * total)) / shrink;
  const half = (z / shrink) * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  return estimable({
    share,
    // At the ends the limit is 0 or 1 exactly; rounding would leave 1e-17.
    low: count === 0 ? 0 : Math.max(0, centre - half),
    high: count === total ? 1 : Math.min(1, centre + half),
    confidence,
  });
}
