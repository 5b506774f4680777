/**
 * A graph on the CPU (WebAssembly). Outputs that are asked for as resident stay on the WASM heap as the
 * runtime's own tensors and can be fed back without a copy.
 */
import { EngineError, messageOf } from "../engine-error.ts";
import {
  bytesPerElement,
  elementCount,
  tensorFromBytes,
  type ElementType,
  type GraphSession,
  type HostTensor,
  type PackedRow,
  type ResidentTensor,
  type RunOutputs,
  type SessionRequest,
  type TensorSpec,
} from "./tensor.ts";
import { heapBytes, lastError, LOG_LEVEL_ERROR, type OrtModule } from "./wasm-module.ts";

/** ONNX TensorProto.DataType numbers of the types that decoders use. */
const TYPE_NUMBERS: Readonly<Record<ElementType, number>> = {
  float32: 1,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
};
const OPTIMIZATION_LEVELS = { disabled: 0, basic: 1, extended: 2, all: 99 } as const;
const LOCATION_CPU = 1;
const SEQUENTIAL = 0;
const POINTER_BYTES = 4;

/** A tensor on the heap: the runtime's handle, and the buffer if it is ours and not the runtime's. */
class HeapTensor implements ResidentTensor {
  readonly type: ElementType;
  readonly dims: readonly number[];
  readonly handle: number;
  readonly data: number;
  readonly #module: OrtModule;
  readonly #ownsBuffer: boolean;
  #disposed = false;

  constructor(
    module: OrtModule,
    type: ElementType,
    dims: readonly number[],
    handle: number,
    data: number,
    ownsBuffer: boolean,
  ) {
    this.#module = module;
    this.type = type;
    this.dims = dims;
    this.handle = handle;
    this.data = data;
    this.#ownsBuffer = ownsBuffer;
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#module._OrtReleaseTensor(this.handle);
    if (this.#ownsBuffer) this.#module._free(this.data);
  }
}

interface NamedSpec extends TensorSpec {
  /** Pointer to the zero-terminated name, owned by this session. */
  readonly namePointer: number;
}

export class WasmSession implements GraphSession {
  readonly inputs: readonly NamedSpec[];
  readonly outputs: readonly NamedSpec[];
  readonly #module: OrtModule;
  readonly #inputsByName: ReadonlyMap<string, NamedSpec>;
  readonly #outputsByName: ReadonlyMap<string, NamedSpec>;
  #handle: number;

  private constructor(
    module: OrtModule,
    handle: number,
    inputs: readonly NamedSpec[],
    outputs: readonly NamedSpec[],
  ) {
    this.#module = module;
    this.#handle = handle;
    this.inputs = inputs;
    this.outputs = outputs;
    this.#inputsByName = new Map(inputs.map((spec) => [spec.name, spec]));
    this.#outputsByName = new Map(outputs.map((spec) => [spec.name, spec]));
  }

  /**
   * Creates a session.
   * @throws {EngineError} `session-failed` or `out-of-memory` with the runtime's message
   */
  static async create(module: OrtModule, request: SessionRequest): Promise<WasmSession> {
    const strings: number[] = [];
    let options = 0;
    let model = 0;
    try {
      const logId = writeString(module, "sago", strings);
      options = module._OrtCreateSessionOptions(
        OPTIMIZATION_LEVELS[request.graphOptimizationLevel],
        false,
        false,
        SEQUENTIAL,
        false,
        0,
        logId,
        LOG_LEVEL_ERROR,
        0,
        0,
      );
      if (options === 0) throw lastError(module, "The session options were refused");
      for (const [key, value] of Object.entries(request.configEntries)) {
        const failed = module._OrtAddSessionConfigEntry(
          options,
          writeString(module, key, strings),
          writeString(module, value, strings),
        );
        if (failed !== 0) throw lastError(module, `The session option ${key} was refused`);
      }
      model = allocate(module, request.graph.byteLength);
      heapBytes(module).set(request.graph, model);
      for (const { path, data } of [...request.externalData, ...(request.computedData ?? [])]) {
        module.mountExternalData(path, data);
      }
      const handle = await module._OrtCreateSession(model, request.graph.byteLength, options);
      if (handle === 0) throw lastError(module, "The model's graph could not be loaded");
      return new WasmSession(module, handle, ...readSpecs(module, handle));
    } catch (error) {
      if (error instanceof EngineError && error.code === "out-of-memory") throw error;
      throw new EngineError("session-failed", messageOf(error), {}, error);
    } finally {
      module.unmountExternalData();
      if (model !== 0) module._free(model);
      if (options !== 0) module._OrtReleaseSessionOptions(options);
      for (const pointer of strings) module._free(pointer);
    }
  }

