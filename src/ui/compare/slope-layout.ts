/** Where the lines of the slope chart cross, and where their labels stand. */
import type { ComparedCell, OrderChange } from "../controller.ts";

export interface SlopeLine {
  readonly contender: string;
  readonly name: string;
  /** One for each dataset; null where there is no estimate. */
  readonly values: readonly (Pick<ComparedCell, "estimate" | "low" | "high"> | null)[];
}

/** A crossing of two lines between neighbouring datasets. */
export interface Crossing {
  /** Place between datasets, 0 the first one; a half lies in the middle of the first two. */
  readonly at: number;
  readonly value: number;
  readonly change: OrderChange;
}

export function slopeLines(
  contenders: readonly { readonly key: string; readonly name: string }[],
  datasets: readonly { readonly key: string }[],
  cells: readonly ComparedCell[],
): SlopeLine[] {
  return contenders.map(({ key, name }) => ({
    contender: key,
    name,
    values: datasets.map(
      (dataset) => cells.find((cell) => cell.contender === key && cell.dataset === dataset.key) ?? null,
    ),
  }));
}

/** Only changes between neighbours have a place in the chart; the others are in its table and in the sentence. */
export function crossings(
  lines: readonly SlopeLine[],
  datasets: readonly { readonly name: string }[],
  changes: readonly OrderChange[],
): Crossing[] {
  return changes.flatMap((change): Crossing[] => {
    const [from, to] = change.datasets.map((name) => datasets.findIndex((it) => it.name === name));
    const [a, b] = change.contenders.map((name) => lines.find((line) => line.name === name));
    if (from === undefined || to !== from + 1) return [];
    const [a0, a1, b0, b1] = [a?.values[from], a?.values[to], b?.values[from], b?.values[to]].map(
      (it) => it?.estimate ?? null,
    );
    if (a0 == null || a1 == null || b0 == null || b1 == null) return [];
    const slope = a0 - b0 - (a1 - b1);
    if (slope === 0) return [];
    const share = (a0 - b0) / slope;
    return [{ at: from + share, value: a0 + share * (a1 - a0), change }];
  });
}

/** Moves label positions apart until neighbours are `gap` away from each other; their order stays. */
export function spread(positions: readonly number[], gap: number): number[] {
  const order = positions.map((_, at) => at).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  const placed = new Array<number>(positions.length).fill(0);
  let last = -Infinity;
  for (const at of order) {
    last = Math.max(positions[at] ?? 0, last + gap);
    placed[at] = last;
  }
  // What was only pushed down is moved back by the mean push, so that labels stay about their marks.
  const push =
    placed.reduce((sum, it, at) => sum + it - (positions[at] ?? 0), 0) / Math.max(1, placed.length);
  return placed.map((it) => it - push);
}

/** "1st", "2nd", "3rd", "4th", … */
export function ordinal(place: number): string {
  const last = place % 100;
  const ending =
    last >= 11 && last <= 13 ? "th" : ((["th", "st", "nd", "rd"] as const)[Math.min(place % 10, 4)] ?? "th");
  return `${place}${ending}`;
}

/** Places of the contenders on one dataset, 1 the most stable; null where there is no estimate. */
export function places(lines: readonly SlopeLine[], dataset: number): (number | null)[] {
  const values = lines.map(({ values: all }) => all[dataset]?.estimate ?? null);
  return values.map((value) =>
    value === null ? null : 1 + values.filter((other) => other !== null && other < value).length,
  );
}
