import moduleUrl from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import type { GraphSession, SessionRequest } from "./tensor.ts";
import { loadOrtModule, type OrtModule } from "./wasm-module.ts";
import { WasmSession } from "./wasm-session.ts";

/**
 * Opens sessions on the CPU; one WebAssembly module serves all of a worker. It is the plain build: the one that
 * can also drive a GPU is instrumented to be suspended, and computes several times slower on the CPU.
 */
export class WasmRuntime {
  #module: Promise<OrtModule> | null = null;

  async open(device: { readonly threads: number }, request: SessionRequest): Promise<GraphSession> {
    this.#module ??= this.#load(device.threads);
    return WasmSession.create(await this.#module, request);
  }

  async #load(threads: number): Promise<OrtModule> {
    try {
      return await loadOrtModule(
        {
          moduleUrl: new URL(moduleUrl, import.meta.url).href,
          wasmUrl: new URL(wasmUrl, import.meta.url).href,
        },
        threads,
      );
    } catch (error) {
      // A failure is not kept: the next load tries again.
      this.#module = null;
      throw error;
    }
  }
}
