import { env } from "onnxruntime-common";

/** Name and version of the runtime, as recorded with every run. */
export const RUNTIME_VERSION = `onnxruntime-web ${env.versions.web ?? env.versions.common}`;
