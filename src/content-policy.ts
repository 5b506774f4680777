/**
 * What the page may load and ask, as the browser enforces it. Whatever a model, a data set or a fault in this
 * program attempts, no prompt can be sent to a host that is not listed here.
 *
 * A policy in the page's HTML does not rule its workers: those take theirs from the answer that brought them. So
 * the same line is sent by `tools/serve.mjs`, and added by the service worker on every host.
 *
 * @see https://www.w3.org/TR/CSP3/
 */

/** The hub of a build that names no other, and the stores that it hands large files over to. */
const HUGGING_FACE = "https://huggingface.co";
const HUGGING_FACE_STORES = ["https://*.huggingface.co", "https://*.hf.co"];
/** Names of this very machine that a policy can hold: it has no form for the rest of 127.0.0.0/8, nor for ::1. */
export const LOOPBACK_NAMES: readonly string[] = ["localhost", "127.0.0.1"];

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

/** The origins that model files may come from, besides the page's own; a hub on this machine may be one (`?hub=`). */
export function modelHosts(hub?: string): readonly string[] {
  const origin = hubOrigin(hub);
  const stores = origin === HUGGING_FACE ? HUGGING_FACE_STORES : [];
  return [origin, ...stores, ...LOOPBACK_NAMES.map((name) => `http://${name}:*`)];
}

/**
 * @param built - `VITE_SAGO_HUB` at the build; absent or empty: the Hugging Face Hub
 * @throws {Error} if it is no http address
 */
export function hubOrigin(built?: string): string {
  if (built === undefined || built === "") return HUGGING_FACE;
  if (!URL.canParse(built) || !/^https?:$/.test(new URL(built).protocol))
    throw new Error(`VITE_SAGO_HUB was "${built}" at the build, which is no http address.`);
  return new URL(built).origin;
}
