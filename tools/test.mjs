/**
 * Runs every check: `npm test`, or `npm test -- lint unit` for some of them. A check that fails does not hide
 * what the others say. The last line is the total: every test counts one, and so does every other check.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ensureChromium } from "./chromium.mjs";

const script = (name) => ({ command: "npm", args: ["run", "--silent", name] });
const tests = (project) => ({ project });

/** In this order; `needs` names a check without which this one would say nothing. */
const CHECKS = [
  { name: "format", title: "Formatting", ...script("format:check") },
  { name: "lint", title: "Lint and import boundaries", ...script("lint") },
  { name: "check", title: "Types", ...script("check") },
  { name: "unit", title: "Unit tests (Node)", ...tests("unit") },
  { name: "build", title: "Production build", ...script("build") },
  { name: "wasm", title: "Tests in Chromium (WebAssembly)", browser: true, ...tests("wasm") },
  { name: "webgpu", title: "Tests in Chromium (WebGPU)", browser: true, ...tests("webgpu") },
  { name: "e2e", title: "Tests of the built page", browser: true, needs: "build", ...tests("e2e") },
];

const SHOWN_LINES = 12;

/** Exit status of a command, its output passed through. */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", shell: process.platform === "win32" });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal !== null) console.log(`\nEnded by ${signal} before it was done.`);
      resolve(code ?? 1);
    });
  });
}

/** Runs one project of Vitest and counts its tests. Whatever else goes wrong counts as one failure. */
async function runTests(project, folder) {
  const report = join(folder, `${project}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const code = await run(process.execPath, [vitest, "run", "--project", project, ...reporters]);
  const counted = await readFile(report, "utf8").then(
    (text) => JSON.parse(text),
    () => null,
  );
  const passed = counted?.numPassedTests ?? 0;
  const failed = counted?.numFailedTests ?? 0;
  const failures = counted === null ? [] : failuresOf(counted);
  if (code === 0 || failed > 0) return { passed, failed, failures };
  const whole = "No test failed, but the tests as a whole did (see above): counted as one failure.";
  console.log(whole);
  return { passed, failed: 1, failures: [...failures, whole] };
}

/** What failed and the first lines of why, from Vitest's report; a file that could not be loaded has no tests. */
function failuresOf({ testResults }) {
  const first = (text) => text.split("\n").slice(0, SHOWN_LINES).join("\n    ");
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === "failed");
    const file = relative(process.cwd(), name);
    if (failed.length === 0) return message ? [`${file}\n    ${first(message)}`] : [];
    return failed.map(
      ({ fullName, failureMessages }) => `${file} > ${fullName}\n    ${first(failureMessages.join("\n"))}`,
    );
  });
}

async function runCheck(check, folder) {
  if (check.project !== undefined) return runTests(check.project, folder);
  const code = await run(check.command, check.args);
  return code === 0 ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: [] };
}

function chosenChecks(names) {
  const unknown = names.filter((name) => !CHECKS.some((check) => check.name === name));
  if (unknown.length > 0) {
    const known = CHECKS.map(({ name }) => name).join(", ");
    throw new Error(`There is no check "${unknown.join('", "')}". Choose from: ${known}.`);
  }
  return names.length === 0 ? CHECKS : CHECKS.filter(({ name }) => names.includes(name));
}

async function main() {
  const checks = chosenChecks(process.argv.slice(2));
  if (checks.some(({ browser }) => browser === true)) console.log(`Chromium: ${ensureChromium()}`);
  const folder = await mkdtemp(join(tmpdir(), "sago-test-"));
  const results = [];
  try {
    for (const check of checks) {
      console.log(`\n━━ ${check.title} (npm test -- ${check.name})`);
      const started = Date.now();
      const isBlocked = results.some(({ name, failed }) => name === check.needs && failed > 0);
      if (isBlocked) console.log(`Not run: it needs "${check.needs}", which failed.`);
      const counts = isBlocked ? { passed: 0, failed: 1, failures: [] } : await runCheck(check, folder);
      results.push({ ...check, ...counts, seconds: (Date.now() - started) / 1000 });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log("");
  // Once more at the end, where a log of which only the tail is kept still has it.
  for (const failure of results.flatMap(({ failures }) => failures)) console.log(`✗ ${failure}\n`);
  for (const { title, passed, failed, seconds } of results) {
    console.log(
      `${failed > 0 ? "✗" : "✓"} ${title}: ${passed} passed, ${failed} failed, ${seconds.toFixed(0)} s`,
    );
  }
  const total = (field) => results.reduce((sum, result) => sum + result[field], 0);
  console.log(`\n${total("passed")} passed, ${total("failed")} failed`);
  process.exitCode = total("failed") > 0 ? 1 : 0;
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
