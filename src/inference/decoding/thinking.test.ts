import { describe, expect, it } from "vitest";
import type { GenerateRequest, GenerateResult } from "../types.ts";
import type { ThinkingMarks } from "../text/thinking-marks.ts";
import { GeneratedRow } from "./generated-row.ts";

const [OPEN, CLOSE, END, BLANK] = [90, 91, 2, 50];
const marks: ThinkingMarks = {
  openId: OPEN,
  closeId: CLOSE,
  budgetTokens: 6,
  isBlank: (id) => id === BLANK,
};

/** The answer of a model whose likeliest next tokens are these, one after the other. */
function answer(
  tokens: readonly number[],
  options: { prompt?: readonly number[]; contextLength?: number; maxNewTokens?: number } = {},
): GenerateResult {
  const { prompt = [10, 11], contextLength = 100, maxNewTokens = 3 } = options;
  const request: GenerateRequest = {
    key: "row",
    promptTokenIds: Int32Array.from(prompt),
    contentRange: null,
    decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens, repeats: 1 },
    stream: { seed: 1, exampleId: "e", promptId: "p", repeat: 0 },
  };
  const row = new GeneratedRow(request);
  for (const token of tokens) {
    row.advance(
      {
        rows: 1,
        k: 2,
        entropyNats: Float32Array.of(1),
        topLogProbNats: Float32Array.of(-0.5, -2),
        topIds: Int32Array.of(token, 3),
        givenLogProbNats: new Float32Array(0),
      },
      0,
      null,
      { endTokenIds: new Set([END, 4]), contextLength, thinking: marks },
    );
    if (row.finish !== null) break;
    expect(row.lastToken).toBe(token);
  }
  return row.result((ids) => ({ text: ids.join(" "), tokenTexts: ids.map(String) }));
}

describe("a block of thinking", () => {
  it("is kept apart from the answer, with the blanks behind it, and brings the answer no numbers", () => {
    const result = answer([OPEN, 20, 21, CLOSE, BLANK, 30, BLANK, 31, 32]);
    expect([...result.tokenIds]).toEqual([30, BLANK, 31]);
    expect(result.thinking).toEqual({ text: "20 21", tokens: 5, closed: true });
    expect(result.finish).toBe("length");
    expect(result.logProbNats).toHaveLength(3);
    expect(result.entropyNats).toHaveLength(3);
  });

  it("leaves the answer its own number of tokens", () => {
    expect(answer([OPEN, 20, 21, CLOSE, 30, 31, END]).finish).toBe("eos");
  });

  it("that is never closed ends at its budget, without an answer", () => {
    const result = answer([OPEN, 20, 21, 22, 23, 24, 25, 26]);
    expect(result).toMatchObject({
      finish: "length",
      text: "",
      thinking: { tokens: 6, closed: false },
    });
  });

  it("that the end token interrupts has no answer either", () => {
    expect(answer([OPEN, 20, END])).toMatchObject({ finish: "eos", text: "", thinking: { closed: false } });
  });

  it("fills the context like any other token", () => {
    expect(answer([OPEN, 20, 21], { contextLength: 5 })).toMatchObject({
      finish: "context",
      thinking: { tokens: 3, closed: false },
    });
  });

  it("may be opened by the template", () => {
    const result = answer([20, CLOSE, 30, END], { prompt: [10, OPEN, BLANK] });
    expect([...result.tokenIds]).toEqual([30]);
    expect(result.thinking).toEqual({ text: "20", tokens: 2, closed: true });
  });

  it("that the template closed at once is none", () => {
    const result = answer([30, END], { prompt: [10, OPEN, CLOSE] });
    expect([...result.tokenIds]).toEqual([30]);
    expect(result.thinking).toBeNull();
  });

  it("is none in the middle of an answer", () => {
    const result = answer([30, OPEN, 31]);
    expect([...result.tokenIds]).toEqual([30, OPEN, 31]);
    expect(result.thinking).toBeNull();
  });
});

describe("an answer", () => {
  it("ends at any of several end tokens, which are no part of it", () => {
    for (const end of [END, 4]) {
      const result = answer([30, end, 31]);
      expect([...result.tokenIds]).toEqual([30]);
      expect(result.finish).toBe("eos");
    }
  });
});
