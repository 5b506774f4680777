/** Language models in a worker: loading, templates, batched decoding, scoring, sentence embeddings. */
export type * from "./contract.ts";
export type * from "./types.ts";
export {
  abortError,
  EngineError,
  ENGINE_ERROR_CODES,
  isAbortError,
  messageOf,
  type EngineErrorCode,
} from "./engine-error.ts";
export { LocalEngine } from "./engine.ts";
export { LocalEncoder } from "./encoder.ts";
export type { ListedFile, ModelDescription, ModelFormat, ModelRole } from "./files/describe-model.ts";
export {
  hubSource,
  LocalModelFiles,
  type FolderModel,
  type HubModel,
  type KeptState,
  type ModelFiles,
} from "./files/local-model-files.ts";
export type { DownloadProgress } from "./files/model-folder.ts";
