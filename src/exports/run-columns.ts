/** The columns by which rows of several runs are told apart, in every table. */
import type { RunRecord } from "../storage/index.ts";
import { column, type ColumnOf } from "./table.ts";

export interface OfRun {
  readonly run: RunRecord;
}

export function runColumns<Source extends OfRun>(): ColumnOf<Source>[] {
  return [
    column({ name: "run_id", type: "text", meaning: "The run" }, ({ run }) => run.id),
    column(
      { name: "model_id", type: "text", meaning: "The model's name, or the hub's id of it" },
      ({ run }) => run.spec.model.id,
    ),
    column(
      { name: "model_dtype", type: "text", meaning: "The format of its weights" },
      ({ run }) => run.spec.model.dtype,
    ),
    column(
      { name: "device", type: "text", range: "wasm, webgpu", meaning: "What it ran on" },
      ({ run }) => run.spec.device.kind,
    ),
    column(
      { name: "dataset_id", type: "text", meaning: "The set of questions" },
      ({ run }) => run.spec.dataset.id,
    ),
    column(
      { name: "dataset_name", type: "text", meaning: "The set's name" },
      ({ run }) => run.spec.dataset.name,
    ),
  ];
}

/** A question's accepted answers as the text of a JSON array. */
export function goldText(gold: readonly string[] | null | undefined): string | null {
  return gold === null || gold === undefined ? null : JSON.stringify(gold);
}

export const NO_GOLD = "the set has no right answer for this question";
