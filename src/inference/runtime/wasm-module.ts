/**
 * ONNX Runtime's WebAssembly module, loaded from the page itself.
 *
 * The module's C interface is used directly, not through the JavaScript `InferenceSession`: that copies
 * every output out of the WASM heap and every input back into it, which for a key/value cache means hundreds
 * of megabytes a decoding step. Here the cache stays on the heap (see `wasm-session.ts`).
 */
import { EngineError, messageOf } from "../engine-error.ts";
import type { ComputedBytes } from "./tensor.ts";

/** The part of the Emscripten module that is used. Pointers are byte offsets into the heap. */
export interface OrtModule {
  HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  stackSave(): number;
  stackRestore(stack: number): void;
  stackAlloc(bytes: number): number;
  getValue(pointer: number, type: "i8" | "i32" | "*"): number;
  setValue(pointer: number, value: number, type: "i32" | "*"): void;
  UTF8ToString(pointer: number): string;
  stringToUTF8(text: string, pointer: number, maxBytes: number): void;
  lengthBytesUTF8(text: string): number;
  /** The module asks `data` for its `byteLength`, and for one `subarray` for each tensor that it loads. */
  mountExternalData(path: string, data: ComputedBytes): void;
  unmountExternalData(): void;
  _OrtInit(threads: number, logLevel: number): number;
  _OrtGetLastError(codePointer: number, messagePointer: number): number;
  _OrtCreateSessionOptions(
    optimizationLevel: number,
    cpuMemoryArena: boolean,
    memoryPattern: boolean,
    executionMode: number,
    profiling: boolean,
    profilePrefix: number,
    logId: number,
    logSeverity: number,
    logVerbosity: number,
    optimizedModelPath: number,
  ): number;
  _OrtAddSessionConfigEntry(options: number, key: number, value: number): number;
  _OrtReleaseSessionOptions(options: number): number;
  _OrtCreateSession(model: number, bytes: number, options: number): number | Promise<number>;
  _OrtReleaseSession(session: number): number;
  _OrtGetInputOutputCount(session: number, inputs: number, outputs: number): number;
  _OrtGetInputOutputMetadata(session: number, index: number, name: number, metadata: number): number;
  _OrtFree(pointer: number): number;
  _OrtCreateTensor(
    type: number,
    data: number,
    bytes: number,
    dims: number,
    rank: number,
    location: number,
  ): number;
  _OrtGetTensorData(tensor: number, type: number, data: number, dims: number, rank: number): number;
  _OrtReleaseTensor(tensor: number): number;
  _OrtCreateRunOptions(severity: number, verbosity: number, terminate: boolean, tag: number): number;
  _OrtReleaseRunOptions(options: number): number;
  _OrtRun(
    session: number,
    inputNames: number,
    inputs: number,
    inputCount: number,
    outputNames: number,
    outputCount: number,
    outputs: number,
    options: number,
  ): number | Promise<number>;
  _OrtEndProfiling(session: number): number;
}

type OrtModuleFactory = (config: {
  readonly numThreads: number;
  readonly locateFile: (name: string) => string;
}) => Promise<OrtModule>;

export interface OrtModuleLocation {
  /** URL of `ort-wasm-simd-threaded.mjs`. */
  readonly moduleUrl: string;
  /** URL of `ort-wasm-simd-threaded.wasm`. */
  readonly wasmUrl: string;
}

/** ONNX Runtime's log level "error": warnings about optimiser choices are not the reader's business. */
export const LOG_LEVEL_ERROR = 3;

/**
 * Loads and initialises the module.
 * @param threads - 1 where the page is not cross-origin isolated
 * @throws {EngineError} `session-failed` if the files cannot be loaded or the runtime does not start
 */
export async function loadOrtModule(location: OrtModuleLocation, threads: number): Promise<OrtModule> {
  try {
    const imported: { default: OrtModuleFactory } = await import(/* @vite-ignore */ location.moduleUrl);
    const module = await imported.default({ numThreads: threads, locateFile: () => location.wasmUrl });
    if (module._OrtInit(threads, LOG_LEVEL_ERROR) !== 0)
      throw lastError(module, "ONNX Runtime did not start");
    return module;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError(
      "session-failed",
      `The WebAssembly runtime could not be loaded: ${messageOf(error)}. Reload the page; if it persists, the files of the page are incomplete.`,
      { moduleUrl: location.moduleUrl, wasmUrl: location.wasmUrl },
      error,
    );
  }
}

/** The runtime's own description of the last failure. */
export function lastError(module: OrtModule, doing: string): EngineError {
  const stack = module.stackSave();
  try {
    const pointer = module.stackAlloc(8);
    module._OrtGetLastError(pointer, pointer + 4);
    const code = module.getValue(pointer, "i32");
    const messagePointer = module.getValue(pointer + 4, "*");
    const message = messagePointer ? module.UTF8ToString(messagePointer) : "no message";
    const outOfMemory = /bad_alloc|out of memory|Failed to allocate/i.test(message);
    return new EngineError(outOfMemory ? "out-of-memory" : "runtime-failed", `${doing}: ${message}`, {
      runtimeCode: code,
    });
  } finally {
    module.stackRestore(stack);
  }
}

/** The heap's bytes as of now: the view is replaced whenever the memory grows, also by another thread. */
export function heapBytes(module: OrtModule): Uint8Array {
  module.getValue(0, "i8");
  return module.HEAPU8;
}
