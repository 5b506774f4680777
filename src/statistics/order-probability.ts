import { DEFAULT_REPLICATIONS } from "./cluster-bootstrap.ts";
import { estimable, notEstimable, type Estimable } from "./estimable.ts";
import { bootstrapModels, checkedModels, type DatasetScores } from "./model-scores.ts";
import { meanOf } from "./moments.ts";
import type { RandomSource } from "./random-source.ts";

export interface OrderProbability {
  /** The models from the lowest score to the highest, as observed. */
  readonly observed: readonly number[];
  /** Orders that occurred, from the most to the least frequent; shares of all resamples. */
  readonly orders: readonly { readonly order: readonly number[]; readonly share: number }[];
  /** Share of resamples in which two models tied, so that there is no order. */
  readonly tied: number;
  /** below[a][b]: share of resamples in which a scored below b, ties counted half; .5 on the diagonal. */
  readonly below: readonly (readonly number[])[];
}

/**
 * How stable is the order of the models under resampling of the examples? A model's score is the unweighted mean
 * over data sets of its mean over examples; examples are resampled within each data set, jointly for all models.
 *
 * The shares are bootstrap frequencies. They say how fragile a ranking is, not how probable it is that it is true.
 *
 * @returns reason `"empty"` without examples or data sets, `"too-few"` for fewer than two models, or fewer than
 *   two examples in a data set
 * @throws {RangeError} if the data sets differ in models, models in examples, or a score is not finite
 */
export function orderProbability(
  datasets: readonly DatasetScores[],
  random: RandomSource,
  replications = DEFAULT_REPLICATIONS,
): Estimable<OrderProbability> {
  const models = checkedModels(datasets);
  const sizes = datasets.map(({ scores }) => scores[0]?.length ?? 0);
  if (datasets.length === 0 || sizes.includes(0)) return notEstimable("empty");
  if (models < 2 || sizes.includes(1)) return notEstimable("too-few");
  const bootstraps = datasets.map((scores, i) => bootstrapModels(scores, random.split(i), replications));
  const scoresOf = (model: number, replicate: number): number =>
    bootstraps.reduce((sum, { replicates }) => sum + (replicates[model]?.[replicate] ?? NaN), 0) /
    bootstraps.length;
  const observed = datasets.reduce(
    (sums, { scores }) => sums.map((sum, model) => sum + meanOf(scores[model] ?? []) / datasets.length),
    new Array<number>(models).fill(0),
  );

  const below = Array.from({ length: models }, () => new Array<number>(models).fill(0));
  const seen = new Map<string, { order: readonly number[]; count: number }>();
  let tied = 0;
  for (let replicate = 0; replicate < replications; replicate++) {
    const scores = Array.from({ length: models }, (_, model) => scoresOf(model, replicate));
    let ties = false;
    below.forEach((row, a) => {
      for (let b = 0; b < models; b++) {
        const comparison = compareScores(scores[a] ?? NaN, scores[b] ?? NaN);
        if (comparison === 0 && a !== b) ties = true;
        row[b] = (row[b] ?? NaN) + (comparison < 0 ? 1 : comparison === 0 ? 0.5 : 0);
      }
    });
    if (ties) {
      tied++;
      continue;
    }
    const order = ascendingOrder(scores);
    const key = order.join(" ");
    seen.set(key, { order, count: (seen.get(key)?.count ?? 0) + 1 });
  }
  return estimable({
    observed: ascendingOrder(observed),
    orders: [...seen.values()]
      .sort((a, b) => b.count - a.count)
      .map(({ order, count }) => ({ order, share: count / replications })),
    tied: tied / replications,
    below: below.map((row) => row.map((count) => count / replications)),
  });
}

/** Scores equal but for rounding are equal. */
function compareScores(a: number, b: number): number {
  return Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b)) ? 0 : a - b;
}

function ascendingOrder(scores: readonly number[]): number[] {
  return scores.map((_, model) => model).sort((a, b) => (scores[a] ?? NaN) - (scores[b] ?? NaN) || a - b);
}
