import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planSegments } from "./segments.ts";

const LARGE_VOCABULARY = { vocabularySize: 151_936, keepsLogits: false };

describe("planSegments", () => {
  it("reads an ordinary prompt in one pass", () => {
    expect(planSegments(0, 80, 79, { vocabularySize: 49_152, keepsLogits: true })).toEqual([
      { start: 0, end: 80, rows: 1 },
    ]);
  });

  it("cuts a long prompt where the graph always computes all logits", () => {
    const segments = planSegments(0, 3000, 2999, LARGE_VOCABULARY);
    expect(segments.length).toBeGreaterThan(2);
    for (const { start, end } of segments) {
      expect((end - start) * LARGE_VOCABULARY.vocabularySize * 4).toBeLessThanOrEqual(600 * 2 ** 20);
    }
  });

  it("covers every position once, wants each wanted position once, and bounds the reductions", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 0, max: 5000 }),
        fc.integer({ min: 100, max: 260_000 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 100 }),
        (more, from, vocabularySize, keepsLogits, read) => {
          const length = read + more;
          const wantedFrom = Math.min(Math.max(from, read), length);
          const segments = planSegments(read, length, wantedFrom, { vocabularySize, keepsLogits });
          let position = read;
          let wanted = 0;
          for (const { start, end, rows } of segments) {
            expect(start).toBe(position);
            expect(end).toBeGreaterThan(start);
            expect(rows).toBe(Math.max(0, end - Math.max(start, wantedFrom)));
            expect(rows === 1 || rows * vocabularySize * 4 * 6 <= 600 * 2 ** 20).toBe(true);
            position = end;
            wanted += rows;
          }
          expect(position).toBe(length);
          expect(wanted).toBe(length - wantedFrom);
        },
      ),
    );
  });
});
