/** The tour that is going on, if one is. Its steps are taken once, when it begins. */
import { go } from "../location.svelte.ts";
import type { TourStep } from "./steps.ts";

let steps = $state.raw<readonly TourStep[]>([]);
let place = $state(0);

/** Reactive where they are read in a component. */
export const tourStep = (): TourStep | null => steps[place] ?? null;
export const tourPlace = (): { readonly at: number; readonly of: number } => ({
  at: place + 1,
  of: steps.length,
});

export function beginTour(taken: readonly TourStep[]): void {
  steps = taken;
  show(0);
}

/** Ends it behind the last step. */
export function moveTour(by: 1 | -1): void {
  if (place + by >= steps.length) endTour();
  else show(Math.max(0, place + by));
}

export function endTour(): void {
  steps = [];
  place = 0;
}

function show(at: number): void {
  place = at;
  const step = steps[at];
  if (step) go(step.route);
}
