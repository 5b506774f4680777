/** One tab stop for a chart, the arrow keys inside it, and the same tooltip on focus as on hover. */
import { nextIndex } from "./roving.ts";
import { hideTip, showTip } from "./tip.svelte.ts";

export interface MarkOptions {
  /** For those who do not see the chart: name and number. */
  readonly label: string;
  readonly tip: { readonly title: string; readonly lines: readonly string[] };
  /** Hovered or focused. */
  readonly onpick?: (() => void) | undefined;
  readonly onleave?: (() => void) | undefined;
  /** Clicked, or Enter. */
  readonly onopen?: (() => void) | undefined;
}

export class Rover {
  #active = $state(0);
  readonly #count: () => number;
  readonly #columns: () => number;
  readonly #move: ((key: string, index: number) => number | null) | null;

  /** @param move - where an arrow key leads, if not to the neighbour; null from it means: as usual */
  constructor(
    count: () => number,
    columns: () => number = () => 0,
    move: ((key: string, index: number) => number | null) | null = null,
  ) {
    this.#count = count;
    this.#columns = columns;
    this.#move = move;
  }

  /** Attributes and handlers for mark number `index`, to be spread on its element. */
  mark(index: number, options: MarkOptions) {
    const open = (event: Event & { currentTarget: Element }) => {
      showTip(event.currentTarget, options.tip);
      options.onpick?.();
    };
    const close = () => {
      hideTip();
      options.onleave?.();
    };
    return {
      role: options.onopen ? "link" : "img",
      tabindex: index === Math.min(this.#active, this.#count() - 1) ? 0 : -1,
      "aria-label": options.label,
      "data-rove": index,
      onpointerenter: open,
      onpointerleave: close,
      onfocus: (event: FocusEvent & { currentTarget: Element }) => {
        this.#active = index;
        open(event);
      },
      onblur: close,
      onclick: () => options.onopen?.(),
      onkeydown: (event: KeyboardEvent & { currentTarget: Element }) => {
        if (event.key === "Enter") return options.onopen?.();
        const next =
          this.#move?.(event.key, index) ?? nextIndex(event.key, index, this.#count(), this.#columns());
        if (next === null) return;
        event.preventDefault();
        const chart = event.currentTarget.closest("[data-roving]");
        const target = chart?.querySelector(`[data-rove="${next}"]`);
        if (target instanceof SVGElement || target instanceof HTMLElement) target.focus();
      },
    };
  }
}
