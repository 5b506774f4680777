/**
 * Runs a TypeScript program of this project in Node: it is bundled as the page is, then imported. Unlike a module
 * runner this leaves no trace in the inner loops, so that what is timed here is what the page's workers run.
 */
import { mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";

/** @param {string} entry - path of a module that exports `main` */
export async function runTypeScript(entry, ...args) {
  const name = basename(entry, ".ts");
  const outDir = resolve("node_modules", ".cache", "sago-tools", name);
  mkdirSync(outDir, { recursive: true });
  await build({
    configFile: false,
    logLevel: "error",
    define: { __SAGO_VERSION__: JSON.stringify("tools") },
    build: { ssr: entry, outDir, emptyOutDir: true, minify: false, target: "node20" },
  });
  const { main } = await import(pathToFileURL(join(outDir, `${name}.js`)).href);
  await main(...args);
}
