import { expect, it } from "vitest";
import alignment from "../../tests/fixtures/metrics/alignment.json";
import calibration from "../../tests/fixtures/metrics/calibration.json";
import jensenShannon from "../../tests/fixtures/metrics/jensen-shannon.json";
import rougeLValues from "../../tests/fixtures/metrics/rouge-l.json";
import textOverlap from "../../tests/fixtures/metrics/text-overlap.json";
import vectors from "../../tests/fixtures/metrics/vectors.json";
import {
  auroc,
  biasedCka,
  bleu,
  brierScore,
  chrf2,
  cosineDistance,
  debiasedCka,
  jensenShannonBits,
  rougeL,
  tokens13a,
} from "./index.ts";
import { spearman } from "./rank-correlation.ts";

/** Largest difference over all rows; rows without a reference value must have none here either. */
function largestGap<Row>(
  rows: readonly Row[],
  pairOf: (row: Row) => readonly [number | null, number | null],
): number {
  expect(rows.length).toBeGreaterThanOrEqual(200);
  return Math.max(
    ...rows.map((row) => {
      const [value, reference] = pairOf(row);
      return value === null || reference === null
        ? value === reference
          ? 0
          : Infinity
        : Math.abs(value - reference);
    }),
  );
}

it("agrees with sacreBLEU on tokens, BLEU in both orders and chrF2", () => {
  for (const row of textOverlap.rows) expect(tokens13a(row.hypothesis)).toEqual(row.tokens);
  const gap = (pairOf: (row: (typeof textOverlap.rows)[number]) => readonly [number, number]) =>
    largestGap(textOverlap.rows, pairOf);
  expect(
    gap((row) => [bleu(row.hypothesis, row.reference, { effectiveOrder: false }), row.bleu]),
  ).toBeLessThan(1e-6);
  expect(
    gap((row) => [bleu(row.hypothesis, row.reference, { effectiveOrder: true }), row.bleuEffectiveOrder]),
  ).toBeLessThan(1e-6);
  expect(gap((row) => [chrf2(row.hypothesis, row.reference), row.chrf2])).toBeLessThan(1e-6);
});

it("agrees with rouge-score on ROUGE-L", () => {
  expect(largestGap(rougeLValues.rows, (row) => [rougeL(row.a, row.b), row.f1])).toBeLessThan(1e-9);
});

it("agrees with scikit-learn on the Brier score and the area under the curve", () => {
  const judged = ({ confidence, correct }: (typeof calibration.rows)[number]) =>
    confidence.map((it, at) => ({ confidence: it, correct: correct[at] === 1 }));
  expect(largestGap(calibration.rows, (row) => [brierScore(judged(row)).value, row.brier])).toBeLessThan(
    1e-9,
  );
  expect(largestGap(calibration.rows, (row) => [auroc(judged(row)).value, row.auroc])).toBeLessThan(1e-9);
});

it("agrees with SciPy on the Jensen–Shannon divergence and on Spearman's correlation with ties", () => {
  expect(
    largestGap(jensenShannon.rows, (row) => [jensenShannonBits(row.p, row.q).value, row.bits]),
  ).toBeLessThan(1e-8);
  expect(largestGap(vectors.rows, (row) => [spearman(row.a, row.b), row.spearman])).toBeLessThan(1e-9);
});

it("agrees with scikit-learn on the cosine distance", () => {
  expect(
    largestGap(vectors.rows, (row) => [cosineDistance(row.a, row.b).value, row.cosineDistance]),
  ).toBeLessThan(1e-9);
});

it("agrees with feature-space formulas of linear CKA worked out with NumPy", () => {
  expect(largestGap(alignment.rows, (row) => [biasedCka(row.x, row.y).value, row.biased])).toBeLessThan(1e-8);
  const known = alignment.rows.filter(({ debiased }) => debiased !== null);
  expect(largestGap(known, (row) => [debiasedCka(row.x, row.y).value, row.debiased])).toBeLessThan(1e-6);
});
