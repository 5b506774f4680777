/** Cuts a long sequence into passes, so that neither its logits nor their reductions outgrow the memory. */

export interface Segment {
  readonly start: number;
  readonly end: number;
  /** How many of its last positions have their distribution wanted. */
  readonly rows: number;
}

/** Bytes that one pass may spend on logits and on the reductions, which hold about five arrays of their size. */
const LOGIT_BYTES = 600 * 2 ** 20;
const ARRAYS_WHILE_REDUCING = 6;
/** Bounds the attention scores [heads, size, time] of one pass. */
const LONGEST_PASS = 1024;

/**
 * @param from - tokens whose cache exists already
 * @param length - tokens of the whole sequence, more than `from`
 * @param wantedFrom - first position whose distribution is wanted; `length` for none
 */
export function planSegments(
  from: number,
  length: number,
  wantedFrom: number,
  model: { readonly vocabularySize: number; readonly keepsLogits: boolean },
): Segment[] {
  const rowBytes = model.vocabularySize * 4;
  const withRows = clamp(LOGIT_BYTES / (ARRAYS_WHILE_REDUCING * rowBytes));
  const without = model.keepsLogits ? LONGEST_PASS : clamp(LOGIT_BYTES / rowBytes);
  const segments: Segment[] = [];
  for (let start = from; start < length;) {
    const end = Math.min(length, start + without);
    const rows = Math.max(0, end - Math.max(start, wantedFrom));
    if (rows <= withRows) segments.push({ start, end, rows });
    else {
      const cut = Math.max(start, wantedFrom) + withRows;
      segments.push({ start, end: cut, rows: withRows });
    }
    start = segments.at(-1)?.end ?? length;
  }
  return segments;
}

function clamp(size: number): number {
  return Math.max(1, Math.min(LONGEST_PASS, Math.floor(size)));
}
