/** Evaluation: the plan of a run, its execution, and what it amounts to. */
export type * from "./analysis-result.ts";
export type * from "./further-result.ts";
export { AnalysisService, REPLICATIONS } from "./analysis-service.ts";
export { contentKey } from "./content-key.ts";
export { COST, type ExecutionProgress } from "./execution-progress.ts";
export {
  GATE_RULE,
  gatePrompts,
  gateThreshold,
  rejectionReason,
  similarityOf,
  type GateResult,
  type GateThreshold,
} from "./meaning-gate.ts";
export type { WorkerHandle } from "./model-loader.ts";
export {
  NULL_EDITS_PER_EXAMPLE,
  RERUN_SHARE,
  UNRELATED_PAIRS,
  type RunEvent,
  type RunRequest,
} from "./run-request.ts";
export { RunService } from "./run-service.ts";
export type { TryRequest, TryRow, TryWording } from "./try-prompt.ts";
export { compareRuns } from "./compare/index.ts";
export type * from "./compare/index.ts";
export { analysisOfThisVersion } from "./stored-analysis.ts";
