/**
 * The page on paper. A browser lays it out for the sheet without telling scripts, which know only the window's width;
 * so what they measured is replaced by the width that the style sheet gives to paper, before the picture is taken.
 */
import { flushSync } from "svelte";

/** Width of the text on paper, CSS pixels; `base.css` has it too. A4 and Letter both hold it with usual margins. */
const PAPER_PIXELS = 680;

let active = $state(false);

/** Reactive where it is read in a component. */
export const isPrinting = (): boolean => active;

/** The measured width, or what paper leaves of it. */
export const paperWidth = (measured: number, onPaper = PAPER_PIXELS): number =>
  active ? Math.min(measured, onPaper) : measured;

/** Prepares the page for each printing, light whatever the theme, and puts it back after. Returns how to stop that. */
export function followPrinting(): () => void {
  let theme: string | undefined;
  const before = () => {
    const root = document.documentElement;
    if (!active) theme = root.dataset.theme;
    root.dataset.theme = "light";
    flushSync(() => {
      active = true;
    });
  };
  const after = () => {
    if (theme === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    active = false;
  };
  window.addEventListener("beforeprint", before);
  window.addEventListener("afterprint", after);
  return () => {
    window.removeEventListener("beforeprint", before);
    window.removeEventListener("afterprint", after);
  };
}
