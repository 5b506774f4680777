import { ESLint } from "eslint";
import { beforeAll, expect, it } from "vitest";

/** The project's own configuration, without the rules that need types. */
const eslint = new ESLint({
  overrideConfig: [{ languageOptions: { parserOptions: { project: null } } }],
  ruleFilter: ({ ruleId }) => ruleId.startsWith("boundaries/") || ruleId.startsWith("no-restricted-"),
});

async function violations(filePath: string, text: string): Promise<string[]> {
  const results = await eslint.lintText(text, { filePath });
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message));
}

// The first use loads every plugin.
beforeAll(async () => {
  await violations("src/new.ts", "");
}, 60_000);

it.each([
  ["src/metrics/new.ts", `import { AXES } from "../storage/index.ts";`],
  ["src/statistics/new.ts", `import { jensenShannonBits } from "../metrics/index.ts";`],
  ["src/storage/new.ts", `import { builtInDatasets } from "../datasets/index.ts";`],
  ["src/inference/new.ts", `import type { AxisId } from "../storage/index.ts";`],
  ["src/datasets/new.ts", `export { RunStore } from "../storage/index.ts";`],
  ["src/evaluation/new.ts", `const page = await import("../ui/index.ts");`],
  ["src/evaluation/analysis/new.ts", `import { RunClient } from "../../workers/index.ts";`],
  ["src/ui/new.ts", `import { openApp } from "../app/index.ts";`],
  ["src/evaluation/new.ts", `import { AXES } from "../storage/records.ts";`],
  ["src/ui/New.svelte", `<script lang="ts">import { AXES } from "../storage/records.ts";</script>`],
])("%s may not hold: %s", async (filePath, text) => {
  expect(await violations(filePath, text)).toEqual(["boundaries/dependencies"]);
});

it.each([
  ["src/evaluation/new.ts", `import { AXES } from "../storage/index.ts";`],
  ["src/evaluation/analysis/new.ts", `import { plan } from "../plan.ts";`],
  ["src/datasets/new.ts", `import { nullEdits } from "../variants/index.ts";`],
  ["src/inference/new.ts", `import { readOnnxGraph } from "../onnx/index.ts";`],
  ["src/app/new.ts", `import type { Controller } from "../ui/controller.ts";`],
  ["src/ui/New.svelte", `<script lang="ts">import { AXES } from "../storage/index.ts";</script>`],
  ["src/evaluation/new.test.ts", `import { check } from "../storage/validation.ts";`],
  ["src/storage/new.ts", `import { Dexie } from "dexie"; navigator.storage.persist();`],
])("%s may hold: %s", async (filePath, text) => {
  expect(await violations(filePath, text)).toEqual([]);
});

it.each([
  ["metrics", `document.title = "";`, "no-restricted-globals"],
  ["statistics", `new Worker("x.js");`, "no-restricted-globals"],
  ["variants", `localStorage.clear();`, "no-restricted-globals"],
  ["datasets", `indexedDB.databases();`, "no-restricted-globals"],
  ["onnx", `import { InferenceSession } from "onnxruntime-web";`, "no-restricted-imports"],
  ["metrics", `import { pipeline } from "@huggingface/transformers";`, "no-restricted-imports"],
  ["statistics", `import { writable } from "svelte/store";`, "no-restricted-imports"],
])("%s is pure and may not hold: %s", async (room, text, rule) => {
  expect(await violations(`src/${room}/new.ts`, text)).toEqual([rule]);
});
