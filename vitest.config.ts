import { playwright } from "@vitest/browser-playwright";
import { defineConfig, mergeConfig } from "vitest/config";
import { chromiumLaunch } from "./tools/chromium.mjs";
import viteConfig from "./vite.config.ts";

const browserProject = (device: "wasm" | "webgpu") => ({
  extends: true as const,
  test: {
    name: device,
    include: device === "wasm" ? ["src/**/*.browser.test.ts"] : ["src/**/*.webgpu.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    fileParallelism: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: chromiumLaunch(device) }),
      instances: [{ browser: "chromium" as const }],
    },
  },
});

export default mergeConfig(
  viteConfig,
  defineConfig({
    optimizeDeps: {
      exclude: ["onnxruntime-web", "@huggingface/transformers"],
      // Found only while a test runs, each would reload the page under that test.
      include: [
        "@huggingface/jinja",
        "@huggingface/tokenizers",
        "@noble/hashes/sha2.js",
        "@noble/hashes/utils.js",
        "comlink",
        "dexie",
        "pbf",
        "pure-rand/distribution/uniformFloat64",
        "pure-rand/generator/xoroshiro128plus",
        "valibot",
      ],
    },
    test: {
      projects: [
        {
          extends: true,
          test: {
            name: "unit",
            // Statistics on simulated data take seconds; on a busy machine a minute.
            testTimeout: 120_000,
            hookTimeout: 120_000,
            include: ["src/**/*.test.ts", "tests/unit/**/*.test.ts"],
            exclude: ["**/*.browser.test.ts", "**/*.webgpu.test.ts", "node_modules/**"],
          },
        },
        browserProject("wasm"),
        browserProject("webgpu"),
        {
          extends: true,
          test: {
            name: "e2e",
            include: ["tests/e2e/**/*.test.ts"],
            testTimeout: 1_500_000,
            hookTimeout: 300_000,
            fileParallelism: false,
          },
        },
      ],
    },
  }),
);
