import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fixedResponseDistance,
  jensenShannonDistance,
  partitionedResponse,
  positionDivergences,
  storedPartition,
} from "./fixed-response-divergence.ts";
import { decodeFloat16, encodeFloat16 } from "./float16.ts";
import { generalisedJensenShannonNats, jensenShannonBits, jensenShannonNats } from "./jensen-shannon.ts";

const distribution = (size: number) =>
  fc
    .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: size, maxLength: size })
    .filter((weights) => weights.some((weight) => weight > 1e-6))
    .map((weights) => {
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return weights.map((weight) => weight / sum);
    });
const logs = (...rows: number[][]) => Float32Array.from(rows.flat(), Math.log);

describe("jensenShannon", () => {
  it("agrees with the reference values", () => {
    expect(jensenShannonNats([0.7, 0.2, 0.1], [0.5, 0.3, 0.2]).value).toBeCloseTo(0.021901, 6);
    expect(jensenShannonBits([0.7, 0.2, 0.1], [0.5, 0.3, 0.2]).value).toBeCloseTo(0.031597, 6);
    const three = [
      [0.7, 0.2, 0.1],
      [0.5, 0.3, 0.2],
      [0.1, 0.1, 0.8],
    ];
    expect(generalisedJensenShannonNats(three).value).toBeCloseTo(0.228638, 6);
  });

  it("is 1 bit for distributions without a common outcome, null for none at all, and throws on bad input", () => {
    expect(jensenShannonBits([1, 0], [0, 1]).value).toBe(1);
    expect(jensenShannonBits([], [])).toEqual({ value: null, reason: "there are no outcomes to compare" });
    expect(() => jensenShannonBits([1], [0.5, 0.5])).toThrow(RangeError);
    expect(() => jensenShannonBits([1.5, -0.5], [0.5, 0.5])).toThrow(RangeError);
    expect(() => jensenShannonBits([NaN, 1], [0.5, 0.5])).toThrow(RangeError);
  });

  it("is symmetric, in [0, 1], and 0 for equal distributions", () => {
    fc.assert(
      fc.property(distribution(5), distribution(5), (p, q) => {
        const one = jensenShannonBits(p, q).value ?? NaN;
        expect(one).toBeCloseTo(jensenShannonBits(q, p).value ?? NaN, 12);
        expect(one).toBeGreaterThanOrEqual(0);
        expect(one).toBeLessThanOrEqual(1);
        expect(jensenShannonBits(p, p).value).toBeCloseTo(0, 12);
      }),
    );
  });
});

describe("fixed response", () => {
  it("pools what the partition leaves over, so that sqrt of the divergence is the reference value", () => {
    const a = partitionedResponse(logs([0.7, 0.2]), 2);
    const b = partitionedResponse(logs([0.5, 0.3]), 2);
    expect(a.probabilities[2]).toBeCloseTo(0.1, 6);
    expect(a.covered[0]).toBeCloseTo(0.9, 6);
    expect(fixedResponseDistance(a, b)?.distance).toBeCloseTo(0.177755, 5);
  });

  it("averages the divergence over positions before the square root, the first token on its own", () => {
    const a = logs([0.7, 0.2], [0.6, 0.3]);
    const b = logs([0.5, 0.3], [0.6, 0.3]);
    const [x, y] = [a, b].map((it) => partitionedResponse(it, 2));
    if (!x || !y) throw new Error("two responses");
    expect([...positionDivergences(x, y)].map((it) => +it.toFixed(5))).toEqual([0.0316, 0]);
    expect(fixedResponseDistance(x, y)?.firstToken).toBeCloseTo(0.177755, 5);
    expect(jensenShannonDistance(a, b, 2)).toBeCloseTo(Math.sqrt(0.031597 / 2), 5);
  });

  it("never exceeds the divergence over the whole vocabulary", () => {
    fc.assert(
      fc.property(distribution(8), distribution(8), (p, q) => {
        const part = (full: number[]) => partitionedResponse(logs(full.slice(0, 3)), 3);
        const bits = positionDivergences(part(p), part(q))[0] ?? NaN;
        expect(bits).toBeLessThanOrEqual((jensenShannonBits(p, q).value ?? NaN) + 1e-6);
      }),
    );
  });

  it("is 0 between equal log-probabilities even where rounding lifts their sum over 1", () => {
    const rounded = Float32Array.of(Math.log(0.6001), Math.log(0.4001));
    const response = partitionedResponse(rounded, 2);
    expect(response.probabilities.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    expect(fixedResponseDistance(response, response)?.distance).toBe(0);
  });

  it("takes a probability of 0, has no distance without tokens, and refuses what cannot be probabilities", () => {
    expect(partitionedResponse(Float32Array.of(-Infinity, 0), 2).probabilities[0]).toBe(0);
    expect(jensenShannonDistance(new Float32Array(0), new Float32Array(0), 4)).toBeNull();
    expect(() => partitionedResponse(Float32Array.of(1, 0), 2)).toThrow(RangeError);
    expect(() => partitionedResponse(Float32Array.of(NaN, 0), 2)).toThrow(RangeError);
    expect(() => partitionedResponse(Float32Array.of(-1, -1, -1), 2)).toThrow(RangeError);
    const one = partitionedResponse(logs([0.5, 0.2]), 2);
    expect(() => positionDivergences(one, partitionedResponse(logs([0.5]), 1))).toThrow(
      "different partitions",
    );
  });
});

describe("storedPartition", () => {
  it("is to the last bit what the decoded log-probabilities give, in new arrays and in old ones", () => {
    const bits = encodeFloat16(logs([0.7, 0.2, 0.05], [0.5, 0.5, 0], [0.34, 0.33, 0.34]));
    const expected = partitionedResponse(decodeFloat16(bits), 3);
    const stored = storedPartition(bits, 3);
    expect(stored).toEqual(expected);
    stored.probabilities.fill(9);
    expect(storedPartition(bits, 3, stored)).toEqual(expected);
    expect(stored.probabilities[0]).not.toBe(9);
  });

  it("refuses what is no log-probability, and rows that do not fit", () => {
    expect(() => storedPartition(Uint16Array.of(0x3c00), 1)).toThrow("log-probability 1");
    expect(() => storedPartition(Uint16Array.of(0x7e00), 1)).toThrow(RangeError);
    expect(() => storedPartition(Uint16Array.of(0, 0, 0), 2)).toThrow(RangeError);
  });
});
