import * as Comlink from "comlink";
import { describe, expect, it, vi } from "vitest";
import { eventually } from "../../tests/eventually.ts";
import { EngineError, type Engine, type LoadedModel, type LoadProgress } from "../inference/index.ts";
import { EngineClient, isAbortError, plainError, rebuiltError, type WorkerLike } from "./index.ts";

/** A worker on the other end of a message channel, in this thread. */
class FakeWorker extends EventTarget implements WorkerLike {
  readonly #port: MessagePort;
  readonly #inner: MessagePort;
  terminated = false;

  constructor(api: Partial<Engine>) {
    super();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#inner = port2;
    // Comlink listens with an object's method or a function; here the events are passed on.
    port1.onmessage = (event: MessageEvent) =>
      this.dispatchEvent(new MessageEvent("message", { data: event.data, ports: [...event.ports] }));
    Comlink.expose(api, port2);
  }

  postMessage(message: unknown, transfer?: Transferable[] | StructuredSerializeOptions): void {
    if (this.terminated) return;
    this.#port.postMessage(message, Array.isArray(transfer) ? transfer : (transfer?.transfer ?? []));
  }

  terminate(): void {
    this.terminated = true;
    this.#port.close();
    this.#inner.close();
  }

  crash(message: string): void {
    this.dispatchEvent(Object.assign(new Event("error"), { message }));
  }
}

const REQUEST = {
  source: { kind: "bundled", id: "m", baseUrl: "http://localhost/" },
  device: "auto",
  dtype: null,
} as const;
const never = (): Promise<never> => new Promise(() => undefined);
const ignore = (): void => undefined;

function clientOf(
  api: Partial<Engine>,
  limits = { downloadMs: 60_000, sessionMs: 60_000, computeMs: 60_000 },
) {
  const workers: FakeWorker[] = [];
  const client = new EngineClient(() => {
    const worker = new FakeWorker(api);
    workers.push(worker);
    return worker;
  }, limits);
  return { client, workers };
}

