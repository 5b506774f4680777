/**
 * One bar for the whole of a run. Loading, preparing and running each have their part of it, so that it never
 * goes back when one phase gives way to the next; the facts beside it say bytes or questions.
 */
import type { Phase, TryState } from "./controller.ts";
import { bytes, bytesOf, duration, num, plural } from "./format.ts";

/** Where each part of the bar ends, in [0, 1]. */
const LOADED = 0.15;
const PREPARED = 0.18;

const share = (done: number, total: number) => (total > 0 ? Math.min(1, Math.max(0, done / total)) : 0);

/** Position of the bar in [0, 1]; null where the phase has no bar. */
export function barPosition(phase: Phase): number | null {
  switch (phase.kind) {
    case "loading":
      return LOADED * share(phase.loadedBytes, phase.totalBytes);
    case "preparing":
      return LOADED;
    case "running":
      return PREPARED + (1 - PREPARED) * share(phase.pieceDone, phase.pieces);
    case "finished":
      return 1;
    case "stopped":
      return PREPARED + (1 - PREPARED) * share(phase.examplesDone, phase.examples);
    case "idle":
    case "stopping":
    case "failed":
      return null;
  }
}

/** Position of the bar of a tried prompt, in [0, 1]; null where there is none. */
export function tryBarPosition(phase: TryState["phase"]): number | null {
  if (phase.kind === "loading") return LOADED * share(phase.loadedBytes, phase.totalBytes);
  if (phase.kind === "preparing") return LOADED;
  if (phase.kind === "running") return PREPARED + (1 - PREPARED) * share(phase.done, phase.total);
  return null;
}

export const isBusy = (phase: Phase): boolean =>
  phase.kind === "loading" ||
  phase.kind === "preparing" ||
  phase.kind === "running" ||
  phase.kind === "stopping";

/** Keeps the furthest position of one run; a phase that has no position keeps the bar where it was. */
export class HighWater {
  #mark = 0;
  #busy = false;

  /** @param busy - a run is going on; the bar begins anew when this turns true */
  follow(position: number | null, busy: boolean): number {
    if (busy && !this.#busy) this.#mark = 0;
    this.#busy = busy;
    if (position !== null) this.#mark = Math.max(this.#mark, position);
    return this.#mark;
  }
}

/** A fact beside the bar: plain, strong, plain. */
export type Fact = readonly [before: string, strong: string, after: string];

/** What stands beside the bar, most important first. */
export function facts(phase: Phase): Fact[] {
  switch (phase.kind) {
    case "loading":
      return loadingFacts(phase);
    case "preparing":
      return [["Preparing ", phase.what, ""]];
    case "running": {
      const list: Fact[] = [
        ["", `${phase.examplesDone} of ${phase.examples}`, ` questions, ${phase.activity}`],
      ];
      if (phase.tokensPerSecond !== null) list.push(["", num(phase.tokensPerSecond, 1), " tokens/s"]);
      if (phase.secondsLeft !== null) list.push(["", duration(phase.secondsLeft), " left"]);
      return list;
    }
    case "stopping":
      return [["Stopping: ", "what is done is being stored", ""]];
    case "finished":
      return [
        ["", plural(phase.answers, "answer"), ""],
        ["", duration(phase.elapsedMs / 1000), " in all"],
      ];
    case "stopped":
      return [
        ["", `${phase.examplesDone} of ${phase.examples}`, " questions"],
        ["stopped; what is done is stored", "", ""],
      ];
    case "idle":
    case "failed":
      return [];
  }
}

export function tryFacts(phase: TryState["phase"]): Fact[] {
  if (phase.kind === "loading") return loadingFacts(phase);
  if (phase.kind === "preparing") return [["Preparing ", phase.what, ""]];
  if (phase.kind === "running") return [["", `${phase.done} of ${phase.total}`, ` steps, ${phase.activity}`]];
  return [];
}

function loadingFacts(phase: Extract<Phase, { kind: "loading" }>): Fact[] {
  const list: Fact[] = [[`Loading ${phase.what}: `, bytesOf(phase.loadedBytes, phase.totalBytes), ""]];
  if (phase.bytesPerSecond !== null) list.push(["", bytes(phase.bytesPerSecond), "/s"]);
  if (phase.secondsLeft !== null) list.push(["", duration(phase.secondsLeft), " left"]);
  return list;
}

/** The same as one line of text, for the bar's label. */
export function factsText(list: readonly Fact[]): string {
  return list.map((fact) => fact.join("")).join(", ");
}
