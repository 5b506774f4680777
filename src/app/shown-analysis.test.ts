import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Analysis } from "../evaluation/index.ts";
import { ShownAnalysis } from "./shown-analysis.ts";

const headline = (runId: string) => ({ runId, notes: [], further: null }) as unknown as Analysis;
const whole = { further: { numbers: [] } } as unknown as Analysis;

function setUp(analyse: (runId: string) => Promise<Analysis>, shownRunId = "run-1") {
  const client = { analyse: vi.fn(analyse), deepen: vi.fn(() => Promise.resolve(whole)) };
  let shown: Analysis | null = null;
  const view = new ShownAnalysis(client, {
    shownRunId: () => shownRunId,
    current: () => shown,
    show: (analysis) => (shown = analysis),
  });
  return { client, view, shown: () => shown };
}

describe("ShownAnalysis", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("analyses once more, not many times, when many pieces arrive while one analysis is under way", async () => {
    const { client, view } = setUp((runId) => Promise.resolve(headline(runId)));
    const updates = ["run-1", "run-1", "run-1", "run-1"].map((runId) => view.updateSoon(runId));
    await vi.runAllTimersAsync();
    await Promise.all(updates);
    expect(client.analyse).toHaveBeenCalledTimes(2);
  });

  it("goes on after a failed update, and reports the failure that lasts when the run has ended", async () => {
    let broken = true;
    const { client, view, shown } = setUp((runId) =>
      broken ? Promise.reject(new Error("The record of q1 is damaged.")) : Promise.resolve(headline(runId)),
    );
    await view.updateSoon("run-1");
    await expect(view.settle("run-1", true)).rejects.toThrow("The record of q1 is damaged.");
    broken = false;
    await view.settle("run-1", true);
    await view.deepened;
    expect(shown()).toBe(whole);
    expect(client.analyse).toHaveBeenCalledTimes(3);
  });

  it("shows nothing of a run that is no longer shown", async () => {
    const { view, shown } = setUp((runId) => Promise.resolve(headline(runId)), "run-2");
    await view.update("run-1", false);
    expect(shown()).toBeNull();
  });
});
