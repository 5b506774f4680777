import { describe, expect, it } from "vitest";
import type { WorkerLike } from "./worker-connection.ts";
import { AnalysisClient } from "./analysis-client.ts";

/** A worker that computes for ever. */
class BusyWorker implements WorkerLike {
  terminated = false;
  asked = 0;
  readonly postMessage = (): void => {
    this.asked += 1;
  };
  readonly addEventListener = (): void => undefined;
  readonly removeEventListener = (): void => undefined;
  readonly terminate = (): void => {
    this.terminated = true;
  };
}

describe("AnalysisClient", () => {
  it("ends an analysis for which another is asked, and starts that one in a fresh worker", async () => {
    const workers: BusyWorker[] = [];
    const client = new AnalysisClient(() => {
      const worker = new BusyWorker();
      workers.push(worker);
      return worker;
    });
    const first = client.analyse("run-1", true);
    const outcome = expect(first).rejects.toMatchObject({ name: "AbortError" });
    void client.analyse("run-2", true).catch(() => undefined);
    await outcome;
    expect(workers.map(({ terminated }) => terminated)).toEqual([true, false]);
    expect(workers.map(({ asked }) => asked)).toEqual([1, 1]);
  });
});
