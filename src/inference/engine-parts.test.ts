import { describe, expect, it, vi } from "vitest";
import { chooseDevice, type AdapterDescription, type DeviceSurroundings } from "./device.ts";
import { describeDecoder } from "./graph/decoder-graph.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import type { TensorSpec } from "./runtime/tensor.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { EngineProgress } from "./types.ts";
import { yieldToMessages } from "./yield-to-messages.ts";

function surroundings(
  adapter: Partial<AdapterDescription["info"]> | "none" | "failing" | "no-gpu",
): DeviceSurroundings {
  const info = { vendor: "", architecture: "", device: "", description: "" };
  const requestAdapter = (): Promise<AdapterDescription | null> => {
    if (adapter === "failing") return Promise.reject(new Error("driver crashed"));
    return Promise.resolve(typeof adapter === "string" ? null : { info: { ...info, ...adapter } });
  };
  return {
    gpu: adapter === "no-gpu" ? null : { requestAdapter },
    crossOriginIsolated: true,
    hardwareConcurrency: 4,
  };
}

describe("chooseDevice", () => {
  it("takes a real GPU where one answers", async () => {
    expect(
      await chooseDevice("auto", surroundings({ vendor: "apple", architecture: "metal-3" })),
    ).toMatchObject({
      kind: "webgpu",
      adapter: "apple/metal-3",
      reason: "WebGPU, since the adapter apple/metal-3 answered.",
    });
  });

  it("prefers WebAssembly to a GPU that is software, and says so", async () => {
    for (const info of [{ vendor: "google", architecture: "swiftshader" }, { isFallbackAdapter: true }]) {
      const choice = await chooseDevice("auto", surroundings(info));
      expect(choice).toMatchObject({ kind: "wasm", threads: 4 });
      expect(choice.reason).toContain("software");
    }
  });

  it("takes a software GPU when it is asked for", async () => {
    expect(await chooseDevice("webgpu", surroundings({ architecture: "swiftshader" }))).toMatchObject({
      kind: "webgpu",
    });
  });

  it.each([
    ["no-gpu", "offers no WebGPU"],
    ["none", "no WebGPU adapter answered"],
    ["failing", "driver crashed"],
  ] as const)("falls back to WebAssembly with the reason: %s", async (adapter, reason) => {
    const choice = await chooseDevice("auto", surroundings(adapter));
    expect(choice.kind).toBe("wasm");
    expect(choice.reason).toContain(reason);
    await expect(chooseDevice("webgpu", surroundings(adapter))).rejects.toMatchObject({
      code: "device-unavailable",
    });
  });

  it("uses one thread where the page is not isolated, and says why", async () => {
    const choice = await chooseDevice("wasm", { ...surroundings("no-gpu"), crossOriginIsolated: false });
    expect(choice.threads).toBe(1);
    expect(choice.reason).toContain("not cross-origin isolated");
  });
});

