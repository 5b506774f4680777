/** Finds a Chromium and the flags that make it quiet, offline, and able to run WebGPU on a CPU. */
import { spawnSync } from "node:child_process";
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

const INSTALL_ADVICE = `No Chromium was found. Install one, then run this again:
  Debian, Ubuntu   sudo apt-get update && sudo apt-get install -y chromium
  any system       npx playwright install chromium
or set CHROMIUM_PATH to the executable of a Chromium or Chrome.`;

/**
 * Finds a Chromium, or installs Debian's where this user may.
 * @returns {string} its path
 * @throws {Error} that says what to install where there is none and it could not be installed
 */
export function ensureChromium() {
  const found = findChromium();
  if (found !== null) return found;
  if (process.env.CHROMIUM_PATH) {
    throw new Error(`CHROMIUM_PATH is ${process.env.CHROMIUM_PATH}, and there is no such file.`);
  }
  installWithApt();
  const installed = findChromium();
  if (installed === null) throw new Error(INSTALL_ADVICE);
  return installed;
}

function installWithApt() {
  if (!existsSync("/usr/bin/apt-get")) return;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !existsSync("/usr/bin/sudo")) return;
  const prefix = isRoot ? [] : ["sudo", "--non-interactive", "--preserve-env=DEBIAN_FRONTEND"];
  for (const step of [["update"], ["install", "--yes", "chromium"]]) {
    const [command, ...args] = [...prefix, "apt-get", ...step];
    console.log(`${command} ${args.join(" ")}`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    // An update that fails for one source may still have found the package.
    spawnSync(command, args, { stdio: "inherit", env });
  }
}
