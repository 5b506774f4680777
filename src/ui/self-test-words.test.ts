import { describe, expect, it } from "vitest";
import { selfTestSentence } from "./self-test-words.ts";

const passed = {
  positions: 10,
  toleranceNats: 0.02,
  cacheDifferenceNats: 0.0123,
  cacheSameTop: 10,
  referenceDifferenceNats: null,
  referenceSameTop: null,
  elapsedMs: 40,
};

describe("the sentence about the test after loading", () => {
  it("names what was compared, how far apart it was and what is allowed", () => {
    expect(selfTestSentence(passed)).toBe(
      "The model passed the test after loading: read at once and token by token its probabilities differ by 0.012 nats at most (10 positions, 0.02 allowed); no stored reference exists for it.",
    );
  });

  it("names the distance to a stored reference, and does not call a small one nothing", () => {
    expect(selfTestSentence({ ...passed, referenceDifferenceNats: 0.00004 })).toContain(
      "from the stored reference they differ by less than 0.001 nats",
    );
  });

  it("says so where a run has no such test", () => {
    expect(selfTestSentence(undefined)).toContain("before");
  });
});
