/** Works without a network, and with threads on any host: the page's side of the service worker. */

import type { ControllerState } from "../ui/controller.ts";

const RELOADED = "sago-isolated-once";

type OfflineState = ControllerState["offline"];

/**
 * Registers the service worker. Where the host sends no isolation headers, the page is loaded once more as soon
 * as the service worker adds them: only then may WebAssembly use threads. That happens before the reader can have begun anything,
 * and at most once in a tab.
 *
 * @param isIdle - whether a reload would interrupt nothing
 */
export async function prepareOffline(
  base: string,
  isIdle: () => boolean,
  onState: (state: OfflineState) => void,
): Promise<void> {
  const { serviceWorker } = navigator;
  // Undefined in an insecure context and from disk, whatever the types say.
  if ((serviceWorker as ServiceWorkerContainer | undefined) === undefined) {
    const reason = globalThis.isSecureContext
      ? "This browser, or its private mode, keeps no pages."
      : "A page keeps itself for offline use only under https or on this very machine.";
    onState({ kind: "unavailable", reason });
    return;
  }
  onState({ kind: "preparing" });
  try {
    await serviceWorker.register(new URL("sw.js", base));
    await serviceWorker.ready;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "No reason was given.";
    onState({ kind: "unavailable", reason: `The browser did not keep the page: ${reason}` });
    return;
  }
  onState({ kind: "ready" });
  if (globalThis.crossOriginIsolated || sessionStorage.getItem(RELOADED) !== null || !isIdle()) return;
  if (serviceWorker.controller === null) {
    await new Promise((resolve) =>
      serviceWorker.addEventListener("controllerchange", resolve, { once: true }),
    );
  }
  if (!isIdle()) return;
  sessionStorage.setItem(RELOADED, "1");
  globalThis.location.reload();
}
