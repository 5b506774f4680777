/** Where the names stand along a ruler, so that they neither leave it nor touch. */
import { clampMiddle, collide, textWidth } from "./labels.ts";

export interface RulerPoint {
  readonly name: string;
  readonly value: number;
}

export interface RulerLabel {
  readonly text: string;
  readonly x: number;
}

/** The two names above the ruler; where they would touch, the second moves right and, if there is no room, the first left. */
export function labelsAbove(first: RulerLabel, second: RulerLabel | null, width: number): RulerLabel[] {
  const a = { ...first, x: clampMiddle(first.x, first.text, width) };
  if (second === null) return [a];
  const b = { ...second, x: clampMiddle(second.x, second.text, width) };
  if (!collide(a, b)) return [a, b];
  const between = (textWidth(a.text) + textWidth(b.text)) / 2 + 12;
  const right = clampMiddle(a.x + between, b.text, width);
  return [
    { ...a, x: clampMiddle(right - between, a.text, width) },
    { ...b, x: right },
  ];
}

/** End of the scale: 1, or the next half above the largest value, since a centred cosine distance reaches 2. */
export function rulerTop(values: readonly number[]): number {
  return Math.max(1, Math.ceil(Math.max(0, ...values) * 2) / 2);
}
