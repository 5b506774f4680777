import { describe, expect, it, vi } from "vitest";
import {
  createRandom,
  distanceCorrelation,
  meanWithInterval,
  orderProbability,
  pooledPairingPermutation,
  rankingAgreement,
  rankingReversals,
  sampledExcessPermutation,
  signFlipTest,
  splitHalfReliability,
  varianceComponents,
  withinExamplePermutation,
  type Estimable,
  type RandomSource,
} from "./index.ts";

// Simulations take a second or two each, and longer beside other work.
vi.setConfig({ testTimeout: 60_000 });

/** Share of null data sets that a test rejects at .05. */
function rejections(
  label: string,
  replications: number,
  test: (random: RandomSource) => Estimable<{ readonly pValue: number }>,
): number {
  const random = createRandom(label);
  let rejected = 0;
  for (let i = 0; i < replications; i++) if ((test(random).value?.pValue ?? NaN) <= 0.05) rejected++;
  return rejected / replications;
}

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

/** A distance as greedy decoding gives it: often exactly 0, else of the example's own size. */
const zeroInflated = (random: RandomSource, size: number): number =>
  random.uniform() < 0.4 ? 0 : size * random.uniform();

function expectNominal(rate: number): void {
  expect(rate).toBeGreaterThanOrEqual(0.03);
  expect(rate).toBeLessThanOrEqual(0.07);
}

describe("without an effect, at .05, a test rejects about one data set in twenty", () => {
  it("variants against null edits, zeros and ties included", () => {
    const rate = rejections("within-example", 1000, (random) => {
      const examples = times(16, () => {
        const size = random.uniform();
        return {
          variants: times(6, () => zeroInflated(random, size)),
          nullEdits: times(3, () => zeroInflated(random, size)),
        };
      });
      return withinExamplePermutation(examples, random, { permutations: 199 });
    });
    expectNominal(rate);
  });

  it("samples of different wordings against samples of the same", () => {
    const rate = rejections("sampled", 1000, (random) => {
      const examples = times(8, () => {
        const points = times(9, () => Math.round(2 * random.normal()));
        return {
          labels: times(9, (i) => i % 3),
          distances: points.flatMap((a) => points.map((b) => Math.abs(a - b))),
        };
      });
      return sampledExcessPermutation(examples, random, { permutations: 199 });
    });
    expectNominal(rate);
  });

  it("matched against mismatched pairs of prompts and responses", () => {
    const rate = rejections("pairing", 1000, (random) => {
      const examples = times(8, () => {
        const [prompts, responses] = [times(5, () => random.normal()), times(5, () => random.normal())];
        return responses.map((y) => prompts.map((x) => 1 - Math.min(1, Math.abs(x - y))));
      });
      return pooledPairingPermutation(examples, random, { permutations: 199 });
    });
    expectNominal(rate);
  });

  it("signs of symmetric differences", () => {
    const rate = rejections("signs", 1000, (random) =>
      signFlipTest(
        times(12, () => random.normal() ** 3),
        random,
      ),
    );
    expectNominal(rate);
  });
});

it("a BCa interval of a zero-inflated mean covers it in at least 92 of 100 data sets of 32 examples", () => {
  const random = createRandom("coverage");
  let covered = 0;
  for (let i = 0; i < 600; i++) {
    const values = times(32, () => zeroInflated(random, 1));
    const interval = meanWithInterval(values, random, { replications: 1000 }).value?.interval.value;
    if (interval && interval.low <= 0.3 && 0.3 <= interval.high) covered++;
  }
  expect(covered / 600).toBeGreaterThanOrEqual(0.92);
});

it("distance correlation finds a dependence without correlation, and its population value", () => {
  const random = createRandom("parabola");
  const x = times(200, () => random.normal());
  const parabola = distanceCorrelation(
    x,
    x.map((value) => value * value + 0.3 * random.normal()),
    random,
    { permutations: 199, halves: 1 },
  ).value;
  expect(parabola?.pValue).toBeLessThan(0.01);
  // Of two normal variables with correlation .5 it is .2124 (Székely, Rizzo & Bakirov 2007, theorem 7).
  const big = times(1500, () => random.normal());
  const y = big.map((value) => 0.5 * value + Math.sqrt(0.75) * random.normal());
  const normal = distanceCorrelation(big, y, random, { permutations: 1, halves: 100 }).value;
  expect(Math.abs((normal?.squared ?? NaN) - 0.2124)).toBeLessThan(0.04);
  expect(normal?.interval.value?.low).toBeLessThan(0.2124);
  expect(normal?.interval.value?.high).toBeGreaterThan(0.2124);
});

