/** Where a tooltip stands: above its anchor where there is room, else below; never out of the window. */
export function tipPlace(
  anchor: { readonly left: number; readonly top: number; readonly bottom: number; readonly width: number },
  box: { readonly width: number; readonly height: number },
  view: { readonly width: number },
): { left: number; top: number } {
  const left = Math.max(
    8,
    Math.min(view.width - box.width - 8, anchor.left + anchor.width / 2 - box.width / 2),
  );
  const above = anchor.top - box.height - 8;
  return { left, top: above < 8 ? anchor.bottom + 8 : above };
}
