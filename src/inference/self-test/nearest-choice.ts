/** What to choose instead of a model that failed its test. */
import type { DeviceKind } from "../contract.ts";
import { graphCandidates } from "../files/graph-file.ts";
import type { ModelConfig } from "../files/model-config.ts";
import type { ModelFolder } from "../files/model-folder.ts";

/** Without 16-bit floats, which WASM lacks and which overflow where 32-bit ones do not. */
const OTHER_FORMATS = ["fp32", "q4", "q8", "int8", "uint8"] as const;

/**
 * One sentence: the same format on WASM, the reference of all devices, if it failed on the GPU and WASM computes the
 * format; else another format of this folder, the most exact first; else that there is none.
 */
export async function nearestChoice(
  folder: ModelFolder,
  config: ModelConfig,
  device: DeviceKind,
  dtype: string,
): Promise<string> {
  if (device === "webgpu" && !/f(p)?16$/.test(dtype)) return `Choose WASM for ${dtype}.`;
  const formats = [...new Set([...(config.dtype === null ? [] : [config.dtype]), ...OTHER_FORMATS])];
  for (const other of formats) {
    if (other === dtype || /f(p)?16$/.test(other)) continue;
    for (const { path } of graphCandidates(config, device, other)) {
      if (await folder.has(path)) return `Choose the format ${other}.`;
    }
  }
  return "This model has no other format to choose: its files or its export are at fault. Load it again, or choose another model.";
}
