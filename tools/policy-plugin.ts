import type { Plugin } from "vite";
import { contentPolicy } from "../src/content-policy.ts";

/**
 * Writes the page's content security policy into the built index.html, first in its head: what stands before it
 * would not be ruled by it. The development server needs inline scripts and goes without.
 *
 * `VITE_SAGO_HUB` at the build is the hub that the policy lets through.
 */
export function policyPlugin(): Plugin {
  let hub: string | undefined;
  return {
    name: "sago-policy",
    apply: "build",
    configResolved: (config) => void (hub = config.env["VITE_SAGO_HUB"] as string | undefined),
    transformIndexHtml: {
      order: "post",
      handler: () => [
        {
          tag: "meta",
          attrs: { "http-equiv": "Content-Security-Policy", content: contentPolicy(hub) },
          injectTo: "head-prepend",
        },
      ],
    },
  };
}