/** Lets the messages of both ends pass. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}

describe("the engine's client", () => {
  it("hands on results, progress and callbacks", async () => {
    const seen: LoadProgress[] = [];
    const model = { contextLength: 7 };
    const { client } = clientOf({
      load: (_, onProgress) => {
        onProgress({ phase: "session" });
        // The client passes on whatever the worker answers.
        return Promise.resolve(model as LoadedModel);
      },
    });
    expect(await client.load(REQUEST, (progress) => void seen.push(progress))).toEqual(model);
    await eventually(() => {
      expect(seen).toEqual([{ phase: "session" }]);
    });
    client.terminate();
  });

  it("rejects with the worker's own error, with code and details", async () => {
    const { client } = clientOf({
      load: () => Promise.reject(new EngineError("file-missing", "No config.json.", { file: "config.json" })),
    });
    const failure = client.load(REQUEST, ignore);
    await expect(failure).rejects.toBeInstanceOf(EngineError);
    await expect(failure).rejects.toMatchObject({
      code: "file-missing",
      message: "No config.json.",
      details: { file: "config.json" },
    });
    client.terminate();
  });

  it("rejects every waiting call when the worker crashes, and later calls until it is replaced", async () => {
    const { client, workers } = clientOf({ load: never, template: never });
    const calls = [client.load(REQUEST, ignore), client.template([], { kind: "raw", systemPrompt: null })];
    await settle();
    workers[0]?.crash("out of memory");
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "worker-failed" });
    await expect(client.template([], { kind: "raw", systemPrompt: null })).rejects.toThrow(/out of memory/);
    expect(workers[0]?.terminated).toBe(true);
    client.replace();
    const again = client.load(REQUEST, ignore);
    await settle();
    expect(workers).toHaveLength(2);
    client.terminate();
    await expect(again).rejects.toMatchObject({ code: "worker-failed" });
  });

  it("says so when the worker's script cannot be loaded", async () => {
    const { client, workers } = clientOf({ load: never });
    const call = client.load(REQUEST, ignore);
    await settle();
    workers[0]?.dispatchEvent(new Event("error"));
    await expect(call).rejects.toThrow(/could not be started/);
  });

  it("rejects when a message cannot be read", async () => {
    const { client, workers } = clientOf({ load: never });
    const call = client.load(REQUEST, ignore);
    await settle();
    workers[0]?.dispatchEvent(new Event("messageerror"));
    await expect(call).rejects.toMatchObject({ code: "worker-failed" });
  });

  it("rejects waiting calls when it is terminated", async () => {
    const { client } = clientOf({ score: never });
    const call = client.score([], ignore, ignore);
    await settle();
    client.terminate();
    await expect(call).rejects.toMatchObject({ code: "worker-failed" });
    expect(client.failed).toBe(true);
  });

  it("ends a worker that stays silent for too long while it loads", async () => {
    vi.useFakeTimers();
    try {
      const { client, workers } = clientOf(
        { load: never },
        { downloadMs: 5000, sessionMs: 9000, computeMs: 1 },
      );
      const call = client.load(REQUEST, ignore);
      const outcome = expect(call).rejects.toMatchObject({
        code: "worker-silent",
        details: { afterMs: 5000 },
      });
      await vi.advanceTimersByTimeAsync(5001);
      await outcome;
      expect(workers[0]?.terminated).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not begin what was aborted before", async () => {
    const { client, workers } = clientOf({ load: never });
    const call = client.load(REQUEST, ignore, AbortSignal.abort());
    await expect(call).rejects.toSatisfy(isAbortError);
    expect(workers).toHaveLength(0);
  });

  it("ends the worker when loading is aborted, since nothing else stops it", async () => {
    const { client, workers } = clientOf({ load: never });
    const controller = new AbortController();
    const call = client.load(REQUEST, ignore, controller.signal);
    await settle();
    controller.abort();
    await expect(call).rejects.toSatisfy(isAbortError);
    expect(workers[0]?.terminated).toBe(true);
  });

  it("asks the worker to stop when decoding is aborted, and rejects with the worker's AbortError", async () => {
    let reject: (reason: unknown) => void = ignore;
    const { client, workers } = clientOf({
      generate: () => new Promise((_, rejectRun) => (reject = rejectRun)),
      stop: () => reject(new DOMException("stopped", "AbortError")),
    });
    const controller = new AbortController();
    const call = client.generate([], ignore, ignore, controller.signal);
    await settle();
    controller.abort();
    await expect(call).rejects.toSatisfy(isAbortError);
    expect(workers[0]?.terminated).toBe(false);
    client.terminate();
  });

  it("rejects the call when a callback on this side fails", async () => {
    const { client } = clientOf({
      score: async (_, onResult) => {
        await onResult({
          key: "k",
          logProbNats: new Float32Array(0),
          entropyNats: new Float32Array(0),
          partitionSize: 0,
          partitionIds: new Int32Array(0),
          partitionLogProbs: new Float32Array(0),
        });
      },
    });
    const call = client.score([], () => Promise.reject(new Error("disk full")), ignore);
    await expect(call).rejects.toThrow("disk full");
    client.terminate();
  });
});

describe("errors as plain data", () => {
  it("come back as what they were", () => {
    const engine = new EngineError("file-missing", "No file.", { file: "x", bytes: 3 }, new Error("404"));
    expect(rebuiltError(structuredClone(plainError(engine)))).toMatchObject({
      name: "EngineError",
      code: "file-missing",
      details: { file: "x", bytes: 3 },
      cause: "404",
    });
    expect(isAbortError(rebuiltError(plainError(new DOMException("stop", "AbortError"))))).toBe(true);
    expect(rebuiltError(plainError(new RangeError("K")))).toMatchObject({ name: "RangeError", message: "K" });
    expect(rebuiltError(plainError("just a string")).message).toBe("just a string");
  });

  it("are an error themselves when they cannot be read", () => {
    expect(rebuiltError({ kind: "unheard of" })).toMatchObject({ code: "worker-failed" });
  });
});
