import { layerDistances, layerVectors, type LayerShape, type LayerVectors } from "../../metrics/index.ts";
import type { AxisDistances, DistancesToOriginal } from "./axis-distances.ts";
import type { ExampleRecords, PromptRecords } from "./run-index.ts";
import { sameFamilyPairs, type ExamplePairList } from "./unrelated-pairs.ts";

/**
 * So many decoded prompts are kept at once (about 70 kB each for 30 layers of 576): all wordings of 64 examples, and
 * many more than the few that are in use at a time.
 */
const DECODED_LIMIT = 768;

/** Layers 1…L and width of the stored activations; null where the run has none. */
export function activationShape(examples: readonly ExampleRecords[]): LayerShape | null {
  for (const { wordings } of examples) {
    for (const { activation } of wordings) if (activation !== null) return activation;
  }
  return null;
}

/**
 * Centred cosine distances of the last prompt token's residual stream, for every layer.
 * @throws {RangeError} if records of one run differ in shape
 */
export function activationDistances(
  examples: readonly ExampleRecords[],
  pairs: ExamplePairList,
  shape: LayerShape,
): AxisDistances {
  const n = examples.length;
  const { layers } = shape;
  const decoder = new Decoder(shape);
  const between = new Float64Array(n * layers).fill(NaN);
  const nullEdits = new Float64Array(n * layers).fill(NaN);
  const counts = { between: 0, rerun: 0, nullEdits: 0 };
  const toOriginal: DistancesToOriginal[] = [];
  const reasons: (string | null)[] = [];
  const single = new Float64Array(layers);
  for (const [at, example] of examples.entries()) {
    const vectors = example.wordings.map((wording) => decoder.of(wording));
    const known = vectors.filter((it) => it !== null);
    const complete = known.length === vectors.length && known.length > 1;
    reasons.push(
      complete ? null : known.length > 1 ? "activations of some wordings are missing" : reasonOf(example),
    );
    const [original = null, ...variants] = vectors;
    const mean = new LayerMean(layers);
    const apart = (other: LayerVectors | null, into: LayerMean): number | null => {
      if (original === null || other === null) return null;
      layerDistances(original, other, shape, single);
      into.add(single);
      return meanOfLayers(single);
    };
    const edits = new LayerMean(layers);
    const distances = {
      variants: variants.map((vector) => apart(vector, mean)),
      // Compared with itself a prompt is at 0, and has no distance where a layer has no direction.
      nullEdits: example.nullEdits.map(({ records }) =>
        apart(records === null ? original : decoder.of(records), edits),
      ),
    };
    if (complete) {
      for (const [index, a] of variants.entries()) {
        for (const b of variants.slice(index + 1)) {
          if (a === null || b === null) continue;
          layerDistances(a, b, shape, single);
          mean.add(single);
        }
      }
      mean.write(between, at);
      counts.between += mean.added;
    }
    toOriginal.push(distances);
    edits.write(nullEdits, at);
    counts.nullEdits += edits.added;
  }
  const unrelated = unrelatedActivations(examples, pairs, shape, decoder);
  return { layers, between, nullEdits, rerun: new Float64Array(n), unrelated, toOriginal, reasons, counts };
}

function reasonOf({ wordings }: ExampleRecords): string {
  return wordings.length < 2 ? "there is only one wording" : "no activations were recorded";
}

function unrelatedActivations(
  examples: readonly ExampleRecords[],
  { first, second }: ExamplePairList,
  shape: LayerShape,
  decoder: Decoder,
) {
  const { layers } = shape;
  const distances = new Float64Array(first.length * layers).fill(NaN);
  const single = new Float64Array(layers);
  let comparisons = 0;
  for (let pair = 0; pair < first.length; pair += 1) {
    const a = examples[first[pair] ?? -1];
    const b = examples[second[pair] ?? -1];
    if (!a || !b) continue;
    const mean = new LayerMean(layers);
    for (const [x, y] of sameFamilyPairs(a, b)) {
      const one = decoder.of(x);
      const other = decoder.of(y);
      if (one === null || other === null) continue;
      layerDistances(one, other, shape, single);
      mean.add(single);
    }
    mean.write(distances, pair);
    comparisons += mean.added;
  }
  return { first, second, distances, comparisons };
}

function meanOfLayers(distances: Float64Array): number | null {
  let sum = 0;
  let count = 0;
  for (const distance of distances) {
    if (Number.isNaN(distance)) continue;
    sum += distance;
    count += 1;
  }
  return count === 0 ? null : sum / count;
}

/** Mean over comparisons, layer by layer; a layer without direction is left out of its own mean only. */
class LayerMean {
  readonly #sums: Float64Array;
  readonly #counts: Float64Array;
  added = 0;

  constructor(layers: number) {
    this.#sums = new Float64Array(layers);
    this.#counts = new Float64Array(layers);
  }

  add(distances: Float64Array): void {
    this.added += 1;
    for (let layer = 0; layer < distances.length; layer += 1) {
      const distance = distances[layer] ?? NaN;
      if (Number.isNaN(distance)) continue;
      this.#sums[layer] = (this.#sums[layer] ?? 0) + distance;
      this.#counts[layer] = (this.#counts[layer] ?? 0) + 1;
    }
  }

  /** Writes row `row` of an [n × layers] table; NaN where nothing was added. */
  write(table: Float64Array, row: number): void {
    const layers = this.#sums.length;
    for (let layer = 0; layer < layers; layer += 1) {
      table[row * layers + layer] = (this.#sums[layer] ?? 0) / (this.#counts[layer] ?? 0);
    }
  }
}

/** Decodes stored activations, and keeps the latest. */
class Decoder {
  readonly #shape: LayerShape;
  readonly #decoded = new Map<PromptRecords, LayerVectors>();
  /** A ring: the oldest stands where the next will. */
  readonly #order: PromptRecords[] = [];
  #next = 0;

  constructor(shape: LayerShape) {
    this.#shape = shape;
  }

  of(records: PromptRecords): LayerVectors | null {
    const { activation } = records;
    if (activation === null) return null;
    const kept = this.#decoded.get(records);
    if (kept) return kept;
    const { layers, hiddenSize } = this.#shape;
    if (activation.layers !== layers || activation.hiddenSize !== hiddenSize) {
      throw new RangeError(`The activations of one run have ${layers} and ${activation.layers} layers.`);
    }
    const vectors = layerVectors(activation, this.#shape, this.#room());
    this.#decoded.set(records, vectors);
    this.#order[this.#next] = records;
    this.#next = (this.#next + 1) % DECODED_LIMIT;
    return vectors;
  }

  /** The oldest vectors once the limit is reached, to be overwritten: new arrays by the thousand would stall. */
  #room(): LayerVectors | undefined {
    const oldest = this.#order[this.#next];
    const vectors = oldest && this.#decoded.get(oldest);
    if (oldest) this.#decoded.delete(oldest);
    return vectors;
  }
}
