/** Workers and their typed clients. Only this room knows Comlink. */
export { isAbortError } from "../inference/index.ts";
export { EncoderClient, openEncoder } from "./encoder-client.ts";
export { EngineClient, openEngine } from "./engine-client.ts";
export { plainError, rebuiltError, type PlainError } from "./error-transfer.ts";
export { WorkerConnection, type CallOptions, type WorkerLike } from "./worker-connection.ts";
export { AnalysisClient } from "./analysis-client.ts";
export { ExportClient } from "./export-client.ts";
export { ModelFilesClient } from "./model-files-client.ts";
export { RunClient } from "./run-client.ts";
export { DataClient } from "./data-client.ts";
export type { ImportOutcome, MeaningCheck, NamedBlob, OpenedImport, ProblemList } from "./data-service.ts";
export { gatherRequests, reportRequests, type RequestReport } from "./request-reports.ts";
