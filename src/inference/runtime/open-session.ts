/** Sessions on a device. Each device's runtime is loaded only when it is needed. */
import moduleUrl from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import type { DeviceChoice } from "../device.ts";
import type { GraphSession, SessionRequest } from "./tensor.ts";
import { loadOrtModule, type OrtModule } from "./wasm-module.ts";
import { WasmSession } from "./wasm-session.ts";

/** Opens sessions for one worker; the WebAssembly module is shared by all of them. */
export class Runtime {
  #module: OrtModule | null = null;

  async open(device: Pick<DeviceChoice, "kind" | "threads">, request: SessionRequest): Promise<GraphSession> {
    if (device.kind === "webgpu") {
      const { WebGpuSession } = await import("./webgpu-session.ts");
      return WebGpuSession.create(request);
    }
    this.#module ??= await loadOrtModule(
      {
        moduleUrl: new URL(moduleUrl, import.meta.url).href,
        wasmUrl: new URL(wasmUrl, import.meta.url).href,
      },
      device.threads,
    );
    return WasmSession.create(this.#module, request);
  }
}