  async run(
    feeds: ReadonlyMap<string, HostTensor | ResidentTensor>,
    wanted: { readonly host: readonly string[]; readonly resident: readonly string[] },
  ): Promise<RunOutputs> {
    const module = this.#module;
    const temporary: HeapTensor[] = [];
    const inputs: { name: number; handle: number }[] = [];
    const wantedNames = [...wanted.host, ...wanted.resident];
    const stack = module.stackSave();
    let runOptions = 0;
    try {
      for (const [name, tensor] of feeds) {
        const spec = this.#inputsByName.get(name);
        if (!spec) throw new EngineError("runtime-failed", `The graph has no input called ${name}.`);
        if (tensor instanceof HeapTensor) {
          if (tensor.disposed) throw new EngineError("runtime-failed", `Input ${name} was already freed.`);
          inputs.push({ name: spec.namePointer, handle: tensor.handle });
        } else {
          const uploaded = upload(module, hostTensor(name, tensor));
          temporary.push(uploaded);
          inputs.push({ name: spec.namePointer, handle: uploaded.handle });
        }
      }
      const inputNames = module.stackAlloc(inputs.length * POINTER_BYTES);
      const inputValues = module.stackAlloc(inputs.length * POINTER_BYTES);
      inputs.forEach(({ name, handle }, i) => {
        module.setValue(inputNames + i * POINTER_BYTES, name, "*");
        module.setValue(inputValues + i * POINTER_BYTES, handle, "*");
      });
      const outputNames = module.stackAlloc(wantedNames.length * POINTER_BYTES);
      const outputValues = module.stackAlloc(wantedNames.length * POINTER_BYTES);
      wantedNames.forEach((name, i) => {
        const spec = this.#outputsByName.get(name);
        if (!spec) throw new EngineError("runtime-failed", `The graph has no output called ${name}.`);
        module.setValue(outputNames + i * POINTER_BYTES, spec.namePointer, "*");
        module.setValue(outputValues + i * POINTER_BYTES, 0, "*");
      });
      runOptions = module._OrtCreateRunOptions(LOG_LEVEL_ERROR, 0, false, 0);
      const failed = await module._OrtRun(
        this.#handle,
        inputNames,
        inputValues,
        inputs.length,
        outputNames,
        wantedNames.length,
        outputValues,
        runOptions,
      );
      if (failed !== 0) throw lastError(module, "The model could not be run");
      return this.#collect(wanted, outputValues);
    } finally {
      module.stackRestore(stack);
      if (runOptions !== 0) module._OrtReleaseRunOptions(runOptions);
      for (const tensor of temporary) tensor.dispose();
    }
  }

