/** What the analysis says beyond the headline: plain JSON, computed after it. Undefined numbers are null with a reason. */
import type { AxisId } from "../storage/index.ts";
import type { Estimate } from "./analysis-result.ts";

/** One number of the table "More numbers". */
export interface FurtherNumber extends Estimate {
  readonly id: string;
  readonly name: string;
  /** What it is, in one line. */
  readonly meaning: string;
  /** Questions that have it; 0 where there is none. */
  readonly examples: number;
}

export interface NumberGroup {
  readonly id: AxisId | "indices";
  readonly title: string;
  readonly numbers: readonly FurtherNumber[];
}

/** Likeness of the geometry of all questions under the variants and under the original, at one layer. */
export interface LayerGeometry {
  readonly layer: number;
  readonly cka: number | null;
  readonly rsa: number | null;
}

/** One of the paper's scores; lower is more stable. Scores of different rows cannot be compared. */
export interface PaperScore {
  readonly id: string;
  readonly axis: AxisId;
  readonly name: string;
  readonly score: number | null;
  readonly examples: number;
  readonly reason: string | null;
  /** What stands in for the paper's own choice; null where the definition is the paper's. */
  readonly substitution: string | null;
  /** An extension of ours beside the published definition. */
  readonly ours: boolean;
  /** One-sided t tests of the mean against ε. */
  readonly tests: readonly {
    readonly epsilon: number;
    readonly t: number | null;
    readonly pValue: number | null;
    readonly reason: string | null;
  }[];
}

export interface AxisPair {
  readonly axes: readonly [AxisId, AxisId];
  /** Spearman's ρ over questions. */
  readonly correlation: Estimate;
  /** With the length of the original's answer held fixed. */
  readonly givenLength: Estimate;
  /** ρ divided by the root of both reliabilities; may exceed 1. */
  readonly disattenuated: { readonly value: number | null; readonly reason: string | null };
  /** Bias-corrected squared distance correlation. */
  readonly distance: {
    readonly squared: number | null;
    readonly pValue: number | null;
    readonly reason: string | null;
  };
  /** From the 90 % interval and the bounds ±.3: practically independent, associated, or undecided. */
  readonly verdict: "independent" | "associated" | "undecided" | null;
}

export interface AxisIndependence {
  /** Questions that have all of the axes. */
  readonly examples: number;
  readonly axes: readonly AxisId[];
  readonly pairs: readonly AxisPair[];
  readonly reliability: Readonly<
    Partial<Record<AxisId, { readonly value: number | null; readonly reason: string | null }>>
  >;
  /** Effective number of axes, 1 … number of axes. */
  readonly participationRatio: Estimate;
  readonly reason: string | null;
}

/** How far one family of rewordings moves the model on one axis. */
export interface DoseCurve extends Estimate {
  readonly family: string;
  readonly axis: DoseAxis;
  readonly examples: number;
  /** Ordered by strength; empty where the family has no strengths. */
  readonly points: readonly (Estimate & { readonly strength: number; readonly examples: number })[];
  /** Mean over questions of Spearman's correlation of strength and distance. */
  readonly trend: Estimate;
}

export type DoseAxis = Exclude<AxisId, "mirroring">;

export interface DoseResponse {
  readonly curves: readonly DoseCurve[];
  /** On each axis the family that moves the model most, if its lead over the next is more than chance. */
  readonly breaksMost: readonly {
    readonly axis: DoseAxis;
    readonly family: string | null;
    /** The family with the largest mean, whether or not its lead is sure. */
    readonly leader: string | null;
    readonly lead: Estimate;
  }[];
}

export interface FurtherAnalysis {
  readonly numbers: readonly NumberGroup[];
  /** Layers 1…L, or some of them spread evenly; null where there are no activations. */
  readonly geometry: {
    readonly layers: readonly LayerGeometry[];
    readonly examples: number;
    readonly reason: string | null;
  };
  readonly paper: readonly PaperScore[];
  readonly independence: AxisIndependence;
  readonly dose: DoseResponse;
}
