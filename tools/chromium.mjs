/** Finds a Chromium and the flags that make it quiet, offline, and able to run WebGPU on a CPU. */
import { existsSync } from "node:fs";
import { chromium } from "playwright";

const SYSTEM_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const QUIET = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--no-first-run",
];

/** Path of a usable Chromium, or null. Order: $CHROMIUM_PATH, the system's, Playwright's own. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) return existsSync(named) ? named : null;
  const system = SYSTEM_PATHS.find((path) => existsSync(path));
  if (system) return system;
  const bundled = chromium.executablePath();
  return bundled && existsSync(bundled) ? bundled : null;
}

/**
 * Playwright launch options for the found Chromium.
 * @param {"wasm" | "webgpu"} device - "webgpu" turns on the SwiftShader adapter (WebGPU on the CPU)
 */
export function chromiumLaunch(device = "wasm") {
  const args = [...QUIET];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  if (device === "webgpu") args.push("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader");
  const executablePath = findChromium();
  return executablePath ? { executablePath, args } : { args };
}
