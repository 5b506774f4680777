import { measured, notEstimable, type Measured } from "./measured.ts";
import { ranksOf } from "./rank-correlation.ts";

/** A stated confidence in [0, 1] and whether the answer was right. */
export interface JudgedConfidence {
  readonly confidence: number;
  readonly correct: boolean;
}

/** Below so many answers bins of equal width are too empty. */
const EQUAL_MASS_BELOW = 200;

/**
 * Expected calibration error: mean over bins, weighted by size, of |accuracy − mean confidence|.
 *
 * Range [0, 1]; biased upwards for few answers. Calibration is not stability.
 * @param bins - how many
 * @param binning - `equal-width`: right-closed intervals of [0, 1]; `equal-mass`: as many answers in each bin as
 *   possible, in order of confidence (ties are split by order); by default equal-mass below 200 answers
 * @returns null without answers
 * @see Guo et al. 2017, arXiv:1706.04599
 */
export function expectedCalibrationError(
  answers: readonly JudgedConfidence[],
  bins: number,
  binning: "equal-width" | "equal-mass" = answers.length < EQUAL_MASS_BELOW ? "equal-mass" : "equal-width",
): Measured {
  if (answers.length === 0) return notEstimable("there are no answers");
  if (!Number.isInteger(bins) || bins < 1) throw new RangeError(`Cannot make ${bins} bins.`);
  const grouped: JudgedConfidence[][] = Array.from({ length: bins }, () => []);
  const ordered = [...answers].sort((a, b) => a.confidence - b.confidence);
  for (const [rank, answer] of ordered.entries()) {
    const bin =
      binning === "equal-mass"
        ? Math.floor((rank * bins) / ordered.length)
        : Math.max(0, Math.ceil(answer.confidence * bins - 1e-12) - 1);
    grouped[Math.min(bin, bins - 1)]?.push(answer);
  }
  let error = 0;
  for (const group of grouped) {
    const gap = group.reduce((sum, { confidence, correct }) => sum + Number(correct) - confidence, 0);
    error += Math.abs(gap) / answers.length;
  }
  return measured(error);
}

/** Brier score: mean squared difference of confidence and outcome. Range [0, 1]; null without answers. */
export function brierScore(answers: readonly JudgedConfidence[]): Measured {
  if (answers.length === 0) return notEstimable("there are no answers");
  const sum = answers.reduce(
    (total, { confidence, correct }) => total + (confidence - Number(correct)) ** 2,
    0,
  );
  return measured(sum / answers.length);
}

/**
 * Area under the ROC curve: probability that a right answer has more confidence than a wrong one, ties half.
 *
 * Range [0, 1], .5 without information.
 * @returns null where all answers are right, or all wrong
 */
export function auroc(answers: readonly JudgedConfidence[]): Measured {
  const right = answers.filter(({ correct }) => correct).length;
  const wrong = answers.length - right;
  if (right === 0 || wrong === 0) return notEstimable("the answers are all right or all wrong");
  const ranks = ranksOf(answers.map(({ confidence }) => confidence));
  const sum = answers.reduce((total, { correct }, at) => total + (correct ? (ranks[at] ?? 0) : 0), 0);
  return measured((sum - (right * (right + 1)) / 2) / (right * wrong));
}
