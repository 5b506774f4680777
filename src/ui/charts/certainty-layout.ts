/** Which lines of the certainty chart get a name, and where. */
import { collide, textWidth } from "./labels.ts";

export interface CertaintyCurve {
  readonly id: string;
  readonly label: string;
  readonly probability: readonly number[];
}

export interface DirectLabel {
  readonly id: string;
  readonly text: string;
  readonly at: number;
  /** Centre of the text, pixels. */
  readonly x: number;
  readonly y: number;
}

/** Token at which the wordings are furthest below the original on average; null where they never are. */
export function widestGap(original: CertaintyCurve, others: readonly CertaintyCurve[]): number | null {
  if (others.length === 0) return null;
  let best: number | null = null;
  let gap = 0;
  original.probability.forEach((p, at) => {
    const mean = others.reduce((sum, other) => sum + (other.probability[at] ?? p), 0) / others.length;
    if (p - mean > gap) [best, gap] = [at, p - mean];
  });
  return best;
}

/**
 * Names the original above its line where the lines part, and the wording that falls deepest below it there.
 * Texts stay inside the chart and do not touch.
 */
export function directLabels(
  original: CertaintyCurve,
  others: readonly CertaintyCurve[],
  x: (at: number) => number,
  y: (probability: number) => number,
  width: number,
): DirectLabel[] {
  const at = widestGap(original, others) ?? 0;
  const inside = (text: string, centre: number) => {
    const half = textWidth(text) / 2;
    return Math.max(44 + half, Math.min(width - 14 - half, centre));
  };
  const labels: DirectLabel[] = [];
  const own = original.probability[at];
  if (own !== undefined)
    labels.push({
      id: original.id,
      text: original.label,
      at,
      x: inside(original.label, x(at)),
      y: y(own) - 10,
    });
  const lowest = [...others].sort((a, b) => (a.probability[at] ?? 1) - (b.probability[at] ?? 1))[0];
  const low = lowest?.probability[at];
  if (lowest !== undefined && low !== undefined) {
    const label = { id: lowest.id, text: lowest.label, at, x: inside(lowest.label, x(at)), y: y(low) + 16 };
    const first = labels[0];
    const touches = first !== undefined && Math.abs(first.y - label.y) < 16 && collide(first, label);
    if (!touches) labels.push(label);
  }
  return labels;
}

/** A token as it can be read on an axis: white space has a sign; a token without text ends the answer. */
export function tokenText(token: string): string {
  if (token === "") return "end";
  const text = token.replaceAll("\n", "↵").trim();
  return text === "" ? "␣" : text;
}
