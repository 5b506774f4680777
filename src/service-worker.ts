/**
 * The service worker: the page opens without a network after its first visit, and WebAssembly gets its threads
 * on hosts that send no headers.
 *
 * It stands alone (no imports): it is served as one classic script, and must not change when another module does.
 * It keeps the page's own files only; models are kept where they are loaded (src/inference/files).
 */

/** What the build knows of the page: a version that changes with any file, and every file of the shell. */
declare const __SAGO_SHELL__: {
  readonly version: string;
  /** Kept at once: what the page needs to open. */
  readonly files: readonly string[];
  /** The page's content security policy: workers take theirs from the answer that brought them. */
  readonly policy: string;
};

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const shell = __SAGO_SHELL__;
const CACHE_PREFIX = "sago-shell-";
const CACHE = CACHE_PREFIX + shell.version;

// Reported to the page as its other workers do (src/workers/request-reports.ts): what is fetched here is asked
// on top of what the page asked.
const reports = new BroadcastChannel("sago-requests");
report([{ url: worker.location.href, at: performance.timeOrigin, bytes: null }]);
new PerformanceObserver((list) =>
  report(
    (list.getEntries() as PerformanceResourceTiming[]).map(({ name, startTime, encodedBodySize }) => ({
      url: name,
      at: performance.timeOrigin + startTime,
      bytes: encodedBodySize > 0 ? encodedBodySize : null,
    })),
  ),
).observe({ type: "resource", buffered: true });

function report(requests: readonly { url: string; at: number; bytes: number | null }[]): void {
  reports.postMessage(requests.map((request) => ({ ...request, from: "the service worker" })));
}

worker.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      // Past the HTTP cache: a shell of two versions would not work.
      await cache.addAll(shell.files.map((file) => new Request(file, { cache: "reload" })));
    })(),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      const names = await caches.keys();
      const old = names.filter((name) => name.startsWith(CACHE_PREFIX) && name !== CACHE);
      await Promise.all(old.map((name) => caches.delete(name)));
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  // Another origin's answers are not ours to keep or to change.
  if (new URL(request.url).origin !== worker.location.origin) return;
  if (request.method !== "GET") return;
  event.respondWith(request.mode === "navigate" ? page(request) : file(request));
});

/** The page itself: the newest there is, and the kept one where nothing answers. */
async function page(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (response.ok) return isolated(response);
  } catch {
    // No network: below.
  }
  const kept = await (await caches.open(CACHE)).match("./", { ignoreSearch: true });
  return kept ? isolated(kept) : Response.error();
}

/**
 * A file of the shell never changes under its name within a version. Large ones (the runtime, the example run)
 * are kept when they are first used. Models come from the network: they are kept where they are loaded.
 */
async function file(request: Request): Promise<Response> {
  if (request.headers.has("range")) return fetch(request);
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return isolated(kept);
  const response = await fetch(request);
  if (response.status === 200 && isKept(new URL(request.url))) {
    // A full disk only means that it is fetched again next time.
    await cache.put(request, response.clone()).catch(() => undefined);
  }
  return isolated(response);
}

function isKept(url: URL): boolean {
  const path = url.pathname.slice(new URL("./", worker.location.href).pathname.length);
  return /^(assets|example)\//.test(path);
}

/**
 * The answer with the headers of cross-origin isolation (the page and its workers need them for threads), and
 * with the page's policy.
 * @see https://developer.mozilla.org/docs/Web/API/Window/crossOriginIsolated
 */
function isolated(response: Response): Response {
  if (response.status === 0 || response.type === "opaqueredirect") return response;
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.set("Content-Security-Policy", shell.policy);
  const { status, statusText } = response;
  const body = [101, 204, 205, 304].includes(status) ? null : response.body;
  return new Response(body, { status, statusText, headers });
}
