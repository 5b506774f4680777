/** The page's own charts as markup that needs neither the page nor a script. */
import { flushSync, mount, unmount, type Component } from "svelte";
import { Profile, Strips } from "../charts/index.ts";
import type { Analysis } from "../controller.ts";
import { Markup } from "./markup.ts";
import { REPORT_STYLES } from "./styles.ts";

/** Widths of the windows for which the profile is drawn; `report.css` says how wide each is, and shows one of them. */
const PROFILE_WINDOWS = { wide: 1280, middle: 800, slim: 360 } as const;
const STRIPS_WIDTH = 640;
/** Beyond so many dots drawing takes longer than a page may stand still. */
const MOST_DOTS = 500;

export interface ReportCharts {
  readonly profiles: readonly Markup[];
  /** Null where there are too many questions to draw a dot for each. */
  readonly strips: Markup | null;
}

/** Draws out of the reader's sight, in frames of their own: their width decides on the layout. */
export async function drawCharts(analysis: Analysis): Promise<ReportCharts> {
  const profiles = await Promise.all(
    Object.entries(PROFILE_WINDOWS).map(([name, width]) =>
      draw(Profile, { analysis, narrow: name !== "wide" }, width, `plot profile ${name}`),
    ),
  );
  const strips =
    analysis.examples.length > MOST_DOTS
      ? null
      : await draw(
          Strips,
          { analysis, width: STRIPS_WIDTH, picked: null, onpick: () => undefined, onopen: () => undefined },
          STRIPS_WIDTH,
          "plot strips",
        );
  return { profiles, strips };
}

async function draw<Props extends Record<string, unknown>>(
  chart: Component<Props>,
  props: Props,
  width: number,
  className: string,
): Promise<Markup> {
  const frame = document.createElement("iframe");
  frame.width = String(width);
  frame.setAttribute("aria-hidden", "true");
  Object.assign(frame.style, {
    position: "fixed",
    left: "-10000px",
    top: "0",
    border: "0",
    visibility: "hidden",
  });
  // Without it the frame would be laid out by the rules of the last century.
  frame.srcdoc = "<!doctype html>";
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  try {
    await loaded;
    const page = frame.contentDocument;
    const view = frame.contentWindow;
    if (page === null || view === null) throw new Error("The browser gave no room to draw the charts in.");
    const styles = new (view as Window & typeof globalThis).CSSStyleSheet();
    styles.replaceSync(REPORT_STYLES);
    page.adoptedStyleSheets = [styles];
    page.body.className = "drawing";
    const plot = page.createElement("div");
    plot.className = className;
    page.body.append(plot);
    const drawn = mount(chart, { target: plot, props });
    // Once for what the chart measures, once for what it draws from that.
    flushSync();
    flushSync();
    const markup = still(plot);
    void unmount(drawn);
    return markup;
  } finally {
    frame.remove();
  }
}

/** What was drawn, without what only a live page can use. */
function still(plot: HTMLElement): Markup {
  for (const element of plot.querySelectorAll("*")) {
    for (const { name } of [...element.attributes]) {
      if (/^(tabindex|role|on.*|data-(?!axis$).*|aria-(?!hidden$).*|title)$/.test(name))
        element.removeAttribute(name);
    }
  }
  for (const drawing of plot.querySelectorAll("svg")) drawing.setAttribute("aria-hidden", "true");
  const comments = plot.ownerDocument.createTreeWalker(plot, NodeFilter.SHOW_COMMENT);
  const found: Node[] = [];
  while (comments.nextNode() !== null) found.push(comments.currentNode);
  for (const comment of found) comment.parentNode?.removeChild(comment);
  return new Markup(plot.outerHTML);
}
