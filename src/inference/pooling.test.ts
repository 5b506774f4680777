import { describe, expect, it } from "vitest";
import { pooled, readPooling } from "./pooling.ts";

describe("readPooling", () => {
  it("takes the mean where nothing is said, else what is said", () => {
    expect(readPooling(null)).toBe("mean");
    expect(readPooling({ word_embedding_dimension: 384, pooling_mode_mean_tokens: true })).toBe("mean");
    expect(readPooling({ pooling_mode_cls_token: true, pooling_mode_mean_tokens: false })).toBe("first");
    expect(readPooling({ pooling_mode_lasttoken: true })).toBe("last");
  });

  it("names a way of pooling that is not known, and refuses several at once", () => {
    expect(() => readPooling({ pooling_mode_max_tokens: true })).toThrow(/pooling_mode_max_tokens/);
    expect(() => readPooling({ pooling_mode_mean_tokens: true, pooling_mode_cls_token: true })).toThrow(
      /mean_tokens and pooling_mode_cls_token/,
    );
    expect(() => readPooling({})).toThrow(/nothing/);
  });
});

describe("pooled", () => {
  const hidden = [1, 2, 3, 4, 8, 0];

  it("gives the mean, the first or the last token's vector", () => {
    expect([...pooled(hidden, 3, 2, "mean")]).toEqual([4, 2]);
    expect([...pooled(hidden, 3, 2, "first")]).toEqual([1, 2]);
    expect([...pooled(hidden, 3, 2, "last")]).toEqual([8, 0]);
  });
});
