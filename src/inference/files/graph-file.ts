/** Which `.onnx` file of a model folder is loaded on which device, and with which options. */
import { EngineError } from "../engine-error.ts";
import type { DeviceKind } from "../contract.ts";
import type { SessionRequest } from "../runtime/tensor.ts";
import type { ExternalDataFormat, ModelConfig } from "./model-config.ts";

/** File name suffixes of transformers.js, by dtype. */
const SUFFIXES: Readonly<Record<string, string>> = {
  fp32: "",
  fp16: "_fp16",
  int8: "_int8",
  uint8: "_uint8",
  q8: "_quantized",
  q4: "_q4",
  q4f16: "_q4f16",
  bnb4: "_bnb4",
  q2: "_q2",
  q2f16: "_q2f16",
  q1: "_q1",
  q1f16: "_q1f16",
};

export const KNOWN_DTYPES: readonly string[] = Object.keys(SUFFIXES);

/** Tried in this order where the model names no dtype. On WASM 4-bit matrices are slow, so 8 bit goes first. */
const PREFERRED_DTYPES: Readonly<Record<DeviceKind, readonly string[]>> = {
  wasm: ["q8", "int8", "uint8", "fp32", "q4", "fp16"],
  webgpu: ["q4f16", "q4", "fp16", "fp32", "q8"],
};

export interface GraphFile {
  readonly dtype: string;
  readonly path: string;
  readonly graphOptimizationLevel: SessionRequest["graphOptimizationLevel"];
  readonly configEntries: Readonly<Record<string, string>>;
}

/** Candidates for the graph, best first. The first that exists is used. */
export function graphCandidates(config: ModelConfig, device: DeviceKind, dtype: string | null): GraphFile[] {
  const configured = config.graphs[device];
  if (configured && (dtype === null || dtype === config.dtype)) {
    const { graphOptimizationLevel = "all", extra } = configured.sessionOptions ?? {};
    const configEntries: Record<string, string> = {};
    for (const [key, value] of Object.entries(extra?.session ?? {})) {
      configEntries[`session.${key}`] = typeof value === "boolean" ? (value ? "1" : "0") : String(value);
    }
    return [
      { dtype: config.dtype ?? "custom", path: configured.file, graphOptimizationLevel, configEntries },
    ];
  }
  if (dtype !== null && SUFFIXES[dtype] === undefined) {
    throw new EngineError(
      "graph-unsupported",
      `The number format ${dtype} is not one of ${Object.keys(SUFFIXES).join(", ")}.`,
      { dtype },
    );
  }
  const preferred = PREFERRED_DTYPES[device];
  const dtypes =
    dtype !== null ? [dtype] : [...new Set([...(config.dtype ? [config.dtype] : []), ...preferred])];
  return dtypes.flatMap((name) => {
    const file = `model${SUFFIXES[name] ?? ""}.onnx`;
    // The hub's layout first, then the flat one.
    return [`onnx/${file}`, file].map((path) => ({
      dtype: name,
      path,
      graphOptimizationLevel: "all" as const,
      configEntries: {},
    }));
  });
}

/**
 * The files that hold a graph's weights, in the folder and as the graph names them.
 * @param locations - the distinct `location` entries of the graph's external initialisers
 */
export function externalFiles(
  graphPath: string,
  locations: readonly string[],
  format: ExternalDataFormat,
): { readonly path: string; readonly location: string }[] {
  const folder = graphPath.includes("/") ? graphPath.slice(0, graphPath.lastIndexOf("/") + 1) : "";
  const named = locations.length > 0 ? locations : declaredFiles(graphPath.slice(folder.length), format);
  return named.map((location) => ({ path: folder + location.replace(/^\.\//, ""), location }));
}

/** transformers.js: `true` or 1 means `FILE_data`; n means `FILE_data` to `FILE_data_{n-1}`. */
function declaredFiles(file: string, format: ExternalDataFormat): string[] {
  const stem = file.replace(/\.onnx$/, "");
  const entry = typeof format === "object" ? (format[file] ?? format[stem] ?? false) : format;
  return Array.from({ length: Number(entry) }, (_, i) => `${file}_data${i === 0 ? "" : `_${i}`}`);
}
