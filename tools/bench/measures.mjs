/** What is measured besides the peers in a browser: what the axes cost, native speed, growth, and the page's pauses. */
import { execFileSync } from "node:child_process";
import { median } from "d3-array";

const MODEL = "SmolLM2-135M-Instruct";
const FOLDER = `../models/${MODEL}/`;
const STEPS = 32;
/** Any ids do: the arithmetic is the same. */
const PROMPT = Array.from({ length: 128 }, (_, i) => 1000 + i);

/** @type {{ id: string, take: (bench: object) => Promise<object[]> }[]} */
export const MEASURES = [
  { id: "probe", take: probeCost },
  { id: "native", take: againstNative },
  { id: "growth", take: growth },
  { id: "pauses", take: pauses },
];

const steps = (inBench, what, threads, rounds) =>
  inBench((page) =>
    page.evaluate((request) => globalThis.bench.steps.times(request), {
      ...{ what, folder: FOLDER, threads, prompt: PROMPT, steps: STEPS, rounds },
    }),
  );

async function probeCost({ inBench, threads, rounds, log }) {
  const { rows, withProbe, without } = await steps(inBench, "probe", threads, Math.max(5, rounds));
  const runs = withProbe.map((ours, i) => ({ ours: ours / STEPS, theirs: without[i] / STEPS }));
  const name = `a step of decoding with the probe, ${rows} rows, against the graph as it is`;
  return [logged(log, compared({ name, unit: "ms", better: "lower", goal: 1.03, runs }))];
}

async function againstNative({ inBench, threads, rounds, log, options }) {
  if (!options.native) {
    log("native onnxruntime: left out, needs --native PYTHON");
    return [];
  }
  const phases = [
    {
      phase: "prefill",
      name: (version) => `reading a prompt of ${PROMPT.length} tokens, against native onnxruntime ${version}`,
      tokens: () => PROMPT.length,
    },
    {
      phase: "oneRow",
      name: (version) => `decoding one answer, against native onnxruntime ${version}`,
      tokens: () => STEPS,
    },
    {
      phase: "manyRows",
      name: (version, rows) => `decoding ${rows} answers together, against native onnxruntime ${version}`,
      tokens: (rows) => rows * STEPS,
    },
  ];
  const runs = { prefill: [], oneRow: [], manyRows: [] };
  let where = { rows: 0, version: "" };
  for (let round = 0; round < rounds; round += 1) {
    const ours = await steps(inBench, "phases", threads, 3);
    const theirs = native(options.native, threads, ours.rows);
    where = { rows: ours.rows, version: theirs.version };
    for (const { phase, tokens } of phases) {
      const rate = (ms) => (1000 * tokens(ours.rows)) / ms;
      runs[phase].push({ ours: rate(median(ours[phase])), theirs: rate(theirs[phase]) });
    }
  }
  return phases.map(({ phase, name }) =>
    logged(
      log,
      compared({
        name: name(where.version, where.rows),
        unit: "tokens/s",
        better: "higher",
        goal: 0.6,
        runs: runs[phase],
      }),
    ),
  );
}

function native(python, threads, rows) {
  const graph = `public/models/${MODEL}/onnx/model_q4.onnx`;
  const request = ["--threads", threads, "--rows", rows, "--steps", STEPS, "--prompt", PROMPT.join(",")];
  return JSON.parse(
    execFileSync(python, ["tools/bench/native.py", graph, ...request.map(String)], { encoding: "utf8" }),
  );
}

const choices = (examples, maxNewTokens, variantsPerExample = null) => ({
  ...{ modelId: null, examples, variantsPerExample, maxNewTokens, device: "wasm", seed: 7 },
});

/** A run in this page: its seconds, its answers' tokens, and what page and workers hold afterwards. */
const ran = (page, run) =>
  page.evaluate(async (choice) => {
    const started = performance.now();
    const outcome = await globalThis.sago.evaluate({ id: "short-facts" }, choice, () => undefined);
    if (!outcome.ok) throw new Error(outcome.message);
    const seconds = (performance.now() - started) / 1000;
    await globalThis.sago.prepareExport(outcome.runId);
    const { generations, scores } = JSON.parse(globalThis.sago.exportText());
    const { bytes } = await performance.measureUserAgentSpecificMemory();
    return { seconds, answers: generations.length, scores: scores.length, megabytes: bytes / 1e6 };
  }, run);

