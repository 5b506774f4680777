import { cosineDistance, decodeCentred, type LayerShape } from "../../../metrics/index.ts";
import { standardDeviation } from "../../../statistics/index.ts";
import type { ActivationRecord } from "../../../storage/index.ts";
import { activationShape } from "../activation-axis.ts";
import type { ExampleRecords } from "../run-index.ts";
import { meanOverPairs, type Draft, type ExampleValues } from "./example-means.ts";
import type { AnswerGroups } from "./answer-groups.ts";

/** Fewer originals have no spread worth dividing by. */
const MINIMAL_FOR_SPREAD = 8;
/** Of more originals the spread is taken over so many, evenly over the set. */
const SPREAD_SAMPLE = 256;

/** Distances of the centred states that the headline does not use. */
export function activationNumbers(
  examples: readonly ExampleRecords[],
  { groups, name }: AnswerGroups,
): Draft[] {
  const shape = activationShape(examples);
  const missing = "this run has no activations";
  const spread = shape === null ? null : spreadOf(examples, shape);
  const relative: (number | null)[] = [];
  const standardised: (number | null)[] = [];
  const pooled: (number | null)[] = [];
  const withinGroup: (number | null)[] = [];
  for (const [at, { wordings }] of examples.entries()) {
    const states = wordings.map(({ activation }) => decoded(activation, shape));
    relative.push(pairs(states, shape, relativeDistances));
    standardised.push(
      spread === null
        ? null
        : pairs(
            states.map((state) => state?.map((value, place) => value * (spread[place] ?? 0)) ?? null),
            shape,
            cosineDistances,
          ),
    );
    pooled.push(
      pairs(
        wordings.map(({ promptMean }) => decoded(promptMean, shape)),
        shape,
        cosineDistances,
      ),
    );
    const first = (groups[at] ?? []).map(([group]) => group);
    withinGroup.push(
      meanOverPairs(
        states.map((state, wording) => ({ state, group: first[wording] })),
        (a, b) => {
          if (shape === null || a.group !== b.group || a.state === null || b.state === null) return null;
          const distance = cosineDistances(a.state, b.state, shape);
          return distance === null ? null : 1 - distance;
        },
      ),
    );
  }
  const draft = (
    id: string,
    title: string,
    meaning: string,
    values: ExampleValues,
    reason: string,
  ): Draft => ({
    id,
    name: title,
    meaning,
    values,
    missing: shape === null ? missing : reason,
  });
  return [
    draft(
      "relative-l2",
      "Relative distance",
      "Length of the difference of two states over their mean length, mean of the layers. 0 to 2.",
      relative,
      "no two wordings have states",
    ),
    draft(
      "z-cosine",
      "Standardised cosine distance",
      "Each dimension in units of its spread over the questions first, so that a few huge ones do not decide. 0 to 2.",
      standardised,
      `the spread of a dimension needs at least ${MINIMAL_FOR_SPREAD} questions`,
    ),
    draft(
      "prompt-mean",
      "Distance, mean over the prompt’s tokens",
      "1 − cosine of the states averaged over the prompt instead of its last token. 0 to 2.",
      pooled,
      "the tokens of the prompt could not be told from the template’s",
    ),
    draft(
      "same-answer-state",
      "Same answer, same state",
      `Mean cosine of the states of wordings within ${name}; higher: the same answer comes from the same state.`,
      withinGroup,
      "no two wordings have the same answer",
    ),
  ];
}

type Distance = (a: Float32Array, b: Float32Array, shape: LayerShape) => number | null;

function pairs(
  states: readonly (Float32Array | null)[],
  shape: LayerShape | null,
  distance: Distance,
): number | null {
  if (shape === null) return null;
  return meanOverPairs(states, (a, b) => (a === null || b === null ? null : distance(a, b, shape)));
}

function decoded(record: ActivationRecord | null, shape: LayerShape | null): Float32Array | null {
  return record === null || shape === null ? null : decodeCentred(record, shape.layers, shape.hiddenSize);
}

/** Mean over layers; a layer without direction is left out. */
function cosineDistances(
  a: Float32Array,
  b: Float32Array,
  { layers, hiddenSize }: LayerShape,
): number | null {
  let sum = 0;
  let count = 0;
  for (let layer = 0; layer < layers; layer += 1) {
    const [from, to] = [layer * hiddenSize, (layer + 1) * hiddenSize];
    const { value } = cosineDistance(a.subarray(from, to), b.subarray(from, to));
    if (value === null) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? null : sum / count;
}

/** As `relativeL2`, layer by layer, without an object for each. */
function relativeDistances(
  a: Float32Array,
  b: Float32Array,
  { layers, hiddenSize }: LayerShape,
): number | null {
  let sum = 0;
  let count = 0;
  for (let layer = 0; layer < layers; layer += 1) {
    let [difference, squareA, squareB] = [0, 0, 0];
    for (let at = layer * hiddenSize; at < (layer + 1) * hiddenSize; at += 1) {
      const x = a[at] ?? 0;
      const y = b[at] ?? 0;
      difference += (x - y) * (x - y);
      squareA += x * x;
      squareB += y * y;
    }
    const norms = Math.sqrt(squareA) + Math.sqrt(squareB);
    if (norms === 0) continue;
    sum += (2 * Math.sqrt(difference)) / norms;
    count += 1;
  }
  return count === 0 ? null : sum / count;
}

/** 1 / standard deviation of each dimension of each layer over the originals, [L × d]; 0 where nothing varies. */
function spreadOf(examples: readonly ExampleRecords[], shape: LayerShape): Float64Array | null {
  const step = Math.max(1, examples.length / SPREAD_SAMPLE);
  const states: Float32Array[] = [];
  for (let at = 0; at < examples.length; at += step) {
    const state = decoded(examples[Math.floor(at)]?.original.activation ?? null, shape);
    if (state !== null) states.push(state);
  }
  if (states.length < MINIMAL_FOR_SPREAD) return null;
  const column = new Float64Array(states.length);
  return Float64Array.from({ length: shape.layers * shape.hiddenSize }, (_, at) => {
    for (const [row, state] of states.entries()) column[row] = state[at] ?? NaN;
    const deviation = standardDeviation(column).value ?? 0;
    return deviation > 0 ? 1 / deviation : 0;
  });
}
