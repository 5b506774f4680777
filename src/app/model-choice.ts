/** A model of the list, as the interface shows it. */
import type { FolderModel, HubModel, KeptState, ModelDescription } from "../inference/index.ts";
import type { FormatChoice, Kept, ModelChoice } from "../ui/controller.ts";
import type { CatalogueModel } from "./catalogue.ts";
import {
  effectiveDevice,
  encoderFormat,
  refusalOf,
  sensibleFormat,
  type DeviceAbilities,
} from "./precision.ts";

/** What the reader chose for one model; absent: what is sensible. */
export interface ModelChoices {
  readonly dtype?: string;
  readonly device?: ModelChoice["device"];
}

export function bundledChoice(model: CatalogueModel, { device = "auto" }: ModelChoices): ModelChoice {
  const { id, role, dtype, licence, sizeBytes } = model;
  return {
    id,
    name: id,
    source: "bundled",
    role,
    revision: null,
    askedRevision: null,
    page: null,
    licence,
    gated: false,
    formats: [{ dtype, bytes: sizeBytes, refusal: null }],
    dtype,
    device,
    sizeBytes,
    note: `${dtype}, comes with this page`,
    kept: { kind: "page" },
  };
}

export function hubChoice(
  id: string,
  model: HubModel,
  kept: Readonly<Record<string, KeptState>>,
  chosen: ModelChoices,
  abilities: DeviceAbilities,
): ModelChoice {
  const format = formatOf(model.description, chosen, abilities);
  const state = keptOf(kept[format.dtype]);
  return {
    id,
    name: model.id,
    source: "hub",
    ...format,
    revision: model.revision,
    askedRevision: model.askedRevision,
    page: new URL(`/${model.id}/tree/${model.revision}`, model.host).href,
    licence: model.licence,
    gated: model.gated,
    note: `${format.dtype}, ${state.kind === "checked" ? "in this browser" : `from ${new URL(model.host).host}`}`,
    kept: state,
  };
}

export function folderChoice(
  id: string,
  model: FolderModel,
  chosen: ModelChoices,
  abilities: DeviceAbilities,
): ModelChoice {
  const format = formatOf(model.description, chosen, abilities);
  return {
    id,
    name: model.id,
    source: "folder",
    ...format,
    revision: null,
    askedRevision: null,
    page: null,
    licence: model.licence,
    gated: false,
    note: `${format.dtype}, from a folder`,
    kept: { kind: "folder" },
  };
}

function formatOf(
  { role, formats, ownDtype }: ModelDescription,
  { dtype: wanted, device = "auto" }: ModelChoices,
  abilities: DeviceAbilities,
): Pick<ModelChoice, "role" | "formats" | "dtype" | "device" | "sizeBytes"> {
  const dtypes = formats.map(({ dtype }) => dtype);
  // A sentence encoder always runs on WASM.
  const chosenDevice = role === "encoder" ? "wasm" : device;
  const sensible =
    role === "encoder" ? encoderFormat(dtypes, ownDtype) : sensibleFormat(formats, ownDtype, abilities);
  const dtype = role === "language" && wanted !== undefined && dtypes.includes(wanted) ? wanted : sensible;
  return {
    role,
    formats: formats
      .filter((one) => role === "language" || one.dtype === dtype)
      .map((one): FormatChoice => ({
        dtype: one.dtype,
        bytes: one.bytes,
        refusal: refusalOf(one.dtype, effectiveDevice(chosenDevice, abilities), abilities),
      })),
    dtype,
    device: chosenDevice,
    sizeBytes: formats.find((one) => one.dtype === dtype)?.bytes ?? null,
  };
}

function keptOf(state: KeptState | undefined): Kept {
  if (state === undefined || state.bytes === 0) return { kind: "none" };
  return state.checked ? { kind: "checked", bytes: state.bytes } : { kind: "partly", bytes: state.bytes };
}
