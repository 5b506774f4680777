import type { Dataset } from "../datasets/index.ts";
import type { ModelSource } from "../inference/index.ts";
import type { DecodingSpec, DeviceIdentity, DeviceKind, WordingSource } from "../storage/index.ts";
import type { ExecutionProgress } from "./execution-progress.ts";

/** What a person chooses before pressing Run. */
export interface RunRequest {
  readonly model: ModelSource;
  readonly encoder: ModelSource;
  readonly dtype: string | null;
  readonly device: DeviceKind | "auto";
  /** The id of a built-in set, a dataset that its schema has read, or one that is stored in this browser. */
  readonly dataset: string | Dataset | { readonly stored: string };
  readonly examples: number;
  readonly variantsPerExample: number | null;
  readonly wordings: WordingSource;
  readonly decoding: DecodingSpec;
  readonly seed: number;
}

/** What happens while a run is prepared and executed, in the order in which it happens. */
export type RunEvent =
  | {
      readonly kind: "loading";
      readonly what: string;
      readonly loadedBytes: number;
      readonly totalBytes: number;
    }
  | { readonly kind: "preparing"; readonly what: string }
  | { readonly kind: "model"; readonly device: DeviceIdentity; readonly systemPrompt: string | null }
  | { readonly kind: "run"; readonly runId: string }
  | { readonly kind: "progress"; readonly progress: ExecutionProgress }
  | { readonly kind: "examples-done"; readonly exampleIds: readonly string[] };

/** Null edits an example: three, so that the floor is a mean and not one accident. */
export const NULL_EDITS_PER_EXAMPLE = 3;
/** Share of prompts run twice, to see whether the device is deterministic. */
export const RERUN_SHARE = 0.05;
/** Unrelated pairs scored for the confidence axis's ceiling. */
export const UNRELATED_PAIRS = 200;
