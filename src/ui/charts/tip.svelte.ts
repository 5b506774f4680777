/** The page's one tooltip. It opens on hover and on keyboard focus, and closes on leaving, scrolling and Escape. */
export interface TipContent {
  readonly title: string;
  readonly lines: readonly string[];
}

interface Tip extends TipContent {
  readonly anchor: DOMRect;
}

let tip = $state.raw<Tip | null>(null);

export const currentTip = (): Tip | null => tip;

export function showTip(element: Element, content: TipContent): void {
  tip = { ...content, anchor: element.getBoundingClientRect() };
}

export function hideTip(): void {
  tip = null;
}

/** Above its anchor where there is room, else below; never out of the window. */
export function tipPlace(
  anchor: { readonly left: number; readonly top: number; readonly bottom: number; readonly width: number },
  box: { readonly width: number; readonly height: number },
  view: { readonly width: number },
): { left: number; top: number } {
  const left = Math.min(view.width - box.width - 8, Math.max(8, anchor.left + anchor.width / 2 - box.width / 2));
  const above = anchor.top - box.height - 8;
  return { left, top: above < 8 ? anchor.bottom + 8 : above };
}
