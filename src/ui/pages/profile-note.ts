/** The line under the title of the profile: what is shown, how much of it is there, how to read it. */
import type { Analysis, RunRecord } from "../controller.ts";

export function profileNote(analysis: Analysis, run: RunRecord, busy: boolean): string {
  const { examplesAnalysed: done, examplesPlanned: planned } = analysis;
  const count = done < planned ? `${done} of ${planned} questions so far${busy ? ": the numbers still move" : ""}` : `${planned} questions`;
  const what = `${run.stored === true ? "Stored run of " : ""}${run.spec.model.id} on ${run.spec.dataset.name}, ${count}${analysis.exploratory ? ", exploratory" : ""}.`;
  return `${what} Mark: mean. Bar: 95 % interval. Grey: how far edits without meaning get, such as a space at the end, or chance.`;
}
