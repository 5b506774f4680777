/** Runs the inference room's own code in Node: files from disk, ONNX Runtime's WebAssembly module from node_modules. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { FileBytes, FileOrigin } from "../src/inference/files/model-folder.ts";
import { ModelFolder } from "../src/inference/files/model-folder.ts";
import type { GraphSession, SessionRequest } from "../src/inference/runtime/tensor.ts";
import { loadOrtModule, type OrtModule } from "../src/inference/runtime/wasm-module.ts";
import { WasmSession } from "../src/inference/runtime/wasm-session.ts";

class DiskOrigin implements FileOrigin {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  read(path: string): Promise<FileBytes | null> {
    const file = `${this.#root}/${path}`;
    return Promise.resolve(
      existsSync(file) ? { bytes: new Uint8Array(readFileSync(file)), contentType: null } : null,
    );
  }

  size(path: string): Promise<number | null> {
    const file = `${this.#root}/${path}`;
    return Promise.resolve(existsSync(file) ? statSync(file).size : null);
  }
}

/** A model folder on disk, by its path from the repository's root. */
export function diskFolder(path: string): ModelFolder {
  return new ModelFolder(path.split("/").at(-1) ?? path, new DiskOrigin(path));
}

/** Opens every session in one module with one thread. */
export class NodeRuntime {
  #module: OrtModule | null = null;

  async open(_device: unknown, request: SessionRequest): Promise<GraphSession> {
    const require = createRequire(import.meta.url);
    const url = (file: string): string => pathToFileURL(require.resolve(`onnxruntime-web/${file}`)).href;
    this.#module ??= await loadOrtModule(
      { moduleUrl: url("ort-wasm-simd-threaded.mjs"), wasmUrl: url("ort-wasm-simd-threaded.wasm") },
      1,
    );
    return WasmSession.create(this.#module, request);
  }
}

/** What a worker in an old browser would find: no GPU, no isolation. */
export const PLAIN_SURROUNDINGS = { gpu: null, crossOriginIsolated: false, hardwareConcurrency: 1 };
