import type { DeviceChoice } from "../device.ts";
import type { GraphSession, SessionRequest } from "./tensor.ts";
import { WasmRuntime } from "./wasm-runtime.ts";

/** Opens sessions on either device. The GPU's runtime is loaded only when it is needed. */
export class Runtime {
  readonly #wasm = new WasmRuntime();

  async open(device: Pick<DeviceChoice, "kind" | "threads">, request: SessionRequest): Promise<GraphSession> {
    if (device.kind === "wasm") return this.#wasm.open(device, request);
    const { WebGpuSession } = await import("./webgpu-session.ts");
    return WebGpuSession.create(request);
  }
}