describe("describeDecoder", () => {
  const input = (name: string, dims: TensorSpec["dims"], type: TensorSpec["type"] = "int64"): TensorSpec => ({
    name,
    dims,
    type,
  });
  const usual = [
    input("input_ids", ["b", "s"]),
    input("attention_mask", ["b", "t"]),
    input("position_ids", ["b", "s"]),
    input("past_key_values.0.key", ["b", 2, "p", 8], "float32"),
    input("past_key_values.0.value", ["b", 2, "p", 8], "float16"),
  ];
  const node = (op: string, inputs: readonly string[] = []) => ({
    name: op,
    op,
    domain: "",
    inputs,
    outputs: [],
    attributes: new Map(),
    captures: [],
  });
  const graph = (...nodes: ReturnType<typeof node>[]) => ({ nodes, functions: [] });
  const unknown = { heads: null, width: null };

  it("reads the cache's tensors, their types and sizes", () => {
    const decoder = describeDecoder(graph(node("Softmax")), usual, unknown);
    expect(decoder.cache).toEqual([
      {
        past: "past_key_values.0.key",
        present: "present.0.key",
        type: "float32",
        heads: 2,
        width: 8,
        columns: null,
      },
      {
        past: "past_key_values.0.value",
        present: "present.0.value",
        type: "float16",
        heads: 2,
        width: 8,
        columns: null,
      },
    ]);
    expect(decoder.cacheBytesPerToken).toBe(2 * 8 * 4 + 2 * 8 * 2);
    expect(decoder).toMatchObject({
      padding: "left",
      batchInvariant: true,
      takesPositions: true,
      keepInput: null,
    });
  });

  it.each([
    ["past.2.conv", "present.2.conv"],
    ["past_conv.2", "present_conv.2"],
  ])(
    "carries a convolution's state %s, whose size does not grow, beside keys and values",
    (past, present) => {
      const decoder = describeDecoder(
        graph(node("Softmax")),
        [...usual, input(past, ["b", 32, 2], "float32")],
        unknown,
      );
      expect(decoder.cache[2]).toEqual({ past, present, type: "float32", heads: 32, width: 1, columns: 2 });
      expect(decoder.cacheBytesPerToken).toBe(2 * 8 * 4 + 2 * 8 * 2);
      const open = [...usual, input(past, ["b", "d", 2], "float32")];
      expect(() => describeDecoder(graph(), open, unknown)).toThrow(/shape of/);
      const alone = [...usual.slice(0, 3), input(past, ["b", 32, 2], "float32")];
      expect(() => describeDecoder(graph(), alone, unknown)).toThrow(/no key\/value cache/);
    },
  );

  it("takes symbolic sizes from the configuration, and refuses without", () => {
    const symbolic = [...usual.slice(0, 3), input("past_key_values.0.key", ["b", "h", "p", "d"], "float32")];
    expect(describeDecoder(graph(), symbolic, { heads: 3, width: 4 }).cache[0]).toMatchObject({
      heads: 3,
      width: 4,
    });
    expect(() => describeDecoder(graph(), symbolic, unknown)).toThrow(/shape of past_key_values.0.key/);
  });

  it("pads on the right where the attention reads its cache from the left", () => {
    const attention = node("GroupQueryAttention", [
      "q",
      "k",
      "v",
      "pk",
      "pv",
      "seqlens",
      "total",
      "cos",
      "sin",
    ]);
    expect(describeDecoder(graph(attention), usual, unknown).padding).toBe("right");
  });

  it("pads on the left where that attention is given a bias with the mask in it", () => {
    const inputs = ["q", "k", "v", "pk", "pv", "seqlens", "total", "cos", "sin", "positions", "bias"];
    expect(describeDecoder(graph(node("GroupQueryAttention", inputs)), usual, unknown).padding).toBe("left");
  });

  it("keeps rows apart where activations are quantised by one scale, also inside functions", () => {
    const quantised = node("DynamicQuantizeLinear");
    expect(describeDecoder(graph(quantised), usual, unknown).batchInvariant).toBe(false);
    const called = { name: "f", domain: "d", inputs: [], outputs: [], nodes: [quantised] };
    expect(describeDecoder({ nodes: [], functions: [called] }, usual, unknown).batchInvariant).toBe(false);
  });

  it.each([
    ["num_logits_to_keep", []],
    ["logits_to_keep", [1]],
  ] as const)("limits the logits by %s in the rank that the graph gives it", (name, dims) => {
    const { keepInput } = describeDecoder(graph(), [...usual, input(name, dims)], unknown);
    expect(keepInput).toEqual({ name, rank: dims.length });
  });

  it("knows how exactly one pass and single steps can agree", () => {
    const single = usual.filter(({ type }) => type !== "float16");
    const arithmetic = (op: string, inputs = single) =>
      describeDecoder(graph(node(op)), inputs, unknown).arithmetic;
    expect(arithmetic("MatMul")).toBe("float32");
    expect(arithmetic("MatMul", usual)).toBe("rounded");
    expect(arithmetic("MatMulNBits")).toBe("rounded");
    expect(arithmetic("DynamicQuantizeLinear")).toBe("dynamic-int8");
  });

  it("keeps rows apart where the graph counts positions itself", () => {
    const without = usual.filter(({ name }) => name !== "position_ids");
    expect(describeDecoder(graph(), without, unknown).batchInvariant).toBe(false);
  });

  it("refuses a graph with an input that it does not know, or without a cache, naming it", () => {
    expect(() => describeDecoder(graph(), [...usual, input("pixel_values", [1])], unknown)).toThrow(
      /pixel_values/,
    );
    expect(() => describeDecoder(graph(), usual.slice(0, 3), unknown)).toThrow(/cache/);
    expect(() => describeDecoder(graph(), usual.slice(1), unknown)).toThrow(/input_ids/);
  });
});

describe("SerialQueue", () => {
  it("runs tasks one after the other, also after one has failed", async () => {
    const queue = new SerialQueue();
    const order: string[] = [];
    const task = (name: string, fail: boolean) => async (): Promise<string> => {
      order.push(`${name} begins`);
      await yieldToMessages();
      order.push(`${name} ends`);
      if (fail) throw new Error(name);
      return name;
    };
    const failing = queue.add(task("a", true));
    const passing = queue.add(task("b", false));
    await expect(failing).rejects.toThrow("a");
    expect(await passing).toBe("b");
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  });

  it("stops the running and the waiting tasks, and none that come later", async () => {
    const queue = new SerialQueue();
    const running = queue.add(async (throwIfStopped) => {
      for (;;) {
        await yieldToMessages();
        throwIfStopped();
      }
    });
    const waiting = queue.add(() => Promise.resolve("never"));
    await yieldToMessages();
    queue.stop();
    const later = queue.add(() => Promise.resolve("later"));
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    expect(await later).toBe("later");
  });
});

describe("ProgressReporter", () => {
  it("reports at most every 100 ms, never backwards, and the last state at the end", () => {
    let now = 0;
    const seen: EngineProgress[] = [];
    const reporter = new ProgressReporter(
      3,
      (progress) => void seen.push(progress),
      () => now,
    );
    for (; now < 1000; now += 10) reporter.update(now / 10, 0);
    reporter.update(5, 3);
    reporter.flush();
    reporter.flush();
    expect(seen.length).toBeLessThanOrEqual(12);
    expect(seen.at(-1)).toEqual({ decodedTokens: 99, finishedRows: 3, totalRows: 3 });
  });
});

describe("yieldToMessages", () => {
  it("lets a message that has arrived be handled first", async () => {
    const { port1, port2 } = new MessageChannel();
    const handled = vi.fn();
    port1.onmessage = handled;
    port2.postMessage("stop");
    for (let turn = 0; turn < 3 && handled.mock.calls.length === 0; turn += 1) await yieldToMessages();
    port1.close();
    expect(handled).toHaveBeenCalledOnce();
  });
});
