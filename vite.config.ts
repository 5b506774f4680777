import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync } from "node:fs";
import { defineConfig } from "vite";
import { markdownPlugin } from "./tools/markdown-sections.mjs";
import { policyPlugin } from "./tools/policy-plugin.ts";
import { shellPlugin } from "./tools/shell-plugin.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/** Threads in WebAssembly need a cross-origin isolated page. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export default defineConfig({
  // Relative, so that the built page works from any folder of any host.
  base: "./",
  plugins: [svelte(), markdownPlugin(), policyPlugin(), shellPlugin("sw")],
  define: { __SAGO_VERSION__: JSON.stringify(version) },
  worker: { format: "es" },
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      input: { main: "index.html", sw: "src/service-worker.ts" },
      // A service worker rules over its own folder and below, and its address must not change.
      output: { entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
  server: { host: "127.0.0.1", headers: isolation },
  preview: { host: "127.0.0.1", headers: isolation },
});
