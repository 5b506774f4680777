/** A cross-origin isolated page on loopback and a headless Chromium that runs one measurement in a worker of it. */
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright";
import { chromiumLaunch } from "../../chromium.mjs";

const repository = new URL("../../../", import.meta.url).pathname;
const ROOTS = {
  "/ort/": join(repository, "node_modules/onnxruntime-web/dist/"),
  "/measure/": new URL("./", import.meta.url).pathname,
};
const TYPES = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
  ".html": "text/html",
};

function serve(models) {
  const roots = { ...ROOTS, "/models/": models };
  const server = createServer((request, response) => {
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const prefix = Object.keys(roots).find((start) => path.startsWith(start));
    if (path === "/") {
      response.setHeader("Content-Type", "text/html").end("<!doctype html><title>measure</title>");
      return;
    }
    const file = prefix ? join(roots[prefix], path.slice(prefix.length)) : "";
    if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Processes of the browser that was started with the given argument: pid and type; Linux only, else empty. */
function browserProcesses(marker) {
  if (process.platform !== "linux") return [];
  const found = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      found.set(pid, { pid, parent, command, type: /--type=([a-z-]+)/.exec(command)?.[1] });
    } catch (error) {
      // A process may end between the listing and the reading of it.
      if (!["ENOENT", "ESRCH"].includes(error.code)) throw error;
    }
  }
  const belongs = (entry) =>
    entry !== undefined && (entry.command.includes(marker) || belongs(found.get(entry.parent)));
  return [...found.values()].filter(belongs);
}

/** Peak resident memory by process type, in bytes. */
function peakMemory(marker) {
  const peaks = {};
  for (const { pid, type } of browserProcesses(marker)) {
    if (type !== "renderer" && type !== "gpu-process") continue;
    const kibibytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    peaks[type] = Math.max(peaks[type] ?? 0, kibibytes * 1024);
  }
  return peaks;
}

const CLOCK_TICKS_PER_SECOND = 100;

/** Processor time of renderers and GPU process so far, or null; other work on the machine hardly changes it. */
function cpuSeconds(marker) {
  const processes = browserProcesses(marker).filter(
    ({ type }) => type === "renderer" || type === "gpu-process",
  );
  if (processes.length === 0) return null;
  return processes.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return sum + (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
  }, 0);
}

/**
 * @param {string} models - folder served as /models/
 * @param {{plan: object, tasks: object[]}} request - see measure.worker.js; plan.folder lies under /models/
 * @param {(line: string) => void} [onLog] - called for every line that page or worker logs
 * @returns the worker's answer, the browser's peak memory, and the lines it logged
 */
export async function runInBrowser(models, request, onLog = () => {}) {
  const server = await serve(models);
  const launch = chromiumLaunch(request.plan.device);
  const marker = `--sago-measure=${server.address().port}`;
  const browser = await chromium.launch({ ...launch, args: [...launch.args, marker] });
  try {
    const page = await browser.newPage();
    const log = [];
    page.on("console", (message) => {
      log.push(message.text());
      onLog(message.text());
    });
    await page.exposeFunction("cpuSeconds", () => cpuSeconds(marker));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const answer = await page.evaluate(
      (data) =>
        new Promise((resolve, reject) => {
          const worker = new Worker("/measure/measure.worker.js", { type: "module" });
          worker.onmessage = async ({ data: message }) => {
            if (message.wantsCpuSeconds) worker.postMessage({ cpuSeconds: await globalThis.cpuSeconds() });
            else resolve(message);
          };
          worker.onerror = (event) => reject(new Error(event.message || "the worker failed to load"));
          worker.postMessage(data);
        }),
      request,
    );
    const processes = peakMemory(marker);
    if (answer.error) throw new Error(`${answer.error}\n${log.slice(-20).join("\n")}`);
    return { ...answer, peakProcessBytes: processes, log };
  } finally {
    await browser.close();
    server.close();
  }
}
