import { describe, expect, it } from "vitest";
import { domainOf, familyName, type IntervalRow } from "./interval-rows.ts";

const row = (estimate: number | null, low: number | null, high: number | null): IntervalRow => ({
  key: "a",
  label: "A",
  estimate,
  low,
  high,
  reason: null,
  note: "",
  colour: "",
});

describe("domainOf", () => {
  it("holds every interval and the values it is given, and is never empty", () => {
    expect(domainOf([row(0.5, -0.4, 0.9), row(null, null, null)], 0, 0.3)).toEqual([-0.4, 0.9]);
    expect(domainOf([row(0.2, 0.1, 0.3)], 0, 1)).toEqual([0, 1]);
    expect(domainOf([], 0)).toEqual([0, 1]);
  });
});

it("names a family as people say it", () => {
  expect(familyName("letter-case")).toBe("Letter case");
  expect(familyName("style")).toBe("Style");
});
