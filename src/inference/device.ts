/** Which device computes, and why, as one sentence for the reader. */
import type { DeviceKind } from "./contract.ts";
import { EngineError, messageOf } from "./engine-error.ts";

/** What the worker finds around it. */
export interface DeviceSurroundings {
  /** null where the browser has no WebGPU (or hides it from workers). */
  readonly gpu: { requestAdapter(): Promise<AdapterDescription | null> } | null;
  readonly crossOriginIsolated: boolean;
  readonly hardwareConcurrency: number;
  /** What weights may take on the WASM heap; left out, a 32-bit heap's worth (`graph/folding.ts`). */
  readonly mostWeightBytes?: number;
}

export interface AdapterDescription {
  readonly info: {
    readonly vendor: string;
    readonly architecture: string;
    readonly device: string;
    readonly description: string;
    readonly isFallbackAdapter?: boolean;
  };
}

export interface DeviceChoice {
  readonly kind: DeviceKind;
  /** vendor/architecture */
  readonly adapter: string | null;
  readonly threads: number;
  readonly reason: string;
  /** True if nobody insisted on this device: then another may be tried if the model does not load on it. */
  readonly free: boolean;
}

/** More threads than this only contend for the same memory bandwidth. */
const MOST_THREADS = 8;
const SOFTWARE_ADAPTER = /swiftshader|llvmpipe|lavapipe|software|basic render/i;

/**
 * @param asked - `auto` prefers a real GPU; a software adapter emulates one on the CPU, slower than WebAssembly
 * @throws {EngineError} `device-unavailable` if WebGPU was asked for and is not there
 */
export async function chooseDevice(
  asked: DeviceKind | "auto",
  surroundings: DeviceSurroundings,
): Promise<DeviceChoice> {
  const threads = surroundings.crossOriginIsolated
    ? Math.max(1, Math.min(MOST_THREADS, surroundings.hardwareConcurrency))
    : 1;
  const wasm = (because: string, free: boolean): DeviceChoice => ({
    kind: "wasm",
    adapter: null,
    threads,
    reason: `${because} ${threadSentence(threads, surroundings.crossOriginIsolated)}`,
    free,
  });
  if (asked === "wasm") return wasm("WebAssembly on the CPU, as chosen.", false);
  const { adapter, problem } = await findAdapter(surroundings);
  if (adapter === null) {
    if (asked === "webgpu") {
      throw new EngineError(
        "device-unavailable",
        `WebGPU was chosen, but ${problem}. Choose WebAssembly instead.`,
      );
    }
    return wasm(`WebAssembly on the CPU, since ${problem}.`, true);
  }
  const { vendor, architecture, device, description } = adapter.info;
  const name = [vendor, architecture].filter((part) => part !== "").join("/") || "unnamed adapter";
  const software =
    adapter.info.isFallbackAdapter === true ||
    [vendor, architecture, device, description].some((text) => SOFTWARE_ADAPTER.test(text));
  if (asked === "auto" && software) {
    return wasm(
      `WebAssembly on the CPU, since the only WebGPU adapter (${name}) is software on the CPU too.`,
      true,
    );
  }
  return {
    kind: "webgpu",
    adapter: name,
    threads: 1,
    reason:
      asked === "webgpu" ? `WebGPU on ${name}, as chosen.` : `WebGPU, since the adapter ${name} answered.`,
    free: asked === "auto",
  };
}

async function findAdapter(
  surroundings: DeviceSurroundings,
): Promise<{ readonly adapter: AdapterDescription | null; readonly problem: string }> {
  if (surroundings.gpu === null) return { adapter: null, problem: "this browser offers no WebGPU" };
  try {
    const adapter = await surroundings.gpu.requestAdapter();
    return { adapter, problem: adapter === null ? "no WebGPU adapter answered" : "" };
  } catch (error) {
    return { adapter: null, problem: `the request for a WebGPU adapter failed (${messageOf(error)})` };
  }
}

function threadSentence(threads: number, isolated: boolean): string {
  if (!isolated) return "One thread, since the page is not cross-origin isolated.";
  return threads === 1 ? "One thread, since there is one core." : `${threads} threads.`;
}

/** The worker's own surroundings. */
export function workerSurroundings(): DeviceSurroundings {
  const gpu: GPU | undefined = globalThis.navigator?.gpu;
  return {
    gpu: gpu ? { requestAdapter: () => gpu.requestAdapter({ powerPreference: "high-performance" }) } : null,
    crossOriginIsolated: globalThis.crossOriginIsolated === true,
    hardwareConcurrency: globalThis.navigator?.hardwareConcurrency ?? 1,
  };
}
