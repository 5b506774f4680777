/** The line under the title of the profile: what is shown, how much of it is there, how to read it. */
import { asSentence } from "../format.ts";
import { AXES, type Analysis, type RunRecord } from "../controller.ts";

export function profileNote(analysis: Analysis, run: RunRecord, busy: boolean): string {
  const { examplesAnalysed: done, examplesPlanned: planned } = analysis;
  const count =
    done < planned
      ? `${done} of ${planned} questions so far${busy ? ": the numbers still move" : ""}`
      : `${planned} questions`;
  const what = `${run.stored === true ? "Stored run of " : ""}${run.spec.model.id} on ${run.spec.dataset.name}, ${count}${analysis.exploratory ? ", exploratory" : ""}.`;
  return `${what} Mark: mean. ${barText(analysis)} Grey: how far edits without meaning get, such as a space at the end, or chance.`;
}

/** Why intervals are missing is said once, not once for each axis. */
function barText({ axes }: Analysis): string {
  const measured = AXES.map((axis) => axes[axis]).filter(({ estimate }) => estimate !== null);
  const reasons = new Set(
    measured
      .filter(({ low, high }) => low === null || high === null)
      .map(({ reason }) => reason ?? "no reason given"),
  );
  if (reasons.size === 0) return "Bar: 95 % interval.";
  const none = measured.every(({ low, high }) => low === null || high === null);
  return `${none ? "No intervals" : "Bar: 95 % interval, where there is one"}: ${[...reasons].map(asSentence).join(" ")}`;
}
