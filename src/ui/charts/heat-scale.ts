/** Colour steps of the heat map. */
import { max } from "d3-array";
import { scaleQuantize } from "d3-scale";

const STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;

/** A round number at or above the largest value: 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, then whole numbers; 1 if there is none. */
export function heatTop(values: readonly (number | null)[]): number {
  const top = max(values, (value) => value ?? undefined);
  if (top === undefined || top <= 0) return 1;
  const rounds = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2];
  return rounds.find((round) => top <= round) ?? Math.ceil(top);
}

/** A token colour for a value between 0 and `top`; what lies outside has the colour of its end. */
export function heatColour(value: number, top: number): string {
  const step = scaleQuantize<number>([0, top], STEPS)(value);
  return `var(--seq-${step})`;
}

export const heatSteps = STEPS;

/** Layers that get a number under the map: the first, then every fifth (tenth, …) that has room. */
export function layerTicks(layers: number, cellWidth: number): number[] {
  const step = cellWidth * 5 >= 22 ? 5 : 10;
  const ticks = [1];
  for (let layer = step; layer <= layers; layer += step) ticks.push(layer);
  return ticks;
}
