/**
 * Measures every decoder fixture on WASM as the tests do (docs/decoders.json) and writes the table of
 * docs/decoders.md from it, between the two markers.
 *
 *     node tools/make-decoder-table.mjs
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { decoderTable, replaceTable } from "./decoder-table.mjs";

const { status } = spawnSync(
  "npx",
  ["vitest", "run", "--project", "wasm", "src/onnx/probe.browser.test.ts"],
  { stdio: "inherit", env: { ...process.env, VITE_WRITE_DECODERS: "1" } },
);
if (status !== 0)
  throw new Error("A decoder does not agree with its reference; see above. Nothing was written.");
const rows = JSON.parse(readFileSync("docs/decoders.json", "utf8"));
writeFileSync("docs/decoders.md", replaceTable(readFileSync("docs/decoders.md", "utf8"), decoderTable(rows)));
