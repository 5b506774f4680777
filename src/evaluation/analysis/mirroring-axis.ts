import { mirroringInstability, pairingMatrix, styleVector, type PairingMatrix } from "../../metrics/index.ts";
import {
  explainNotEstimable,
  pairingPermutation,
  type PairingTest,
  type RandomSource,
} from "../../statistics/index.ts";
import type { ExampleRecords } from "./run-index.ts";

/** Random pairings behind each example's chance value. */
const CHANCE_DRAWS = 1000;
/** Pairings drawn where there are too many to try all; one example's share of a mean over examples. */
const PAIRING_DRAWS = 1999;

/** Mirroring of one example. */
export interface MirroringResult {
  readonly test: PairingTest;
  /** On the scale of the composite, [0, 1]. */
  readonly instability: number;
  /** Mean of the same over random pairings: what chance alone gives. */
  readonly chance: number;
  readonly rows: readonly Float64Array[];
}

export interface MirroringAxis {
  readonly results: readonly (MirroringResult | null)[];
  readonly reasons: readonly (string | null)[];
}

/** Whether responses resemble their own prompts in style more than the other wordings of the same request. */
export function mirroringResults(examples: readonly ExampleRecords[], random: RandomSource): MirroringAxis {
  const results: (MirroringResult | null)[] = [];
  const reasons: (string | null)[] = [];
  for (const example of examples) {
    const result = mirroringOf(example, random.split(example.id));
    results.push(result.value);
    reasons.push(result.reason);
  }
  return { results, reasons };
}

type Outcome =
  | { readonly value: MirroringResult; readonly reason: null }
  | { readonly value: null; readonly reason: string };

export function mirroringOf({ wordings }: ExampleRecords, random: RandomSource): Outcome {
  if (wordings.length < 2) return { value: null, reason: "there is only one wording" };
  const matrix = pairingMatrix(
    wordings.map(({ generations }) => generations.map(({ text }) => styleVector(text))),
    wordings.map(({ prompt }) => styleVector(prompt.text)),
  );
  const rows = rowsOf(matrix);
  const test = pairingPermutation(rows, random.split("pairings"), { permutations: PAIRING_DRAWS });
  if (test.value === null) return { value: null, reason: explainNotEstimable(test.reason) };
  const difference = settled(test.value.matchedMinusMismatched);
  const expectedMagnitude = settled(test.value.expectedMagnitude);
  return {
    value: {
      test: { ...test.value, matchedMinusMismatched: difference, expectedMagnitude },
      instability: mirroringInstability(difference, expectedMagnitude),
      chance: chanceOf(matrix, expectedMagnitude, random.split("chance")),
      rows,
    },
    reason: null,
  };
}

/** Where all answers are alike in style, sums that cancel leave a rest of rounding behind. */
function settled(value: number): number {
  return Math.abs(value) < 1e-12 ? 0 : value;
}

function rowsOf({ size, similarity }: PairingMatrix): Float64Array[] {
  return Array.from({ length: size }, (_, row) => similarity.subarray(row * size, (row + 1) * size));
}

function chanceOf(
  { size, similarity }: PairingMatrix,
  expectedMagnitude: number,
  random: RandomSource,
): number {
  const order = Int32Array.from({ length: size }, (_, at) => at);
  const all = similarity.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  for (let draw = 0; draw < CHANCE_DRAWS; draw += 1) {
    random.shuffle(order);
    let matched = 0;
    for (let row = 0; row < size; row += 1) matched += similarity[row * size + (order[row] ?? 0)] ?? 0;
    const difference = matched / size - (all - matched) / (size * (size - 1));
    sum += mirroringInstability(settled(difference), expectedMagnitude);
  }
  return sum / CHANCE_DRAWS;
}
