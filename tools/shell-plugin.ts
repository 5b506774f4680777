import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Plugin } from "vite";
import { contentPolicy } from "../src/content-policy.ts";

/** Files of public/ that are no part of the shell: models are large, and kept where they are loaded. */
const LEFT_OUT = /^models\/(?!models\.json$)/;
/** Large files of the shell: kept when they are first used, not on the first visit. */
const LATER = /\.(wasm|gz)$/;

const PLACEHOLDER = "__SAGO_SHELL__";

/**
 * Tells the service worker which files the page is made of, with a version that changes with any of them, and
 * the page's content security policy.
 *
 * @param entry - name of the service worker's chunk
 */
export function shellPlugin(entry: string): Plugin {
  let publicDir = "";
  let policy = "";
  return {
    name: "sago-shell",
    apply: "build",
    configResolved: (config) => {
      publicDir = config.publicDir;
      policy = contentPolicy(config.env["VITE_SAGO_HUB"] as string | undefined);
    },
    generateBundle: {
      // After index.html has been made.
      order: "post",
      handler(_, bundle) {
        const hash = createHash("sha256");
        const files: string[] = [];
        for (const [name, output] of Object.entries(bundle).sort(([a], [b]) => (a < b ? -1 : 1))) {
          if (name.endsWith(".map") || (output.type === "chunk" && output.name === entry)) continue;
          if (!LATER.test(name)) files.push(name === "index.html" ? "./" : name);
          hash.update(name).update(output.type === "chunk" ? output.code : output.source);
        }
        for (const path of filesIn(publicDir)) {
          const name = relative(publicDir, path).split(sep).join("/");
          if (LEFT_OUT.test(name)) continue;
          if (!LATER.test(name)) files.push(name);
          hash.update(name).update(readFileSync(path));
        }
        hash.update(policy);
        const shell = JSON.stringify({ version: hash.digest("hex").slice(0, 16), files, policy });
        const worker = Object.values(bundle).find(
          (output) => output.type === "chunk" && output.name === entry,
        );
        if (
          worker?.type !== "chunk" ||
          !worker.code.includes(PLACEHOLDER) ||
          /\b(import|export)\b\s*[{*"']/.test(worker.code)
        )
          this.error("The service worker is missing, or no longer stands alone.");
        worker.code = worker.code.replaceAll(PLACEHOLDER, `(${shell})`);
      },
    },
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((found) => found.isFile())
    .map((found) => join(found.parentPath, found.name))
    .sort();
}
