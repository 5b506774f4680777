import {
  layerDistances,
  layerVectors,
  PairwiseLayerMean,
  type LayerShape,
  type LayerVectors,
} from "../../metrics/index.ts";
import type { AxisDistances, DistancesToOriginal, UnrelatedDistances } from "./axis-distances.ts";
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
  const toOriginal: DistancesToOriginal[] = Array.from({ length: n });
  const reasons: (string | null)[] = examples.map(() => null);
  const single = new Float64Array(layers);
  const pairwise = new PairwiseLayerMean(shape);
  const unrelated = new UnrelatedActivations(examples, pairs, shape, decoder);
  for (const at of unrelated.order) {
    const example = examples[at];
    if (!example) continue;
    const vectors = example.wordings.map((wording) => decoder.of(wording));
    const known = vectors.filter((it) => it !== null);
    const complete = known.length === vectors.length && known.length > 1;
    reasons[at] = complete
      ? null
      : known.length > 1
        ? "activations of some wordings are missing"
        : reasonOf(example);
    const [original = null, ...variants] = vectors;
    const edits = new LayerMean(layers);
    const apart = (other: LayerVectors | null): number | null => {
      if (original === null || other === null) return null;
      layerDistances(original, other, shape, single);
      return meanOfLayers(single);
    };
    toOriginal[at] = {
      variants: variants.map(apart),
      // Compared with itself a prompt is at 0, and has no distance where a layer has no direction.
      nullEdits: example.nullEdits.map(({ records }) => {
        const distance = apart(records === null ? original : decoder.of(records));
        if (distance !== null) edits.add(single);
        return distance;
      }),
    };
    edits.write(nullEdits, at);
    counts.nullEdits += edits.added;
    if (complete) {
      pairwise.reset();
      for (const vector of known) pairwise.add(vector);
      pairwise.write(between, at);
      counts.between += (known.length * (known.length - 1)) / 2;
    }
    unrelated.add(at);
  }
  return {
    layers,
    between,
    nullEdits,
    rerun: new Float64Array(n),
    unrelated: unrelated.done(),
    toOriginal,
    reasons,
    counts,
  };
}

function reasonOf({ wordings }: ExampleRecords): string {
  return wordings.length < 2 ? "there is only one wording" : "no activations were recorded";
}

/**
 * Distances of unrelated pairs, computed along the way: a pair's turn comes when the later of its two examples has been
 * decoded for its own distances, so that hardly any prompt is decoded twice.
 */
class UnrelatedActivations {
  /** The examples in the order in which the pairs join them. */
  readonly order: readonly number[];
  readonly #examples: readonly ExampleRecords[];
  readonly #pairs: ExamplePairList;
  readonly #shape: LayerShape;
  readonly #decoder: Decoder;
  readonly #distances: Float64Array;
  readonly #due: readonly number[][];
  #comparisons = 0;

  constructor(
    examples: readonly ExampleRecords[],
    pairs: ExamplePairList,
    shape: LayerShape,
    decoder: Decoder,
  ) {
    this.#examples = examples;
    this.#pairs = pairs;
    this.#shape = shape;
    this.#decoder = decoder;
    this.#distances = new Float64Array(pairs.first.length * shape.layers).fill(NaN);
    this.order = [...new Set([...pairs.first, ...examples.keys()])];
    const places = new Int32Array(examples.length);
    this.order.forEach((at, place) => (places[at] = place));
    const due: number[][] = examples.map(() => []);
    for (const [pair, first] of pairs.first.entries()) {
      const second = pairs.second[pair] ?? first;
      due[(places[first] ?? 0) > (places[second] ?? 0) ? first : second]?.push(pair);
    }
    this.#due = due;
  }

  /** @param at - the example whose own prompts were just decoded */
  add(at: number): void {
    const single = new Float64Array(this.#shape.layers);
    for (const pair of this.#due[at] ?? []) {
      const a = this.#examples[this.#pairs.first[pair] ?? -1];
      const b = this.#examples[this.#pairs.second[pair] ?? -1];
      if (!a || !b) continue;
      const mean = new LayerMean(this.#shape.layers);
      for (const [x, y] of sameFamilyPairs(a, b)) {
        const one = this.#decoder.of(x);
        const other = this.#decoder.of(y);
        if (one === null || other === null) continue;
        layerDistances(one, other, this.#shape, single);
        mean.add(single);
      }
      mean.write(this.#distances, pair);
      this.#comparisons += mean.added;
    }
  }

  done(): UnrelatedDistances {
    const { first, second } = this.#pairs;
    return { first, second, distances: this.#distances, comparisons: this.#comparisons };
  }
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
