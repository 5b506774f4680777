import { countClasses } from "./answer-agreement.ts";
import { generalisedJensenShannonNats, xLogX } from "./jensen-shannon.ts";
import { measured, notEstimable, type Measured } from "./measured.ts";

/**
 * Entropy of answers over clusters of equal meaning, −Σ p ln p, in nats. It is the discrete semantic entropy only
 * where the clusters come from entailment in both directions; say what they come from.
 *
 * Range [0, ln n]. Biased downwards for few answers.
 * @param clusters - the cluster of each answer
 * @returns null for no answer
 * @see Kuhn et al. 2023, arXiv:2302.09664; Farquhar et al. 2024
 * @example clusterEntropyNats(["A", "A", "B", "A", "C"]) // 0.950271…
 */
export function clusterEntropyNats(clusters: readonly string[]): Measured {
  const n = clusters.length;
  if (n === 0) return notEstimable("there are no answers");
  let entropy = 0;
  for (const count of countClasses(clusters).values()) entropy -= xLogX(count / n);
  return measured(Math.max(0, entropy));
}

/** {@link clusterEntropyNats} divided by ln n, its largest value: range [0, 1]; null for fewer than two answers. */
export function normalisedClusterEntropy(clusters: readonly string[]): Measured {
  if (clusters.length < 2) return notEstimable("there are fewer than two answers");
  const entropy = clusterEntropyNats(clusters);
  return entropy.value === null ? entropy : measured(entropy.value / Math.log(clusters.length));
}

/**
 * How much the wording tells about the answer's cluster: H(pooled) − mean over wordings of H(cluster | wording), in
 * nats, every wording with equal weight. Unlike cluster entropy it leaves out what sampling alone does.
 *
 * Range [0, ln k]. Biased upwards for few answers: see {@link variantInformationAboveChance}.
 * @param answers - for each wording, the clusters of its sampled answers
 * @returns null for fewer than two wordings, or one without answers
 * @see Lin 1991, eq. 5.1 (generalised Jensen–Shannon divergence)
 * @example variantInformationNats([["A", "A", "A", "B"], ["A", "B", "B", "B"]]) // 0.130812…
 */
export function variantInformationNats(answers: readonly (readonly string[])[]): Measured {
  if (answers.length < 2) return notEstimable("there are fewer than two wordings");
  if (answers.some((ofWording) => ofWording.length === 0)) return notEstimable("a wording has no answer");
  const clusters = [...new Set(answers.flat())];
  return generalisedJensenShannonNats(
    answers.map((ofWording) => {
      const counts = countClasses(ofWording);
      return clusters.map((cluster) => (counts.get(cluster) ?? 0) / ofWording.length);
    }),
  );
}

/**
 * Variant information minus its mean over random assignments of the answers to the wordings. About 0 where the
 * wording does not matter; it can be negative.
 *
 * @param shuffle - puts a list in random order, in place
 */
export function variantInformationAboveChance(
  answers: readonly (readonly string[])[],
  shuffle: (list: string[]) => void,
  permutations = 1000,
): Measured {
  const observed = variantInformationNats(answers);
  if (observed.value === null) return observed;
  const pool = answers.flat();
  let sum = 0;
  for (let draw = 0; draw < permutations; draw += 1) {
    shuffle(pool);
    let from = 0;
    const dealt = answers.map(({ length }) => pool.slice(from, (from += length)));
    sum += variantInformationNats(dealt).value ?? 0;
  }
  return measured(observed.value - sum / permutations);
}