it("split-half reliability recovers the reliability of a mean of six measurements", () => {
  const random = createRandom("reliability");
  const measurements = times(1500, () => {
    const truth = random.normal();
    return times(6, () => truth + 2 * random.normal());
  });
  // Variance 1 of the truth, 4/6 of the noise in the mean: 1 / (1 + 4/6) = .6.
  const result = splitHalfReliability(measurements, random, { kind: "pearson" }).value;
  expect(Math.abs((result?.reliability.value ?? NaN) - 0.6)).toBeLessThan(0.05);
});

it("variance components recover the variances that made the data", () => {
  const random = createRandom("components");
  const data = times(800, () => {
    const example = 2 * random.normal();
    return times(4, () => {
      const variant = random.normal();
      return times(3, () => example + variant + 0.5 * random.normal());
    });
  });
  const found = varianceComponents(data).value;
  expect(Math.abs((found?.example ?? NaN) - 4)).toBeLessThan(0.7);
  expect(Math.abs((found?.variant.value ?? NaN) - 1)).toBeLessThan(0.12);
  expect(Math.abs((found?.residual.value ?? NaN) - 0.25)).toBeLessThan(0.02);
});

describe("rankings of simulated models", () => {
  const dataset = (random: RandomSource, name: string, means: readonly number[], n: number) => ({
    dataset: name,
    scores: means.map((mean) => times(n, () => mean + random.normal())),
  });

  it("confirm a planted reversal and say which models and data sets it joins", () => {
    const random = createRandom("planted");
    const datasets = [dataset(random, "a", [0, 1, 0.5], 64), dataset(random, "b", [1, 0, 0.5], 64)];
    const result = rankingReversals(datasets, random).value;
    expect(result?.familySize).toBe(6);
    expect(result?.reversals[0]).toMatchObject({ models: [0, 1], datasets: [0, 1], status: "confirmed" });
    const [first] = result?.comparisons ?? [];
    const width = (interval: { low: number; high: number } | null | undefined) =>
      (interval?.high ?? NaN) - (interval?.low ?? NaN);
    expect(width(first?.adjustedInterval.value)).toBeGreaterThan(width(first?.interval.value));
  });

  it("confirm a reversal where there is none in at most 7 of 100 data sets", () => {
    const random = createRandom("absent");
    let confirmed = 0;
    for (let i = 0; i < 100; i++) {
      // The models differ on the first data set and are equal on the second.
      const datasets = [dataset(random, "a", [0, 0.9], 32), dataset(random, "b", [0, 0], 32)];
      const found = rankingReversals(datasets, random, { replications: 1000 }).value;
      if (found?.reversals.some(({ status }) => status === "confirmed")) confirmed++;
    }
    expect(confirmed).toBeLessThanOrEqual(7);
  });

  it("give a clear order a high share, and opposite data sets an agreement of −1", () => {
    const random = createRandom("orders");
    const datasets = [dataset(random, "a", [0, 1, 2], 100), dataset(random, "b", [2, 1, 0], 100)];
    const [a, b] = datasets;
    if (a === undefined || b === undefined) throw new Error("two data sets were made");
    const order = orderProbability([a], random, 500).value;
    expect(order?.observed).toEqual([0, 1, 2]);
    expect(order?.orders[0]).toEqual({ order: [0, 1, 2], share: 1 });
    expect(order?.below[0]).toEqual([0.5, 1, 1]);
    const agreement = rankingAgreement(datasets, random, { replications: 500 }).value?.[0]?.value;
    expect(agreement?.tau).toBe(-1);
    expect(agreement?.pValue).toBeCloseTo(1 / 3, 12);
    expect(agreement?.smallestP).toBeCloseTo(1 / 3, 12);
    expect(agreement?.interval.value?.high).toBeLessThan(0);
    // Over both data sets no order is left.
    expect(orderProbability([a, b], random, 500).value?.orders[0]?.share).toBeLessThan(0.6);
  });
});
