import { describe, expect, it } from "vitest";
import {
  aboutDuration,
  bytes,
  bytesOf,
  countWord,
  duration,
  interval,
  num,
  percentRange,
  plural,
  pValue,
} from "./format.ts";

describe("num", () => {
  it("writes two decimals and a true minus", () => {
    expect(num(0.379)).toBe("0.38");
    expect(num(-0.021)).toBe("−0.02");
  });
  it("gives what rounds to zero no sign", () => {
    expect(num(-0.001)).toBe("0.00");
    expect(num(-0)).toBe("0.00");
  });
  it("never writes NaN, Infinity or null as a number", () => {
    expect([num(Number.NaN), num(Infinity), num(null)]).toEqual(["–", "–", "–"]);
  });
});

describe("ranges", () => {
  it("joins an interval with a word and is null where an end is missing", () => {
    expect(interval(-0.1, 0.43)).toBe("−0.10 to 0.43");
    expect(interval(0.1, null)).toBeNull();
  });
  it("writes a range of one value as one value", () => {
    expect(percentRange(0.41, 0.62)).toBe("41 to 62\u00a0%");
    expect(percentRange(0.5, 0.5004)).toBe("50\u00a0%");
  });
});

describe("bytes", () => {
  it("moves to the next unit before a fourth digit appears", () => {
    expect(bytes(512)).toBe("512\u00a0bytes");
    expect(bytes(999_499)).toBe("999\u00a0kB");
    expect(bytes(999_600)).toBe("1.0\u00a0MB");
    expect(bytes(1_900_000)).toBe("1.9\u00a0MB");
    expect(bytes(88_000_000)).toBe("88\u00a0MB");
  });
  it("counts what is done in the unit of the total", () => {
    expect(bytesOf(41_200_000, 88_000_000)).toBe("41 of 88\u00a0MB");
    expect(bytesOf(0, 88_000_000)).toBe("0 of 88\u00a0MB");
  });
});

describe("durations", () => {
  it("has at most two parts and drops the second where it does not matter", () => {
    expect([18, 98, 120, 420, 1500, 7500].map(duration)).toEqual([
      "18\u00a0s",
      "1\u00a0min 38\u00a0s",
      "2\u00a0min",
      "7\u00a0min",
      "25\u00a0min",
      "2\u00a0h 5\u00a0min",
    ]);
  });
  it("is never negative", () => expect(duration(-3)).toBe("0\u00a0s"));
  it("says about how long before the fact", () => {
    expect([20, 400, 7200].map(aboutDuration)).toEqual([
      "less than a minute",
      "about 7\u00a0min",
      "about 2.0\u00a0h",
    ]);
  });
});

describe("counts and p values", () => {
  it("writes small counts as words and large ones as digits", () => {
    expect([0, 1, 7, 13].map(countWord)).toEqual(["no", "one", "seven", "13"]);
    expect([plural(1, "answer"), plural(0, "answer")]).toEqual(["1 answer", "0 answers"]);
  });
  it("never says that p is zero", () => {
    expect([0, 0.0004, 0.034, 0.5].map(pValue)).toEqual(["p < 0.001", "p < 0.001", "p = 0.034", "p = 0.50"]);
  });
});
