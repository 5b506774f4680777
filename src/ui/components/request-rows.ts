/** The requests of the page as a reader sees them. */
import type { AskedAddress } from "../controller.ts";

export interface RequestRow {
  readonly url: string;
  /** Without the page's own folder; whole for another host. */
  readonly shown: string;
  readonly from: string;
  readonly times: number;
  readonly bytes: number | null;
}

/** @param base - the page's own address */
export function requestRows(requests: readonly AskedAddress[], base: string): RequestRow[] {
  const folder = new URL("./", base).href;
  return requests.map(({ url, from, times, bytes }) => {
    const inside = url.startsWith(folder) ? url.slice(folder.length) : url;
    return { url, shown: inside === "" ? "the page" : inside, from: from.join(", "), times, bytes };
  });
}

/** How often each host was asked; the page's own first, then the others in the order they were first asked. */
export function hostCounts(
  requests: readonly AskedAddress[],
  base: string,
): { readonly host: string; readonly times: number }[] {
  const counts = new Map([[new URL(base).host, 0]]);
  for (const { url, times } of requests) {
    const { host } = new URL(url);
    counts.set(host, (counts.get(host) ?? 0) + times);
  }
  return [...counts].map(([host, times]) => ({ host, times })).filter(({ times }) => times > 0);
}
