/** Where text goes in a chart so that it neither leaves it nor covers other text. */

/** Width of a text in the page's face at 12 px, a little generous, in pixels. */
export function textWidth(text: string, size = 12): number {
  let width = 0;
  for (const sign of text)
    width += /[ilj.,:;'’|! ]/.test(sign)
      ? 0.32
      : /[mwMW@]/.test(sign)
        ? 0.88
        : /[A-Z]/.test(sign)
          ? 0.68
          : 0.56;
  return width * size;
}

/** Shortens a text to a width, with an ellipsis; never in the middle of a surrogate pair. */
export function fit(text: string, width: number, size = 12): string {
  if (textWidth(text, size) <= width) return text;
  const signs = [...text];
  while (signs.length > 1 && textWidth(`${signs.join("")}…`, size) > width) signs.pop();
  return `${signs.join("").trimEnd()}…`;
}

/** Moves a centred text inwards until it lies within 0 and `width`. */
export function clampMiddle(x: number, text: string, width: number, size = 12): number {
  const half = textWidth(text, size) / 2;
  return Math.max(half, Math.min(width - half, x));
}

/** Every how many texts one can be written so that neighbours keep `least` pixels between their lines. */
export function everyNth(spacing: number, least: number): number {
  return spacing <= 0 ? 1 : Math.max(1, Math.ceil(least / spacing));
}

/** Do two centred texts on one line touch? */
export function collide(a: { x: number; text: string }, b: { x: number; text: string }, gap = 8): boolean {
  return Math.abs(a.x - b.x) < (textWidth(a.text) + textWidth(b.text)) / 2 + gap;
}
