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
