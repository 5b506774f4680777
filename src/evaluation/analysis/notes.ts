import type { AxisId, MeaningGateRecord } from "../../storage/index.ts";
import { AXES } from "../../storage/index.ts";
import type { Analysis, AxisResult } from "../analysis-result.ts";
import type { MeasuredAxes } from "./joint-bootstrap.ts";
import type { RunIndex } from "./run-index.ts";

/** Fewer unrelated pairs than this make an uncertain ceiling. */
const ADVISED_PAIRS = 200;
/** From this share of cut-off answers on, distances are partly about where answers were cut. */
const NOTABLE_TRUNCATION = 0.1;

const NAMES: Readonly<Record<AxisId, string>> = {
  generation: "generation",
  activation: "activations",
  confidence: "confidence",
  mirroring: "mirroring",
};

/** Sentences for the reader: what is missing or weak, and why. */
export function notesOf(
  index: RunIndex,
  measured: MeasuredAxes,
  axes: Readonly<Record<AxisId, AxisResult>>,
  beside: Analysis["beside"],
  gate: MeaningGateRecord | undefined,
): string[] {
  const { examples, planned } = index;
  const notes: string[] = [];
  if (examples.length < planned)
    notes.push(`${examples.length} of ${planned} examples are complete; the others are left out.`);
  if (gate?.notApplied) notes.push(`The wordings’ meaning was not checked. ${gate.notApplied}`);
  const turnedAway = new Set(gate?.rejected.map(({ exampleId }) => exampleId));
  const alone = examples.filter((it) => it.variants.length === 0 && turnedAway.has(it.id)).length;
  if (alone > 0) {
    notes.push(
      `${alone} of ${examples.length} questions are left with their original only: to the sentence encoder no other wording of them means the same.`,
    );
  }
  for (const axis of AXES) {
    const { estimate, reason } = axes[axis];
    if (estimate === null && examples.length > 0)
      notes.push(`The ${NAMES[axis]} axis is missing: ${reason ?? "it could not be measured"}.`);
  }
  for (const axis of ["generation", "activation", "confidence"] as const) {
    const pairs = axes[axis].raw.C.pairs;
    if (axes[axis].estimate !== null && pairs < ADVISED_PAIRS) {
      notes.push(
        `The ceiling of the ${NAMES[axis]} axis rests on ${pairs} comparisons; ${ADVISED_PAIRS} are advised.`,
      );
    }
    const missing = measured[axis].distances.reasons.filter((reason) => reason !== null).length;
    if (axes[axis].estimate !== null && missing > 0) {
      notes.push(`${missing} of ${examples.length} examples have no value on the ${NAMES[axis]} axis.`);
    }
  }
  const { layers, distances } = measured.activation;
  if (axes.activation.estimate !== null && layers.length < distances.layers) {
    notes.push(
      `${distances.layers - layers.length} of ${distances.layers} layers are left out: unrelated prompts hardly differ there.`,
    );
  }
  const edits = examples.flatMap(({ nullEdits }) => nullEdits);
  const same = edits.filter(({ records }) => records === null).length;
  if (same > 0) {
    notes.push(
      `${same} of ${edits.length} null edits give the model the very same tokens as the original; they count as distance 0.`,
    );
  }
  if (beside.answers > 0 && beside.truncated / beside.answers >= NOTABLE_TRUNCATION) {
    notes.push(
      `${beside.truncated} of ${beside.answers} answers were cut off, which also makes answers differ.`,
    );
  }
  if (beside.constant)
    notes.push("The model gives the same answer to every question, so its stability means nothing.");
  if (index.repeats > 1) {
    notes.push(
      "Accuracy, flags and the share of changed answers look at the first of the sampled answers only.",
    );
  }
  return notes;
}
