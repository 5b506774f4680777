import { decodeCentred, gramAlignment, gramOf, gramRsa, type LayerShape } from "../../../metrics/index.ts";
import type { FurtherAnalysis, LayerGeometry } from "../../further-result.ts";
import { activationShape } from "../activation-axis.ts";
import type { ExampleRecords } from "../run-index.ts";

/** Of more questions so many are taken, evenly over the set: the work grows with their square. */
const LARGEST_EXAMPLES = 96;
/** Of more layers so many are shown, evenly, the last among them. */
const LARGEST_LAYERS = 12;
/** The debiased estimator divides by n − 3. */
const MINIMAL_EXAMPLES = 4;

/**
 * Debiased CKA and RSA of the originals' states with those of the variants, layer by layer: rows are the same questions.
 * Variants at the same place of every question form one comparison; the mean over places is given.
 */
export function layerGeometry(examples: readonly ExampleRecords[]): FurtherAnalysis["geometry"] {
  const shape = activationShape(examples);
  const complete = examples.filter(({ wordings }) => wordings.every(({ activation }) => activation !== null));
  const chosen = spread(complete, LARGEST_EXAMPLES);
  const places = Math.min(...chosen.map(({ variants }) => variants.length));
  const none = (reason: string) => ({ layers: [], examples: 0, reason });
  if (shape === null) return none("this run has no activations");
  if (chosen.length < MINIMAL_EXAMPLES) return none(`at least ${MINIMAL_EXAMPLES} questions are needed`);
  if (places < 1) return none("a question has no other wording");
  const layers = spread(
    Array.from({ length: shape.layers }, (_, layer) => layer),
    LARGEST_LAYERS,
  );
  return {
    layers: layers.map((layer) => geometryOf(chosen, places, layer, shape)),
    examples: chosen.length,
    reason: null,
  };
}

function geometryOf(
  examples: readonly ExampleRecords[],
  places: number,
  layer: number,
  shape: LayerShape,
): LayerGeometry {
  const rows = (place: number) =>
    examples.map(({ wordings }) => {
      const activation = wordings[place]?.activation;
      if (!activation) throw new RangeError(`A question has no states for wording ${place}.`);
      return stateOf(activation, layer, shape);
    });
  const original = gramOf(rows(0));
  const n = examples.length;
  const alignments: number[] = [];
  const similarities: number[] = [];
  for (let place = 1; place <= places; place += 1) {
    const variant = gramOf(rows(place));
    const cka = gramAlignment(original, variant, n).value;
    const rsa = gramRsa(original, variant, n).value;
    if (cka !== null) alignments.push(cka);
    if (rsa !== null) similarities.push(rsa);
  }
  return { layer: layer + 1, cka: mean(alignments), rsa: mean(similarities) };
}

/** One layer only: decoding all of them for each would cost as many times as much. */
function stateOf(
  { values, scales }: { readonly values: Uint16Array; readonly scales: Float32Array },
  layer: number,
  { hiddenSize }: LayerShape,
): Float32Array {
  const cut = {
    values: values.subarray(layer * hiddenSize, (layer + 1) * hiddenSize),
    scales: scales.subarray(layer, layer + 1),
  };
  return decodeCentred(cut, 1, hiddenSize);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** At most `count` items, evenly spread, the last among them. */
function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from(
    { length: count },
    (_, at) => items[Math.round(((at + 1) * items.length) / count) - 1],
  ).filter((item) => item !== undefined);
}
