import type { Analysis } from "../analysis-result.ts";
import { fixedResponseDistance } from "../../metrics/index.ts";
import { partitionOf } from "./confidence-axis.ts";
import type { RunIndex } from "./run-index.ts";

/** Prompts that were run a second time: did the device give the same tokens, and the same certainty? */
export function determinismOf({ examples }: RunIndex): Analysis["determinism"] {
  let reruns = 0;
  let identical = 0;
  let maxDistance: number | null = null;
  const prompts = examples.flatMap(({ wordings, nullEdits }) => [
    ...wordings,
    ...nullEdits.flatMap(({ records }) => records ?? []),
  ]);
  for (const { generations, reruns: again, score, scoreReruns } of prompts) {
    const { tokenIds } = generations[0];
    for (const other of again) {
      reruns += 1;
      const same =
        other.tokenIds.length === tokenIds.length && other.tokenIds.every((id, at) => id === tokenIds[at]);
      if (same) identical += 1;
    }
    if (score === null) continue;
    for (const other of scoreReruns) {
      const distance = fixedResponseDistance(partitionOf(score), partitionOf(other))?.distance ?? null;
      if (distance !== null) maxDistance = Math.max(maxDistance ?? 0, distance);
    }
  }
  return { reruns, identical, maxDistance };
}
