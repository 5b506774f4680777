/** What several analysed runs say together: plain JSON for the page. */
import type { AxisId, RunSpec } from "../../storage/index.ts";
import type { Analysis, Estimate } from "../analysis-result.ts";
import type { AxisIndependence } from "../further-result.ts";

export interface AnalysedRun {
  readonly runId: string;
  readonly createdAt: string;
  readonly spec: RunSpec;
  readonly analysis: Analysis;
}

/** The answer to one of the three questions: a sentence with its numbers, and what is behind it. */
export interface Finding {
  readonly id: "noise" | "independence" | "reversals";
  readonly question: string;
  readonly sentence: string;
  /** Of how many cases how many are what was asked for; null where there is not enough data. */
  readonly count: { readonly part: number; readonly whole: number } | null;
  readonly details: readonly string[];
}

/** What is compared: a model in one setting. */
export interface Contender {
  readonly key: string;
  /** Model, and whatever of the setting tells the contenders apart. */
  readonly name: string;
}

export interface ComparedDataset {
  readonly key: string;
  readonly name: string;
  /** Questions that all contenders have. */
  readonly examples: number;
}

export interface ComparedCell extends Estimate {
  readonly contender: string;
  readonly dataset: string;
  readonly runId: string;
}

/** One run beside the others, as it was analysed. */
export interface ComparedRun {
  readonly runId: string;
  readonly createdAt: string;
  /** Name of its contender. */
  readonly contender: string;
  readonly dataset: string;
  /** Questions that were analysed. */
  readonly examples: number;
  readonly axes: Readonly<
    Record<
      AxisId,
      Estimate & {
        readonly floor: number | null;
        /** The axis with C pooled over the contender's datasets; null for one dataset, and for mirroring. */
        readonly pooledCeiling: number | null;
        /** Holm over the axes of all runs that are compared, not of this run alone. */
        readonly adjustedP: number | null;
        readonly above: boolean | null;
      }
    >
  >;
  readonly composite: Analysis["composite"];
  readonly accuracy: Analysis["beside"]["accuracyOriginal"];
  readonly accuracyWorst: number | null;
  readonly accuracyBest: number | null;
  readonly independence: AxisIndependence | null;
}

export interface OrderChange {
  readonly contenders: readonly [string, string];
  readonly datasets: readonly [string, string];
  /** First minus second, on each dataset. */
  readonly differences: readonly [number, number];
  readonly status: "confirmed" | "unresolved";
}

export interface Comparison {
  readonly findings: readonly [Finding, Finding, Finding];
  /** What tells the contenders apart: "model", or a setting such as "decoding"; null where nothing is compared. */
  readonly factor: string | null;
  readonly runs: readonly ComparedRun[];
  readonly contenders: readonly Contender[];
  /** Sentences on what limits the comparison. */
  readonly notes: readonly string[];
  /** Datasets that all contenders have been run on. */
  readonly datasets: readonly ComparedDataset[];
  /** The composite of each contender on each dataset, over the questions that all contenders have. */
  readonly cells: readonly ComparedCell[];
  readonly orderChanges: readonly OrderChange[];
  /** Share of redraws that keep the observed order, contenders from the most stable; null where there is none. */
  readonly order: { readonly contenders: readonly string[]; readonly share: number } | null;
  /** For each pair, the share of random weightings of the axes that keep their order over all datasets. */
  readonly weights: readonly {
    readonly contenders: readonly [string, string];
    readonly share: number | null;
  }[];
}
