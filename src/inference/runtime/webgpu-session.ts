/** A graph on the GPU, through ONNX Runtime's WebGPU provider. Resident outputs stay in GPU buffers. */
import moduleUrl from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url";
import wasmUrl from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import * as ort from "onnxruntime-web/webgpu";
import { EngineError, messageOf } from "../engine-error.ts";
import {
  bytesPerElement,
  elementCount,
  type ElementType,
  type GraphSession,
  type HostTensor,
  type PackedRow,
  type ResidentTensor,
  type RunOutputs,
  type SessionRequest,
  type TensorSpec,
} from "./tensor.ts";

/** WebGPU binds whole multiples of 16 bytes for vectors of four. */
const BUFFER_ALIGNMENT = 16;

class GpuTensor implements ResidentTensor {
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly tensor: ort.Tensor;
  #disposed = false;

  constructor(type: ElementType, dims: readonly number[], tensor: ort.Tensor) {
    this.type = type;
    this.dims = dims;
    this.tensor = tensor;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.tensor.dispose();
  }
}

export class WebGpuSession implements GraphSession {
  readonly inputs: readonly TensorSpec[];
  readonly outputs: readonly TensorSpec[];
  readonly #session: ort.InferenceSession;
  readonly #device: GPUDevice;
  #lost: string | null = null;
  #disposed = false;

  private constructor(session: ort.InferenceSession, device: GPUDevice) {
    this.#session = session;
    this.#device = device;
    this.inputs = session.inputMetadata.map(specOf);
    this.outputs = session.outputMetadata.map(specOf);
    void device.lost.then(({ message, reason }) => {
      if (reason !== "destroyed") this.#lost = message || "no reason given";
    });
  }

  /** @throws {EngineError} `session-failed` with the runtime's message */
  static async create(request: SessionRequest): Promise<WebGpuSession> {
    if ((request.computedData ?? []).length > 0) {
      throw new EngineError("session-failed", "Weights computed at loading are for WebAssembly only.");
    }
    ort.env.wasm.wasmPaths = {
      mjs: new URL(moduleUrl, import.meta.url).href,
      wasm: new URL(wasmUrl, import.meta.url).href,
    };
    // Matrices are multiplied on the GPU; the few operators left on the CPU work on shapes.
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = "error";
    try {
      const session = await ort.InferenceSession.create(request.graph, {
        executionProviders: ["webgpu"],
        graphOptimizationLevel: request.graphOptimizationLevel,
        externalData: request.externalData.map(({ path, data }) => ({ path, data })),
        preferredOutputLocation: Object.fromEntries(
          request.residentOutputs.map((name) => [name, "gpu-buffer"]),
        ),
        extra: Object.fromEntries(Object.entries(request.configEntries)),
        logSeverityLevel: 3,
      });
      return new WebGpuSession(session, await ort.env.webgpu.device);
    } catch (error) {
      throw new EngineError(
        "session-failed",
        `The model could not be prepared for the GPU: ${messageOf(error)}`,
        {},
        error,
      );
    }
  }

  async run(
    feeds: ReadonlyMap<string, HostTensor | ResidentTensor>,
    wanted: { readonly host: readonly string[]; readonly resident: readonly string[] },
  ): Promise<RunOutputs> {
    if (this.#lost !== null) {
      throw new EngineError("device-unavailable", `The GPU was lost (${this.#lost}). Load the model again.`);
    }
    const tensors: Record<string, ort.Tensor> = {};
    for (const [name, tensor] of feeds)
      tensors[name] = tensor instanceof GpuTensor ? tensor.tensor : toOrt(name, tensor);
    let results: ort.InferenceSession.ReturnType;
    try {
      results = await this.#session.run(tensors, [...wanted.host, ...wanted.resident]);
    } catch (error) {
      throw new EngineError(
        "runtime-failed",
        `The model could not be run on the GPU: ${messageOf(error)}`,
        {},
        error,
      );
    }
    const host = new Map<string, HostTensor>();
    const resident = new Map<string, ResidentTensor>();
    for (const name of wanted.host) host.set(name, await fromOrt(name, results[name]));
    for (const name of wanted.resident) {
      const tensor = results[name];
      if (!tensor) throw new EngineError("runtime-failed", `The graph has no output called ${name}.`);
      resident.set(name, new GpuTensor(elementType(tensor.type), [...tensor.dims], tensor));
    }
    return { host, resident };
  }

