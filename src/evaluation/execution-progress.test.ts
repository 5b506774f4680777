import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProgressMeter, type ExecutionProgress } from "./execution-progress.ts";

describe("a run's progress", () => {
  it("never falls, never passes its total, and keeps its total, whatever is reported", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("partial" as const), units: fc.float({ min: 0, max: 20, noNaN: true }) }),
      fc.record({ kind: fc.constant("finish" as const), units: fc.float({ min: 0, max: 20, noNaN: true }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const seen: ExecutionProgress[] = [];
        const meter = new ProgressMeter(100, 3, (progress) => seen.push(progress));
        for (const { kind, units } of steps) meter[kind](units);
        seen.forEach((progress, index) => {
          expect(progress.total).toBe(100);
          expect(progress.done).toBeLessThanOrEqual(100);
          expect(progress.done).toBeGreaterThanOrEqual(seen[index - 1]?.done ?? 0);
        });
      }),
    );
  });
});
