import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom, mean } from "./index.ts";

const seed = fc.integer();

describe("a random source", () => {
  it("repeats itself from the same seed, and differs for another or for the same text", () => {
    const draw = (from: number | string) => Array.from({ length: 5 }, createRandom(from).uniform);
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1)).not.toEqual(draw("1"));
    expect(() => createRandom(NaN)).toThrow(RangeError);
  });

  it("splits by label alone, whatever was drawn before", () => {
    fc.assert(
      fc.property(seed, fc.string(), fc.nat(20), (from, label, drawn) => {
        const [first, second] = [createRandom(from), createRandom(from)];
        for (let i = 0; i < drawn; i++) second.uniform();
        expect(second.split(label).uniform()).toBe(first.split(label).uniform());
        expect(first.split(label).uniform()).not.toBe(first.split(`${label}!`).uniform());
        expect(first.split(1).uniform()).not.toBe(first.split("1").uniform());
      }),
    );
  });

  it("stays in range, and fills it evenly", () => {
    const random = createRandom("range");
    for (const n of [1, 2, 3, 7, 100]) {
      const counts = new Array<number>(n).fill(0);
      for (let i = 0; i < 400 * n; i++) {
        const drawn = random.integer(n);
        counts[drawn] = (counts[drawn] ?? NaN) + 1;
      }
      expect(counts).toHaveLength(n);
      // 400 expected in each, 5 standard deviations.
      for (const count of counts) expect(Math.abs(count - 400)).toBeLessThan(100);
    }
    expect(() => random.integer(0)).toThrow(RangeError);
    expect(() => random.integer(2.5)).toThrow(RangeError);
    expect(() => random.integer(2 ** 22)).toThrow(RangeError);
  });

  it("shuffles into each order equally often, and draws normal values", () => {
    const random = createRandom("orders");
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = Int32Array.of(0, 1, 2);
      random.shuffle(order);
      counts.set(order.join(""), (counts.get(order.join("")) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    // 1000 ± 5 standard deviations.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(145);
    const values = Array.from({ length: 4000 }, random.normal);
    expect(Math.abs(mean(values).value ?? NaN)).toBeLessThan(0.08);
    expect(Math.abs((mean(values.map((x) => x * x)).value ?? NaN) - 1)).toBeLessThan(0.12);
  });
});