  packRows(rows: readonly PackedRow[], time: number): ResidentTensor {
    const [, heads = 0, , ...widths] = rows[0]?.tensor.dims ?? [];
    const width = elementCount(widths);
    const type = rows[0]?.tensor.type ?? "float32";
    const columnBytes = width * bytesPerElement(type);
    const dims = [rows.length, heads, time, ...widths];
    const bytes = elementCount(dims) * bytesPerElement(type);
    const target = this.#device.createBuffer({
      size: Math.ceil(bytes / BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    const encoder = this.#device.createCommandEncoder();
    rows.forEach(({ tensor, row, start, length, offset }, to) => {
      if (!(tensor instanceof GpuTensor))
        throw new EngineError("runtime-failed", "A tensor of another device.");
      const sourceTime = tensor.dims[2] ?? 0;
      const source = tensor.tensor.gpuBuffer;
      const whole = start === 0 && offset === 0 && length === time && sourceTime === time;
      const copies = whole ? 1 : heads;
      const copyBytes = (whole ? heads : 1) * length * columnBytes;
      for (let head = 0; head < copies; head += 1) {
        const from = ((row * heads + head) * sourceTime + start) * columnBytes;
        const into = ((to * heads + head) * time + offset) * columnBytes;
        encoder.copyBufferToBuffer(source, from, target, into, copyBytes);
      }
    });
    this.#device.queue.submit([encoder.finish()]);
    if (type !== "float32" && type !== "float16")
      throw new EngineError("runtime-failed", `A cache of type ${type}.`);
    const tensor = ort.Tensor.fromGpuBuffer(target, {
      dataType: type,
      dims,
      dispose: () => target.destroy(),
    });
    return new GpuTensor(type, dims, tensor);
  }

  heldBytes(): null {
    return null;
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#session.release();
  }
}

function specOf(metadata: ort.InferenceSession.ValueMetadata): TensorSpec {
  if (!metadata.isTensor) throw new EngineError("graph-unsupported", `${metadata.name} is not a tensor.`);
  return { name: metadata.name, type: elementType(metadata.type), dims: metadata.shape };
}

function elementType(type: string): ElementType {
  if (type === "float32" || type === "float16" || type === "int64" || type === "int32" || type === "bool")
    return type;
  throw new EngineError("graph-unsupported", `The graph uses tensors of type ${type}.`);
}

function toOrt(name: string, tensor: HostTensor | ResidentTensor): ort.Tensor {
  if (!("data" in tensor)) throw new EngineError("runtime-failed", `Input ${name} lives on another device.`);
  return new ort.Tensor(tensor.type, tensor.data, tensor.dims);
}

/** The runtime may hand out float16 as numbers; the bits are what is kept here. */
async function fromOrt(name: string, tensor: ort.Tensor | undefined): Promise<HostTensor> {
  if (!tensor) throw new EngineError("runtime-failed", `The graph has no output called ${name}.`);
  const dims = [...tensor.dims];
  const data = await tensor.getData(true);
  if (tensor.type === "float32" && data instanceof Float32Array) return { type: "float32", dims, data };
  if (tensor.type === "int64" && data instanceof BigInt64Array) return { type: "int64", dims, data };
  if (tensor.type === "int32" && data instanceof Int32Array) return { type: "int32", dims, data };
  if (tensor.type === "bool" && data instanceof Uint8Array) return { type: "bool", dims, data };
  if (tensor.type === "float16" && ArrayBuffer.isView(data)) {
    const bytes = new Uint8Array(data.byteLength);
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return { type: "float16", dims, data: new Uint16Array(bytes.buffer) };
  }
  throw new EngineError("runtime-failed", `Output ${name} came as ${tensor.type}, which is not expected.`);
}
