/** How contenders are told apart. Colour stays the axis: the first is filled and solid, the others hollow or dashed. */
export interface ContenderLook {
  readonly filled: boolean;
  /** For `stroke-dasharray`. */
  readonly dash: string;
}

const LOOKS: readonly ContenderLook[] = [
  { filled: true, dash: "none" },
  { filled: false, dash: "5 4" },
  { filled: true, dash: "1.5 3.5" },
  { filled: false, dash: "9 3 2 3" },
];

/** @param at - place of the contender among all that are compared; a fifth looks as the first, and is named beside */
export function contenderLook(at: number): ContenderLook {
  const look = LOOKS[Math.max(0, at) % LOOKS.length];
  if (look === undefined) throw new RangeError("There is no look for this contender.");
  return look;
}
