/** What several analysed runs say together: plain JSON for the page. */
import type { RunSpec } from "../../storage/index.ts";
import type { Analysis, Estimate } from "../analysis-result.ts";

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
  readonly contenders: readonly Contender[];
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
