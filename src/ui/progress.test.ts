import { describe, expect, it } from "vitest";
import type { Phase } from "./controller.ts";
import { barPosition, facts, factsText, HighWater, isBusy } from "./progress.ts";

const loading = (loadedBytes: number, totalBytes = 100e6, what = "the model"): Phase => ({
  kind: "loading",
  loadedBytes,
  totalBytes,
  what,
  bytesPerSecond: 12e6,
  secondsLeft: 4,
});
const running = (pieceDone: number, pieces = 100): Phase => ({
  kind: "running",
  examplesDone: 2,
  examples: 32,
  pieceDone,
  pieces,
  tokensPerSecond: 61.84,
  secondsLeft: 98,
  activity: "writing answers",
});

describe("the bar", () => {
  it("never goes back over a whole run: model, encoder, preparation, work, stop, end", () => {
    const phases: Phase[] = [
      { kind: "preparing", what: "the run" },
      loading(10e6),
      loading(100e6),
      loading(1e6, 20e6, "the sentence encoder"),
      { kind: "preparing", what: "the model" },
      running(0),
      running(50),
      { kind: "stopping" },
      { kind: "stopped", examplesDone: 10, examples: 32 },
    ];
    const water = new HighWater();
    const seen = phases.map((phase) => water.follow(barPosition(phase), isBusy(phase)));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(Math.max(...seen)).toBeLessThan(1);
  });

  it("begins anew with the next run", () => {
    const water = new HighWater();
    water.follow(barPosition(running(90)), true);
    water.follow(barPosition({ kind: "finished", elapsedMs: 1, answers: 1 }), false);
    expect(water.follow(barPosition(loading(0)), true)).toBe(0);
  });

  it("stays within 0 and 1 when counts are odd", () => {
    expect(barPosition(running(5, 0))).toBeGreaterThanOrEqual(0);
    expect(barPosition(running(300, 100))).toBe(1);
    expect(barPosition(loading(5, 0))).toBe(0);
  });
});

describe("the facts", () => {
  it("say bytes, speed and time left while loading", () => {
    expect(factsText(facts(loading(41e6)))).toBe(
      "Loading the model: 41 of 100\u00a0MB, 12\u00a0MB/s, 4\u00a0s left",
    );
  });
  it("say questions, speed and time left while running, and leave out what is not known", () => {
    expect(factsText(facts(running(3)))).toBe(
      "2 of 32 questions, writing answers, 61.8 tokens/s, 1\u00a0min 38\u00a0s left",
    );
    const unknown = { ...running(3), tokensPerSecond: null, secondsLeft: null } as Phase;
    expect(facts(unknown)).toHaveLength(1);
  });
});