/** The same page, small runs and large ones: seconds for each answer, or each token, and memory. */
async function growth({ inPage, log }) {
  const results = [];
  const pairs = [
    { what: "questions", small: choices(8, 4), large: choices(64, 4), names: [8, 64] },
    { what: "variants a question", small: choices(16, 4, 2), large: choices(16, 4, 16), names: [2, 16] },
    { what: "new tokens", small: choices(2, 16), large: choices(2, 256), names: [16, 256] },
  ];
  for (const { what, small, large, names } of pairs) {
    const [few, many] = await inPage("?example=none", async (page) => {
      await page.waitForFunction(() => "sago" in globalThis);
      await ran(page, choices(1, 1));
      return [await ran(page, small), await ran(page, large)];
    });
    const each = ({ seconds, answers, scores }, tokens) => (1000 * seconds) / ((answers + scores) * tokens);
    const [ours, theirs] =
      what === "new tokens" ? [each(many, names[1]), each(few, names[0])] : [each(many, 1), each(few, 1)];
    const unit = what === "new tokens" ? "ms for a possible token" : "ms for an answer or score";
    const label = `a run of ${names[1]} ${what}, against one of ${names[0]}`;
    results.push(
      logged(
        log,
        compared({ name: `time: ${label}`, unit, better: "lower", goal: null, runs: [{ ours, theirs }] }),
      ),
      logged(
        log,
        compared({
          name: `memory: ${label}`,
          unit: "MB",
          better: "lower",
          goal: null,
          runs: [{ ours: many.megabytes, theirs: few.megabytes }],
        }),
      ),
    );
  }
  return results;
}

/** Tasks over 50 ms of the page's own thread during a run of at least 30 seconds, the model's loading included. */
async function pauses({ inPage, log }) {
  const seen = await inPage("?example=none", async (page) => {
    await page.waitForFunction(() => "sago" in globalThis);
    return page.evaluate(
      async (run) => {
        const tasks = [];
        const observer = new PerformanceObserver((list) =>
          tasks.push(...list.getEntries().map(({ duration }) => duration)),
        );
        observer.observe({ type: "longtask" });
        const before = (await navigator.storage.estimate()).usageDetails?.indexedDB ?? 0;
        const started = performance.now();
        const outcome = await globalThis.sago.evaluate({ id: "short-facts" }, run, () => undefined);
        if (!outcome.ok) throw new Error(outcome.message);
        const seconds = (performance.now() - started) / 1000;
        const after = (await navigator.storage.estimate()).usageDetails?.indexedDB ?? 0;
        return { tasks, seconds, stored: after - before };
      },
      choices(8, 16),
    );
  });
  log(
    `${seen.tasks.length} tasks over 50 ms in ${seen.seconds.toFixed(0)} s: ${seen.tasks.map((ms) => ms.toFixed(0)).join(", ")}`,
  );
  const runs = [
    { ours: seen.tasks.length, theirs: 0, seconds: seen.seconds, longestMs: Math.max(0, ...seen.tasks) },
  ];
  return [
    {
      ...compared({
        name: "tasks of the page's own thread over 50 ms during a run",
        unit: "tasks",
        better: "lower",
        goal: 0,
        runs,
      }),
      ratio: seen.tasks.length,
    },
  ];
}

function compared({ name, unit, better, goal, runs }) {
  const ours = median(runs, (run) => run.ours);
  const theirs = median(runs, (run) => run.theirs);
  return { name, unit, ours, theirs, ratio: ours / theirs, better, goal, runs };
}

function logged(log, comparison) {
  const { name, unit, ours, theirs } = comparison;
  log(`${name}: ${ours.toFixed(2)} and ${theirs.toFixed(2)} ${unit}`);
  return comparison;
}
