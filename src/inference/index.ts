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
