import { readFileSync } from "node:fs";
import * as v from "valibot";
import { describe, expect, it } from "vitest";

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const rows = v.parse(
  v.array(
    v.object({
      statistic: v.string(),
      kind: v.picklist(["type-I", "coverage", "power"]),
      design: v.string(),
      n: v.pipe(v.number(), v.integer()),
      nominal: share,
      rate: share,
      replications: v.pipe(v.number(), v.integer()),
      default: v.boolean(),
      withoutResult: v.pipe(v.number(), v.integer()),
    }),
  ),
  JSON.parse(readFileSync("docs/simulation.json", "utf8")),
);
const named = (wanted: typeof rows) =>
  wanted.map(({ statistic, design, rate }) => `${statistic} | ${design}: ${rate}`);

describe("the simulation of the whole analysis (npm run simulate)", () => {
  it("draws each of its worlds, greedy and sampled, with and without an effect, at least 1,000 times", () => {
    const worlds = new Set(rows.map(({ design }) => design));
    expect([...worlds].filter((it) => it.startsWith("whole analysis"))).toHaveLength(4);
    for (const { replications, withoutResult } of rows)
      expect(replications + withoutResult).toBeGreaterThanOrEqual(1000);
    expect(rows.filter(({ withoutResult, replications }) => withoutResult > 0.05 * replications)).toEqual([]);
  });

  it("finds every default test to reject between 3 and 7 % of what is true", () => {
    const tests = rows.filter((row) => row.kind === "type-I" && row.default);
    expect(tests.length).toBeGreaterThan(10);
    expect(named(tests.filter(({ rate }) => rate < 0.03 || rate > 0.07))).toEqual([]);
  });

  it("finds every default interval to hold the truth in at least 92 % at n = 32", () => {
    const intervals = rows.filter((row) => row.kind === "coverage" && row.default && row.n === 32);
    expect(intervals.length).toBeGreaterThan(50);
    expect(named(intervals.filter((row) => row.rate < 0.92))).toEqual([]);
  });
});
