/**
 * What the page may load and ask, as the browser enforces it. Whatever a model, a data set or a fault in this
 * program attempts, no prompt can be sent to a host that is not listed here.
 *
 * A policy in the page's HTML does not rule its workers: those take theirs from the answer that brought them. So
 * the same line is sent by `tools/serve.mjs`, and added by the service worker on every host.
 *
 * @see https://www.w3.org/TR/CSP3/
 */

/** The Hugging Face Hub, and the stores that it hands large files over to. */
const HUGGING_FACE = ["https://huggingface.co", "https://*.huggingface.co", "https://*.hf.co"];
/** A hub on this very machine (`?hub=`): what is sent there does not leave it. */
const LOOPBACK = ["http://localhost:*", "http://127.0.0.1:*"];

/**
 * @param hub - origin of another hub, chosen at the build; absent or empty: the Hugging Face Hub
 * @returns the value of `Content-Security-Policy`
 * @throws {Error} if `hub` is no http address
 */
export function contentPolicy(hub?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self' blob:",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "manifest-src 'self'",
    `connect-src ${["'self'", ...modelHosts(hub)].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The origins that model files may come from, besides the page's own. */
export function modelHosts(hub?: string): readonly string[] {
  if (hub === undefined || hub === "") return [...HUGGING_FACE, ...LOOPBACK];
  if (!URL.canParse(hub) || !/^https?:$/.test(new URL(hub).protocol))
    throw new Error(`VITE_SAGO_HUB is "${hub}", which is no http address.`);
  return [new URL(hub).origin, ...LOOPBACK];
}
