import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import {
  bcaInterval,
  benjaminiHochberg,
  createRandom,
  distanceCorrelation,
  equivalenceByInterval,
  examplesForComparison,
  examplesForDetection,
  holm,
  kendallTau,
  mean,
  normalCdf,
  normalQuantile,
  oneSampleT,
  pairingPermutation,
  partialCorrelation,
  participationRatio,
  pearson,
  percentileInterval,
  quantile,
  rootMeanSquare,
  sampledExcessPermutation,
  signFlipTest,
  spearman,
  variance,
  varianceComponents,
  weightRobustness,
  wilcoxonSignedRank,
  wilsonInterval,
  withinExamplePermutation,
  type Alternative,
} from "./index.ts";
import { meanOf } from "./moments.ts";
import { incompleteBeta, logGamma, studentUpperTail } from "./student-t-distribution.ts";

// Hundreds of cases each: a second here, several beside other work.
vi.setConfig({ testTimeout: 60_000 });

const random = createRandom("reference values");

/** One random input and what the reference tool gave for it, by column name. */
class Case {
  constructor(readonly cells: ReadonlyMap<string, unknown>) {}

  number(column: string): number {
    return asNumber(this.cells.get(column));
  }

  list(column: string): number[] {
    return asList(this.cells.get(column)).map(asNumber);
  }

  table(column: string): number[][] {
    return asList(this.cells.get(column)).map((row) => asList(row).map(asNumber));
  }

  nested(column: string): number[][][] {
    return asList(this.cells.get(column)).map((part) => asList(part).map((row) => asList(row).map(asNumber)));
  }

  alternative(): Alternative {
    const found = (["greater", "less", "two-sided"] as const).find(
      (name) => name === this.cells.get("alternative"),
    );
    if (found === undefined) throw new TypeError("no alternative");
    return found;
  }

  is(column: string, value: unknown): boolean {
    return this.cells.get(column) === value;
  }
}

function asList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError("expected a list");
  return value;
}

function asNumber(value: unknown): number {
  if (typeof value !== "number") throw new TypeError("expected a number");
  return value;
}

type Check = (actual: number | null | undefined, expected: number) => void;

/** Runs every case of a fixture; the comparison uses the fixture's stated tolerance. */
function agrees(fixture: string, run: (input: Case, same: Check) => void): void {
  const text = readFileSync(
    new URL(`../../tests/fixtures/statistics/${fixture}.json`, import.meta.url),
    "utf8",
  );
  const parsed: unknown = JSON.parse(text);
  const fields = new Map(Object.entries(parsed ?? {}));
  const columns = asList(fields.get("columns"));
  const cases = asList(fields.get("cases"));
  const relative = asNumber(fields.get("relativeTolerance"));
  const absolute = asNumber(fields.get("absoluteTolerance"));

  it(`${fixture}: agrees with ${String(fields.get("tool"))} on ${cases.length} random inputs`, () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    cases.forEach((cells, index) => {
      const row = asList(cells);
      const input = new Case(new Map(columns.map((column, i) => [String(column), row[i]])));
      run(input, (actual, expected) => {
        const error = Math.abs((actual ?? NaN) - expected);
        if (!(error <= absolute + relative * Math.abs(expected))) {
          expect.fail(`case ${index}: ${String(actual)} instead of ${expected}`);
        }
      });
    });
  });
}

