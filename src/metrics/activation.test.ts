import { describe, expect, it } from "vitest";
import { decodeCentred, encodeCentred } from "./centred-activations.ts";
import {
  centredCosineDistance,
  cosineDistance,
  layerDistances,
  layerVectors,
  PairwiseLayerMean,
} from "./layer-distance.ts";

const noise = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
};

describe("cosineDistance", () => {
  it("agrees with the reference values, raw and centred", () => {
    expect(cosineDistance([10, 1, 0], [10, 0, 1]).value).toBeCloseTo(0.009901, 6);
    expect(cosineDistance([0, 1, 0], [0, 0, 1]).value).toBe(1);
  });

  it("reaches 2 for opposite vectors and is null with a reason for a zero vector", () => {
    expect(cosineDistance([1, 2], [-1, -2]).value).toBeCloseTo(2, 12);
    expect(cosineDistance([0, 1e-9], [1, 0])).toEqual({
      value: null,
      reason: "an activation vector is zero",
    });
    expect(() => cosineDistance([1], [1, 2])).toThrow(RangeError);
  });
});

describe("stored activations", () => {
  const layers = 6;
  const hiddenSize = 96;
  const random = noise(7);
  /** A massive activation in one dimension, the rest five orders of magnitude smaller, as in real models. */
  const mean = Float32Array.from({ length: layers * hiddenSize }, (_, at) =>
    at % hiddenSize === 3 ? 40_000 : random(),
  );
  const stream = () =>
    Float32Array.from({ length: (layers + 1) * hiddenSize }, (_, at) =>
      at < hiddenSize
        ? random()
        : (mean[at - hiddenSize] ?? 0) + random() * (at % hiddenSize === 3 ? 300 : 1),
    );

  it("keep centred cosine distances within 1e-3 of float32", () => {
    let largest = 0;
    for (let pair = 0; pair < 50; pair += 1) {
      const a = stream();
      const b = stream();
      const packed = [a, b].map((it) => encodeCentred(it, mean, layers, hiddenSize));
      const [x, y] = packed.map((it) => layerVectors(it, { layers, hiddenSize }));
      if (!x || !y) throw new Error("two streams were packed");
      const fromStorage = new Float64Array(layers);
      layerDistances(x, y, { layers, hiddenSize }, fromStorage);
      for (let layer = 0; layer < layers; layer += 1) {
        const centred = (it: Float32Array) =>
          Float64Array.from({ length: hiddenSize }, (_, at) => {
            return (it[(layer + 1) * hiddenSize + at] ?? 0) - (mean[layer * hiddenSize + at] ?? 0);
          });
        const exact = cosineDistance(centred(a), centred(b)).value ?? NaN;
        largest = Math.max(largest, Math.abs(exact - (fromStorage[layer] ?? NaN)));
      }
    }
    expect(largest).toBeLessThan(1e-3);
  });

  it("come back within a relative 2⁻¹¹ of the layer's largest value, without layer 0", () => {
    const a = stream();
    const packed = encodeCentred(a, mean, layers, hiddenSize);
    const back = decodeCentred(packed, layers, hiddenSize);
    expect(back).toHaveLength(layers * hiddenSize);
    back.forEach((value, at) => {
      const error = Math.abs(value - ((a[at + hiddenSize] ?? 0) - (mean[at] ?? 0)));
      expect(error).toBeLessThanOrEqual((packed.scales[Math.floor(at / hiddenSize)] ?? 0) * 2 ** -11);
    });
  });

  it("are exactly 0 apart from themselves, and NaN where a layer has no direction", () => {
    const a = stream();
    a.set(mean.subarray(0, hiddenSize), hiddenSize);
    const packed = encodeCentred(a, mean, layers, hiddenSize);
    expect(packed.scales[0]).toBe(0);
    const vectors = layerVectors(packed, { layers, hiddenSize });
    const out = new Float64Array(layers);
    layerDistances(vectors, vectors, { layers, hiddenSize }, out);
    expect(out[0]).toBeNaN();
    expect(Math.max(...out.subarray(1))).toBeLessThan(1e-15);
  });

  it("have the mean over all pairs that the pairs themselves have, in each layer with a direction", () => {
    const shape = { layers, hiddenSize };
    const packed = Array.from({ length: 5 }, (_, at) => {
      const one = stream();
      if (at === 2) one.set(mean.subarray(0, hiddenSize), hiddenSize);
      return layerVectors(encodeCentred(one, mean, layers, hiddenSize), shape);
    });
    const sums = new Float64Array(layers);
    const pairs = new Float64Array(layers);
    const out = new Float64Array(layers);
    for (const [index, a] of packed.entries()) {
      for (const b of packed.slice(index + 1)) {
        layerDistances(a, b, shape, out);
        out.forEach((distance, layer) => {
          if (Number.isNaN(distance)) return;
          sums[layer] = (sums[layer] ?? 0) + distance;
          pairs[layer] = (pairs[layer] ?? 0) + 1;
        });
      }
    }
    expect([...pairs]).toEqual([6, 10, 10, 10, 10, 10]);
    const pairwise = new PairwiseLayerMean(shape);
    const table = new Float64Array(2 * layers);
    for (const vectors of packed) pairwise.add(vectors);
    pairwise.write(table, 1);
    sums.forEach((sum, layer) => expect(table[layers + layer]).toBeCloseTo(sum / (pairs[layer] ?? NaN), 12));
    pairwise.reset();
    const [first] = packed;
    if (first) for (let times = 0; times < 3; times += 1) pairwise.add(first);
    pairwise.write(table, 0);
    expect([...table.subarray(0, layers)]).toEqual(new Array<number>(layers).fill(0));
    pairwise.reset();
    pairwise.write(table, 0);
    expect(table[0]).toBeNaN();
  });

  it("refuse activations that are not finite or do not fit", () => {
    const broken = stream();
    broken[hiddenSize + 5] = NaN;
    expect(() => encodeCentred(broken, mean, layers, hiddenSize)).toThrow("Layer 1");
    expect(() => encodeCentred(mean, mean, layers, hiddenSize)).toThrow(RangeError);
  });

  it("give the mean over layers straight from two streams, layers without direction left out", () => {
    const two = (values: number[]) => Float32Array.from([9, 9, ...values]);
    const zero = new Float32Array(4);
    expect(centredCosineDistance(two([1, 0, 1, 0]), two([0, 1, 1, 0]), zero, 2)).toBeCloseTo(0.5, 12);
    expect(centredCosineDistance(two([1, 0, 0, 0]), two([0, 1, 1, 0]), zero, 2)).toBeCloseTo(1, 12);
    expect(centredCosineDistance(two([0, 0, 0, 0]), two([0, 1, 1, 0]), zero, 2)).toBeNull();
  });
});
