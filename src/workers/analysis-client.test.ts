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

  it("leaves what else is asked alone when it ends an analysis", async () => {
    const workers: BusyWorker[] = [];
    const client = new AnalysisClient(() => {
      const worker = new BusyWorker();
      workers.push(worker);
      return worker;
    });
    let settled = 0;
    const others = [client.compare(["run-1"]), client.detail("run-1", "a"), client.importFile(new Blob())];
    for (const other of others) void other.finally(() => (settled += 1)).catch(() => undefined);
    const first = client.analyse("run-1", true);
    const outcome = expect(first).rejects.toMatchObject({ name: "AbortError" });
    void client.analyse("run-2", true).catch(() => undefined);
    await outcome;
    expect(workers.map(({ terminated }) => terminated)).toEqual([false, false, true, false]);
    expect(settled).toBe(0);
  });
});
