/** What a test looks for: a parameter greater or less than the null value, or either. */
export type Alternative = "greater" | "less" | "two-sided";

/** The p-value of an alternative from both tails, each of which includes the observed point. */
export function pValueFromTails(upper: number, lower: number, alternative: Alternative): number {
  if (alternative === "greater") return upper;
  if (alternative === "less") return lower;
  return Math.min(1, 2 * Math.min(upper, lower));
}
