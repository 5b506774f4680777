/** Which number formats which device computes, and which pair is the sensible one. */

export interface DeviceAbilities {
  /** A graphics processor answers, and it is not software on the CPU. */
  readonly webgpu: boolean;
  /** It computes with 16-bit floats (the feature `shader-f16`). */
  readonly shaderF16: boolean;
}

export type ChosenDevice = "auto" | "wasm" | "webgpu";

const HALF = /^(fp16|q4f16|q2f16|q1f16)$/;
/** Best first. */
const SENSIBLE = {
  wasm: ["q8", "int8", "uint8", "q4", "fp32"],
  webgpuWithHalf: ["q4f16", "q4", "fp16", "fp32", "q8"],
  webgpu: ["q4", "fp32", "q8"],
} as const;

/**
 * A 4-bit file up to this size is taken on WASM before all others: its weights fit the heap as 32-bit floats, which are
 * at most eight times as large, and are computed as such. Beyond it they go through the slow kernel for 4 bits.
 */
const MOST_FOLDED_FILE_BYTES = 400e6;

/** As the encoder's loader tries them; it takes no other choice. */
const ENCODER = ["q8", "int8", "uint8", "fp32", "q4", "fp16"];

/** Why the device cannot compute the format, with what to choose instead; null where it can. */
export function refusalOf(
  dtype: string,
  device: "wasm" | "webgpu",
  abilities: DeviceAbilities,
): string | null {
  if (device === "wasm") {
    return HALF.test(dtype)
      ? `WASM has no 16-bit floats, so ${dtype} would not run there. Choose q4, q8 or fp32, or WebGPU.`
      : null;
  }
  if (HALF.test(dtype) && abilities.webgpu && !abilities.shaderF16) {
    return `This machine’s WebGPU has no 16-bit floats, which ${dtype} needs. Choose q4 or fp32.`;
  }
  return null;
}

/** The device that "automatic" means here. */
export function effectiveDevice(device: ChosenDevice, abilities: DeviceAbilities): "wasm" | "webgpu" {
  return device === "auto" ? (abilities.webgpu ? "webgpu" : "wasm") : device;
}

/**
 * The format to preselect for the automatic device: the model's own choice where it runs, else the fastest.
 *
 * @param formats - at least one; the first where none is known to run
 */
export function sensibleFormat(
  formats: readonly { readonly dtype: string; readonly bytes: number | null }[],
  own: string | null,
  abilities: DeviceAbilities,
): string {
  const dtypes = formats.map(({ dtype }) => dtype);
  const device = effectiveDevice("auto", abilities);
  const folds = formats.some(
    ({ dtype, bytes }) => dtype === "q4" && bytes !== null && bytes <= MOST_FOLDED_FILE_BYTES,
  );
  const onGpu = abilities.shaderF16 ? SENSIBLE.webgpuWithHalf : SENSIBLE.webgpu;
  const onWasm = folds ? ["q4", ...SENSIBLE.wasm] : SENSIBLE.wasm;
  const order = device === "wasm" ? onWasm : onGpu;
  const runs = (dtype: string) => dtypes.includes(dtype) && refusalOf(dtype, device, abilities) === null;
  const best = [...(own === null ? [] : [own]), ...order].find(runs) ?? dtypes.find(runs) ?? dtypes[0];
  if (best === undefined) throw new RangeError("A model without a format has no sensible one.");
  return best;
}

/** The format that a sentence encoder is loaded in; always on WASM. */
export function encoderFormat(dtypes: readonly string[], own: string | null): string {
  const order = [...(own === null ? [] : [own]), ...ENCODER];
  const first = order.find((dtype) => dtypes.includes(dtype)) ?? dtypes[0];
  if (first === undefined) throw new RangeError("An encoder without a format cannot be loaded.");
  return first;
}
