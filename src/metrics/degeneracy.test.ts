import { describe, expect, it } from "vitest";
import { isConstant, isEmptyResponse, isLooping, repeatedShare } from "./degeneracy.ts";

describe("isLooping", () => {
  it("finds repeated sentences, words, numbered repetitions and repeated characters of unspaced scripts", () => {
    expect(isLooping("I am not sure. ".repeat(6))).toBe(true);
    expect(isLooping("no ".repeat(12))).toBe(true);
    expect(isLooping(Array.from({ length: 8 }, (_, at) => `${at + 1}. The cat sat there.`).join("\n"))).toBe(
      true,
    );
    expect(isLooping("我不知道。".repeat(6))).toBe(true);
  });

  it("spares ordinary prose, lists of different things, short answers and the empty text", () => {
    expect(
      isLooping("The skin is the largest organ of the human body. It protects the body from infection."),
    ).toBe(false);
    expect(isLooping("1. Red\n2. Green\n3. Blue\n4. Yellow\n5. Black\n6. White")).toBe(false);
    expect(isLooping("Yes yes yes.")).toBe(false);
    expect(isLooping("")).toBe(false);
  });

  it("counts the share of four-word sequences that occurred before", () => {
    expect(repeatedShare("and then and then and then and then")).toBeCloseTo(3 / 5, 12);
    expect(repeatedShare("one two three four")).toBe(0);
  });
});

describe("isEmptyResponse and isConstant", () => {
  it("calls white space empty", () => {
    expect(isEmptyResponse(" \n\t")).toBe(true);
    expect(isEmptyResponse(" . ")).toBe(false);
  });

  it("needs at least two equal responses to call a model constant", () => {
    expect(isConstant(["Yes", "Yes"])).toBe(true);
    expect(isConstant(["Yes", "No"])).toBe(false);
    expect(isConstant(["Yes"])).toBe(false);
    expect(isConstant([])).toBe(false);
  });
});
