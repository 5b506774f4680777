/**
 * Who asked which address: every realm of the page (the page itself and each of its workers) reports the requests
 * that the browser noted for it, and the page gathers them for its reader.
 *
 * The source is the browser's own resource timing, not a list that this program keeps of its calls: what a library
 * fetches is in it as well. A broadcast channel carries it, since a worker of a worker has no other way to the
 * page; so the list covers every open tab of this page.
 *
 * @see https://www.w3.org/TR/resource-timing/
 */

const CHANNEL = "sago-requests";

export interface RequestReport {
  /** Without its fragment, which is never sent. */
  readonly url: string;
  /** Who asked: "the page", "the engine". */
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the answer, as sent. Null where another origin does not let the browser say, or the file is empty. */
  readonly bytes: number | null;
}

/**
 * Reports this realm's requests, those before the call included, for as long as the realm lives.
 *
 * @param from - completes "asked by …"
 */
export function reportRequests(from: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  const observer = new PerformanceObserver((list) => {
    const reports = (list.getEntries() as PerformanceResourceTiming[])
      .filter(({ name }) => /^https?:/.test(name))
      .map((entry): RequestReport => ({
        url: entry.name.replace(/#.*$/s, ""),
        from,
        at: performance.timeOrigin + entry.startTime,
        bytes: entry.encodedBodySize > 0 ? entry.encodedBodySize : null,
      }));
    if (reports.length > 0) channel.postMessage(reports);
  });
  for (const type of ["navigation", "resource"] as const)
    if (PerformanceObserver.supportedEntryTypes.includes(type)) observer.observe({ type, buffered: true });
}

/** @param onReports - called with what any realm reports from now on */
export function gatherRequests(onReports: (reports: readonly RequestReport[]) => void): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<readonly RequestReport[]>) => onReports(data);
}
