/** What the analysis of a run says: plain JSON. Undefined numbers are null and carry a reason. */
import type { AxisId, PromptRole } from "../storage/index.ts";
import type { FurtherAnalysis } from "./further-result.ts";

/** A number with its interval. `reason` is set exactly when `estimate` is null or the interval is missing. */
export interface Estimate {
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly reason: string | null;
}

export interface RawMean {
  readonly mean: number | null;
  /** How many pairs it is the mean of. */
  readonly pairs: number;
}

/** One axis over a dataset, on the calibrated scale: 0 no change, 1 as different as unrelated inputs. */
export interface AxisResult extends Estimate {
  readonly axis: AxisId;
  /** The null edits on the same scale (mirroring: what chance gives); shown and tested against, never subtracted. */
  readonly floor: Estimate;
  /** Raw distances. For mirroring: B is matched style similarity, C mismatched; W, N null. */
  readonly raw: { readonly B: RawMean; readonly W: RawMean; readonly C: RawMean; readonly N: RawMean };
  readonly aboveFloor: {
    readonly test: string;
    readonly pValue: number | null;
    /** Mean over examples of the tested difference, raw distance units. */
    readonly difference: number | null;
    readonly examples: number;
    readonly reason: string | null;
    /** adjustedP ≤ 0.05: after Holm over the axes that could be tested; null where there is no test. */
    readonly above: boolean | null;
    readonly adjustedP: number | null;
  };
  /** Generation axis of sampled runs only: different wordings against repeats of one wording; unadjusted. */
  readonly aboveSampling?: AxisResult["aboveFloor"];
  /** Mirroring only: the signed mean of M, matched minus mismatched similarity of style. */
  readonly signed?: Estimate;
  /**
   * Share of examples with any change at all between original and variants (Wilson interval). Mirroring:
   * examples whose own pairing test has p ≤ 0.05, of which chance alone gives one in twenty.
   */
  readonly changed: {
    readonly count: number;
    readonly total: number;
    readonly low: number | null;
    readonly high: number | null;
  };
  /** Activation axis only: the same scale per layer, 1…L. */
  readonly layers:
    | readonly { readonly layer: number; readonly estimate: number | null; readonly floor: number | null }[]
    | null;
}

export interface Flag {
  readonly kind:
    "answer-changes" | "truncated" | "empty" | "looping" | "constant" | "rejected" | "close-steps";
  /** Two or three words. */
  readonly text: string;
  /** One sentence. */
  readonly why: string;
  readonly promptIds: readonly string[];
}

export interface ExampleAxis {
  /** Unclipped; null with a reason. Mirroring: the composite value of METRICS §5, `signed` holds M_i. */
  readonly instability: number | null;
  readonly reason: string | null;
  readonly B: number | null;
  readonly W: number | null;
  readonly C: number | null;
  readonly N: number | null;
  readonly signed: number | null;
}

export interface ExamplePrompt {
  readonly promptId: string;
  readonly role: PromptRole;
  readonly family: string;
  readonly label: string;
  readonly text: string;
  readonly response: string;
  readonly tokens: number;
  readonly finish: "eos" | "length" | "context";
  /** Tokens thought before the answer; absent where the model does not think. */
  readonly thinking?: { readonly tokens: number; readonly closed: boolean };
  readonly correct: boolean | null;
  /** Geometric mean of the token probabilities, (0, 1]; null for an empty response. */
  readonly meanProbability: number | null;
  /** Raw distance to the original on each axis; mirroring has none. */
  readonly distance: {
    readonly generation: number | null;
    readonly activation: number | null;
    readonly confidence: number | null;
  };
  /** The null edit's token ids equal the original's. */
  readonly sameTokens: boolean;
  readonly flags: readonly Flag["kind"][];
}

export interface ExampleResult {
  readonly exampleId: string;
  readonly prompt: string;
  readonly gold: readonly string[] | null;
  readonly axes: Readonly<Record<AxisId, ExampleAxis>>;
  /** Equal-weight mean over available axes; `complete` when all four are there. */
  readonly composite: number | null;
  readonly complete: boolean;
  readonly flags: readonly Flag[];
  readonly prompts: readonly ExamplePrompt[];
}

/** Another version is computed again, not read. */
export const ANALYSIS_SCHEMA = "sago-analysis/4";

export interface Analysis {
  readonly schema: typeof ANALYSIS_SCHEMA;
  readonly runId: string;
  readonly productVersion: string;
  readonly examplesPlanned: number;
  readonly examplesAnalysed: number;
  /** Fewer than 64 examples: label it exploratory. */
  readonly exploratory: boolean;
  readonly bootstrapReplications: number;
  readonly axes: Readonly<Record<AxisId, AxisResult>>;
  readonly composite: Estimate & { readonly complete: boolean; readonly axes: readonly AxisId[] };
  readonly examples: readonly ExampleResult[];
  readonly beside: {
    /** Gold found under the original wording; null where the set has no gold answers. */
    readonly accuracyOriginal: {
      readonly correct: number;
      readonly total: number;
      readonly low: number;
      readonly high: number;
    } | null;
    /** Accuracy of the best and the worst single wording (over variant ids shared by position). */
    readonly accuracyWorst: number | null;
    readonly accuracyBest: number | null;
    readonly answers: number;
    readonly truncated: number;
    readonly empty: number;
    readonly looping: number;
    /** The same response for all originals of the set. */
    readonly constant: boolean;
    /** Variants that a meaning gate turned away; 0 where the run had none. */
    readonly rejectedVariants: number;
  };
  readonly determinism: {
    readonly reruns: number;
    readonly identical: number;
    readonly maxDistance: number | null;
  };
  /** Sentences for the reader: what is missing and why. */
  readonly notes: readonly string[];
  /** Everything beyond the headline; null while it is still being computed, and for a run that goes on. */
  readonly further: FurtherAnalysis | null;
}

/** What the example page needs beyond `ExampleResult`; computed on demand. */
export interface ExampleDetail {
  readonly exampleId: string;
  /** Layers 1…L × wordings: raw centred cosine distance to the original, and divided by that layer's C. */
  readonly layerHeat: readonly {
    readonly promptId: string;
    readonly label: string;
    readonly raw: readonly (number | null)[];
    readonly calibrated: readonly (number | null)[];
  }[];
  readonly certainty: {
    /** Text of each token of the original response y₀. */
    readonly tokens: readonly string[];
    /** Probability of each token of y₀ under each wording. */
    readonly curves: readonly {
      readonly promptId: string;
      readonly label: string;
      readonly probability: readonly number[];
    }[];
    /** Mean over variants of the per-position distance to the original (square root of the divergence, bits); [] without any. */
    readonly positionDistance: readonly number[];
    /** Smallest probability mass that the shared partition covers over positions and wordings. */
    readonly coveredMass: number | null;
  } | null;
  readonly mirroring: {
    readonly features: readonly {
      readonly id: string;
      readonly label: string;
      readonly unit: string;
      readonly prompts: readonly number[];
      readonly responses: readonly number[];
      /** Leakage slope β over wordings; null where the prompts do not differ. */
      readonly slope: number | null;
      readonly slopeLow: number | null;
      readonly slopeHigh: number | null;
    }[];
    readonly promptIds: readonly string[];
    readonly matched: number | null;
    readonly mismatched: number | null;
    readonly expectedByChance: number | null;
    readonly pValue: number | null;
  };
  readonly responseTokens: readonly {
    readonly promptId: string;
    readonly tokens: readonly { readonly text: string; readonly probability: number }[];
  }[];
}