describe("against other people's software", () => {
  agrees("moments", (input, same) => {
    const x = input.list("x");
    same(mean(x).value, input.number("mean"));
    same(variance(x).value, input.number("variance"));
    same(rootMeanSquare(x).value, input.number("rms"));
    same(quantile(x, input.number("q")).value, input.number("quantile"));
  });

  agrees("distributions", (input, same) => {
    same(normalCdf(input.number("z")), input.number("cdf"));
    same(normalQuantile(input.number("p")), input.number("ppf"));
    same(studentUpperTail(input.number("t"), input.number("df")), input.number("tail"));
    same(incompleteBeta(input.number("x"), input.number("a"), input.number("b")), input.number("beta"));
    same(logGamma(input.number("a")), input.number("gammaln"));
  });

  agrees("wilson", (input, same) => {
    const interval = wilsonInterval(input.number("count"), input.number("total"), input.number("confidence"));
    same(interval.value?.low, input.number("low"));
    same(interval.value?.high, input.number("high"));
  });

  agrees("one-sample-t", (input, same) => {
    const test = oneSampleT(input.list("x"), input.number("reference"), input.alternative());
    same(test.value?.t, input.number("t"));
    same(test.value?.pValue, input.number("p"));
  });

  agrees("wilcoxon", (input, same) => {
    const zeros = input.is("zeros", "pratt") ? "pratt" : "wilcox";
    const test = wilcoxonSignedRank(input.list("x"), { alternative: input.alternative(), zeros });
    same(test.value?.positiveRankSum, input.number("positiveRankSum"));
    same(test.value?.pValue, input.number("p"));
  });

  agrees("sign-flip", (input, same) => {
    const test = signFlipTest(input.list("x"), random, { alternative: input.alternative() });
    same(test.value?.mean, input.number("mean"));
    same(test.value?.pValue, input.number("p"));
  });

  agrees("within-example-permutation", (input, same) => {
    const examples = input
      .nested("examples")
      .map(([variants = [], nullEdits = []]) => ({ variants, nullEdits }));
    const test = withinExamplePermutation(examples, random);
    expect(test.value?.method).toBe("exact");
    same(test.value?.statistic, input.number("statistic"));
    same(test.value?.pValue, input.number("p"));
  });

  agrees("sampled-excess", (input, same) => {
    const examples = input.nested("examples").map(([labels = [], distances = []]) => ({ labels, distances }));
    const test = sampledExcessPermutation(examples, random);
    expect(test.value?.method).toBe("exact");
    same(test.value?.statistic, input.number("statistic"));
    same(test.value?.pValue, input.number("p"));
  });

  agrees("pairing-permutation", (input, same) => {
    const test = pairingPermutation(input.table("similarity"), random);
    same(test.value?.matchedMinusMismatched, input.number("m"));
    same(test.value?.pValue, input.number("p"));
    same(test.value?.expectedMagnitude, input.number("magnitude"));
  });

  agrees("multiple-testing", (input, same) => {
    const p = input.list("p");
    const [byHolm, byBh] = [holm(p), benjaminiHochberg(p)];
    input.list("holm").forEach((expected, i) => same(byHolm[i], expected));
    input.list("bh").forEach((expected, i) => same(byBh[i], expected));
  });

  agrees("bootstrap-intervals", (input, same) => {
    const x = input.list("x");
    const bootstrap = {
      examples: x.length,
      estimates: [meanOf(x)],
      replicates: [Float64Array.from(input.list("replicates"))],
      jackknife: [Float64Array.from(x, (_, left) => meanOf(x.filter((__, i) => i !== left)))],
    };
    const [bca = NaN, bcaHigh = NaN] = input.list("bca");
    const [low = NaN, high = NaN] = input.list("percentile");
    const confidence = input.number("confidence");
    same(bcaInterval(bootstrap, 0, confidence).value?.low, bca);
    same(bcaInterval(bootstrap, 0, confidence).value?.high, bcaHigh);
    same(percentileInterval(bootstrap, 0, confidence).value?.low, low);
    same(percentileInterval(bootstrap, 0, confidence).value?.high, high);
  });

  agrees("correlations", (input, same) => {
    const [x, y, z] = [input.list("x"), input.list("y"), input.list("z")];
    same(pearson(x, y).value, input.number("pearson"));
    same(spearman(x, y).value, input.number("spearman"));
    same(partialCorrelation(x, y, z, "pearson").value, input.number("partialPearson"));
    same(partialCorrelation(x, y, z, "spearman").value, input.number("partialSpearman"));
  });

  agrees("kendall-tau", (input, same) => {
    const test = kendallTau(input.list("x"), input.list("y"), input.alternative());
    same(test.value?.tau, input.number("tau"));
    same(test.value?.pValue, input.number("p"));
  });

  agrees("distance-correlation", (input, same) => {
    const result = distanceCorrelation(input.list("x"), input.list("y"), random, {
      permutations: 1,
      halves: 1,
    });
    same(result.value?.squared, input.number("squared"));
  });

  agrees("participation-ratio", (input, same) => {
    same(participationRatio(input.table("matrix")).value, input.number("ratio"));
  });

  agrees("equivalence", (input) => {
    const interval = { low: input.number("low"), high: input.number("high") };
    const verdict = equivalenceByInterval(interval, input.number("bound"));
    expect(verdict === "equivalent").toBe(input.is("equivalent", true));
  });

  agrees("variance-components", (input, same) => {
    const result = varianceComponents(input.nested("data")).value;
    same(result?.example, input.number("example"));
    same(result?.variant.value, input.number("variant"));
    same(result?.residual.value, input.number("residual"));
  });

  agrees("sample-size", (input, same) => {
    const [effect, alpha, power] = [input.number("effect"), input.number("alpha"), input.number("power")];
    const [betweenExamples = NaN, withinA = NaN, withinB = NaN] = input.list("variances");
    const [repeatsA = NaN, repeatsB = NaN] = input.list("repeats");
    same(examplesForDetection(effect, alpha, power), input.number("oneSided"));
    same(
      examplesForComparison({
        difference: effect,
        betweenExamples,
        withinA,
        withinB,
        repeatsA,
        repeatsB,
        alpha,
        power,
      }),
      input.number("compared"),
    );
  });

  agrees("weight-robustness", (input, same) => {
    const gaps = input.list("gaps");
    const [pair] = weightRobustness([gaps, gaps.map(() => 0)], random).value ?? [];
    same(pair?.preserved.value, input.number("preserved"));
  });
});