  #collect(
    wanted: { readonly host: readonly string[]; readonly resident: readonly string[] },
    outputValues: number,
  ): RunOutputs {
    const host = new Map<string, HostTensor>();
    const resident = new Map<string, ResidentTensor>();
    const tensors = [...wanted.host, ...wanted.resident].map((_, i) =>
      describe(this.#module, this.#module.getValue(outputValues + i * POINTER_BYTES, "*")),
    );
    tensors.forEach((tensor, i) => {
      const name = wanted.host[i];
      if (name === undefined) {
        resident.set(wanted.resident[i - wanted.host.length] ?? "", tensor);
        return;
      }
      host.set(name, download(this.#module, tensor));
      tensor.dispose();
    });
    return { host, resident };
  }

  packRows(rows: readonly PackedRow[], time: number): ResidentTensor {
    const module = this.#module;
    const [, heads = 0, , ...widths] = rows[0]?.tensor.dims ?? [];
    const width = elementCount(widths);
    const type = rows[0]?.tensor.type ?? "float32";
    const columnBytes = width * bytesPerElement(type);
    const dims = [rows.length, heads, time, ...widths];
    const bytes = rows.length * heads * time * columnBytes;
    const target = allocate(module, bytes);
    const heap = heapBytes(module);
    rows.forEach(({ tensor, row, start, length, offset }, to) => {
      if (!(tensor instanceof HeapTensor))
        throw new EngineError("runtime-failed", "A tensor of another device.");
      const sourceTime = tensor.dims[2] ?? 0;
      for (let head = 0; head < heads; head += 1) {
        const from = tensor.data + ((row * heads + head) * sourceTime + start) * columnBytes;
        const base = target + (to * heads + head) * time * columnBytes;
        heap.fill(0, base, base + offset * columnBytes);
        heap.copyWithin(base + offset * columnBytes, from, from + length * columnBytes);
        heap.fill(0, base + (offset + length) * columnBytes, base + time * columnBytes);
      }
    });
    return new HeapTensor(module, type, dims, createTensor(module, type, dims, target, bytes), target, true);
  }

  heldBytes(): number {
    return heapBytes(this.#module).byteLength;
  }

  async dispose(): Promise<void> {
    if (this.#handle === 0) return;
    const handle = this.#handle;
    this.#handle = 0;
    for (const { namePointer } of [...this.inputs, ...this.outputs]) this.#module._OrtFree(namePointer);
    if (this.#module._OrtReleaseSession(handle) !== 0) {
      throw lastError(this.#module, "The session could not be released");
    }
    return Promise.resolve();
  }
}

function hostTensor(name: string, tensor: HostTensor | ResidentTensor): HostTensor {
  if ("data" in tensor && ArrayBuffer.isView(tensor.data)) return tensor;
  throw new EngineError("runtime-failed", `Input ${name} lives on another device.`);
}

function allocate(module: OrtModule, bytes: number): number {
  const pointer = module._malloc(Math.max(1, bytes));
  if (pointer === 0) {
    throw new EngineError("out-of-memory", `The WebAssembly memory has no room for ${bytes} more bytes.`, {
      bytes,
    });
  }
  return pointer;
}

function writeString(module: OrtModule, text: string, owned: number[]): number {
  const bytes = module.lengthBytesUTF8(text) + 1;
  const pointer = allocate(module, bytes);
  owned.push(pointer);
  module.stringToUTF8(text, pointer, bytes);
  return pointer;
}

function createTensor(
  module: OrtModule,
  type: ElementType,
  dims: readonly number[],
  data: number,
  bytes: number,
): number {
  const stack = module.stackSave();
  try {
    const pointer = module.stackAlloc(Math.max(1, dims.length) * POINTER_BYTES);
    dims.forEach((dim, i) => module.setValue(pointer + i * POINTER_BYTES, dim, "i32"));
    const handle = module._OrtCreateTensor(
      TYPE_NUMBERS[type],
      data,
      bytes,
      pointer,
      dims.length,
      LOCATION_CPU,
    );
    if (handle === 0) throw lastError(module, `A tensor of shape [${dims.join(", ")}] could not be made`);
    return handle;
  } catch (error) {
    module._free(data);
    throw error;
  } finally {
    module.stackRestore(stack);
  }
}

function upload(module: OrtModule, tensor: HostTensor): HeapTensor {
  const { data, type, dims } = tensor;
  if (data.length !== elementCount(dims)) {
    throw new EngineError(
      "runtime-failed",
      `A tensor of shape [${dims.join(", ")}] got ${data.length} values.`,
    );
  }
  const pointer = allocate(module, data.byteLength);
  heapBytes(module).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), pointer);
  return new HeapTensor(
    module,
    type,
    dims,
    createTensor(module, type, dims, pointer, data.byteLength),
    pointer,
    true,
  );
}

/** Type, shape and address of a tensor that the runtime made; owned by the returned object. */
function describe(module: OrtModule, handle: number): HeapTensor {
  const stack = module.stackSave();
  try {
    const pointer = module.stackAlloc(4 * POINTER_BYTES);
    const failed = module._OrtGetTensorData(handle, pointer, pointer + 4, pointer + 8, pointer + 12);
    if (failed !== 0) throw lastError(module, "An output could not be read");
    const typeNumber = module.getValue(pointer, "i32");
    const data = module.getValue(pointer + 4, "*");
    const dimsPointer = module.getValue(pointer + 8, "*");
    const rank = module.getValue(pointer + 12, "i32");
    const dims = Array.from({ length: rank }, (_, i) =>
      module.getValue(dimsPointer + i * POINTER_BYTES, "i32"),
    );
    module._OrtFree(dimsPointer);
    return new HeapTensor(module, typeFromNumber(typeNumber), dims, handle, data, false);
  } finally {
    module.stackRestore(stack);
  }
}

function download(module: OrtModule, tensor: HeapTensor): HostTensor {
  const bytes = elementCount(tensor.dims) * bytesPerElement(tensor.type);
  const copy = new Uint8Array(bytes);
  copy.set(heapBytes(module).subarray(tensor.data, tensor.data + bytes));
  return tensorFromBytes(tensor.type, tensor.dims, copy.buffer);
}

function typeFromNumber(number: number): ElementType {
  const types: readonly ElementType[] = ["float32", "float16", "int64", "int32", "bool"];
  const type = types.find((candidate) => TYPE_NUMBERS[candidate] === number);
  if (!type) throw new EngineError("graph-unsupported", `The graph uses tensors of ONNX type ${number}.`);
  return type;
}

function readSpecs(module: OrtModule, session: number): [inputs: NamedSpec[], outputs: NamedSpec[]] {
  const stack = module.stackSave();
  try {
    const counts = module.stackAlloc(2 * POINTER_BYTES);
    if (module._OrtGetInputOutputCount(session, counts, counts + 4) !== 0) {
      throw lastError(module, "The graph's inputs could not be counted");
    }
    const inputCount = module.getValue(counts, "i32");
    const outputCount = module.getValue(counts + 4, "i32");
    const specs = Array.from({ length: inputCount + outputCount }, (_, i) => readSpec(module, session, i));
    return [specs.slice(0, inputCount), specs.slice(inputCount)];
  } finally {
    module.stackRestore(stack);
  }
}

/** Layout of the metadata block: int32 type, uint32 rank, rank × symbolic name pointer, rank × fixed size. */
function readSpec(module: OrtModule, session: number, index: number): NamedSpec {
  const stack = module.stackSave();
  let metadata = 0;
  try {
    const pointers = module.stackAlloc(2 * POINTER_BYTES);
    if (module._OrtGetInputOutputMetadata(session, index, pointers, pointers + 4) !== 0) {
      throw lastError(module, "The graph's inputs could not be read");
    }
    const namePointer = module.getValue(pointers, "*");
    metadata = module.getValue(pointers + 4, "*");
    const type = typeFromNumber(module.getValue(metadata, "i32"));
    const rank = module.getValue(metadata + 4, "i32");
    const dims = Array.from({ length: rank }, (_, i) => {
      const symbol = module.getValue(metadata + 8 + i * POINTER_BYTES, "*");
      if (symbol !== 0) return module.UTF8ToString(symbol);
      return module.getValue(metadata + 8 + (i + rank) * POINTER_BYTES, "i32");
    });
    return { name: module.UTF8ToString(namePointer), type, dims, namePointer };
  } finally {
    module.stackRestore(stack);
    if (metadata !== 0) module._OrtFree(metadata);
  }
}
