/** The marks of the axes and the scale they share. */
import { scaleLinear, type ScaleLinear } from "d3-scale";
import { symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle } from "d3-shape";
import type { MarkShape } from "../axes.ts";

const shapes = {
  circle: { type: symbolCircle, weight: 1 },
  square: { type: symbolSquare, weight: 0.94 },
  diamond: { type: symbolDiamond, weight: 0.86 },
  triangle: { type: symbolTriangle, weight: 0.82 },
} as const;

/** Path of a mark around the origin, of the same visual weight as a disc of that radius whatever its shape. */
export function markPath(shape: MarkShape, radius: number): string {
  const { type, weight } = shapes[shape];
  return symbol(type, Math.PI * radius * radius * weight)() ?? "";
}

export const QUARTERS = [0, 0.25, 0.5, 0.75, 1] as const;

/** "0", "0.25", "0.50", "0.75", "1". */
export const tickText = (tick: number): string => (tick === 0 || tick === 1 ? String(tick) : tick.toFixed(2));

/** The scale from "no change" to "as different as unrelated inputs". What lies outside is drawn at its end. */
export function unitScale(from: number, to: number): ScaleLinear<number, number> {
  return scaleLinear([0, 1], [from, to]).clamp(true);
}
