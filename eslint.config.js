import js from "@eslint/js";
import boundaries from "eslint-plugin-boundaries";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import typescript from "typescript-eslint";

/**
 * The rooms of src/, and what each may know (ARCHITECTURE.md has the picture). `browser` rooms may use the
 * browser's own interfaces; the others are pure and run anywhere.
 */
const ROOMS = {
  metrics: { knows: [], browser: false },
  statistics: { knows: [], browser: false },
  variants: { knows: [], browser: false },
  onnx: { knows: [], browser: false },
  datasets: { knows: ["variants"], browser: false },
  storage: { knows: [], browser: true },
  inference: { knows: ["onnx"], browser: true },
  evaluation: {
    knows: ["metrics", "statistics", "variants", "datasets", "onnx", "inference", "storage"],
    browser: true,
  },
  exports: { knows: ["datasets", "evaluation", "storage"], browser: false },
  workers: {
    knows: [
      "metrics",
      "statistics",
      "variants",
      "datasets",
      "onnx",
      "inference",
      "evaluation",
      "exports",
      "storage",
    ],
    browser: true,
  },
  ui: {
    knows: [
      "metrics",
      "statistics",
      "variants",
      "datasets",
      "onnx",
      "inference",
      "evaluation",
      "exports",
      "storage",
      "workers",
    ],
    browser: true,
  },
  app: {
    knows: [
      "metrics",
      "statistics",
      "variants",
      "datasets",
      "onnx",
      "inference",
      "evaluation",
      "exports",
      "storage",
      "workers",
      "ui",
    ],
    browser: true,
  },
};

/**
 * A room's doors. The interface has a second one: its contract with the application, which is types only and
 * must not pull Svelte in.
 */
const DOORS = "index.ts";
const UI_DOORS = "{index,controller}.ts";

const ROOM_NAMES = Object.keys(ROOMS);
const PURE_ROOMS = ROOM_NAMES.filter((room) => !ROOMS[room].browser);
const TESTS = ["**/*.test.ts", "**/*-fixtures.ts", "tests/**"];

/** A room may import its own files, and others through their doors. */
const arrows = ROOM_NAMES.map((name) => ({
  from: { element: { type: name } },
  allow: {
    to: {
      element: [
        { type: name },
        ...ROOMS[name].knows.map((known) => ({
          type: known,
          fileInternalPath: known === "ui" ? UI_DOORS : DOORS,
        })),
      ],
    },
  },
}));

/** Names of the browser, and those that reach out of the process, so that a pure room cannot lean on them. */
const IMPURE_NAMES = ["caches", "fetch", "localStorage", "navigator", "sessionStorage", "WebSocket"];
const forbiddenNames = [
  ...IMPURE_NAMES,
  ...Object.keys(globals.browser).filter(
    (name) =>
      !IMPURE_NAMES.includes(name) && !(name in globals["shared-node-browser"]) && !(name in globals.es2025),
  ),
];

export default typescript.config(
  {
    ignores: ["dist/", "node_modules/", "public/", "test-results/", "coverage/", "tools/**/.venv/"],
  },
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.ts"],
    extends: [typescript.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: ["tsconfig.json", "tsconfig.worker.json", "tsconfig.node.json"] },
    },
    rules: {
      // Numbers read well in a message; anything else is spelled out.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `() => play(0)` and `void stop()` are read at a glance.
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-meaningless-void-operator": "off",
      // The message of an unexpected value names it as well as it can.
      "@typescript-eslint/no-base-to-string": "off",
      // An interface may ask for a promise that one implementation has at once.
      "@typescript-eslint/require-await": "off",
      // The types of browsers and libraries promise what older versions lack.
      "@typescript-eslint/no-unnecessary-condition": "off",
      // Spreading a text by code points is what is meant; graphemes have Intl.Segmenter.
      "@typescript-eslint/no-misused-spread": "off",
      // Comparing an optional flag with `true` is a way to say what it defaults to.
      "@typescript-eslint/no-unnecessary-boolean-literal-compare": "off",
    },
  },
  { files: ["**/*.svelte"], extends: [typescript.configs.strict] },
  ...svelte.configs.recommended,
  {
    files: ["**/*.svelte"],
    languageOptions: { parserOptions: { parser: typescript.parser } },
    // `let` is how a component declares what its parent may bind.
    rules: { "prefer-const": "off" },
  },
  { files: ["**/*.svelte.ts"], languageOptions: { parser: typescript.parser } },
  {
    files: ["**/*.ts", "**/*.svelte"],
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      // TypeScript checks names itself, and knows more of them.
      "no-undef": "off",
      // Published constants keep the digits of their source.
      "no-loss-of-precision": "off",
    },
  },
  {
    files: ["**/*.test.ts"],
    rules: {
      // Vitest's asymmetric matchers are typed `any`.
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/unbound-method": "off",
    },
  },
  {
    // The runtime's module is imported by its address, so TypeScript cannot know its type.
    files: ["src/inference/runtime/wasm-module.ts"],
    rules: { "@typescript-eslint/no-unsafe-assignment": "off" },
  },
  {
    // Comlink declares the functions of its handlers as methods, though none uses `this`.
    files: ["src/workers/error-transfer.ts"],
    rules: { "@typescript-eslint/unbound-method": "off" },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: { globals: globals.node },
  },
  {
    files: ["tools/models/measure/**"],
    languageOptions: { globals: { ...globals.browser, ...globals.worker } },
  },
  {
    files: ["src/**/*.ts", "src/**/*.svelte"],
    plugins: { boundaries },
    settings: {
      "import/resolver": { node: { extensions: [".ts", ".svelte", ".json"] } },
      "boundaries/elements": ROOM_NAMES.map((name) => ({
        type: name,
        pattern: `src/${name}`,
        partialMatch: false,
      })),
    },
    rules: {
      "boundaries/dependencies": [
        "error",
        {
          default: "disallow",
          message: "{{from.element.type}} may not import {{dependency.source}} (see eslint.config.js)",
          policies: arrows,
        },
      ],
    },
  },
  {
    files: PURE_ROOMS.map((name) => `src/${name}/**/*.ts`),
    ignores: TESTS,
    rules: {
      "no-restricted-globals": ["error", ...forbiddenNames],
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: "^(svelte|comlink|dexie|onnxruntime-|@huggingface/)",
              message: "This room is pure: plain data in, plain data out.",
            },
          ],
        },
      ],
    },
  },
  {
    files: TESTS,
    rules: { "boundaries/dependencies": "off" },
  },
);
