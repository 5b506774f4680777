/**
 * Is what the page reports by default what it says? Draws runs from worlds in which the truth is known, analyses each
 * with the functions that the page calls, and counts: how often a test rejects what is true (type I), how often an
 * interval holds the true value (coverage), and how often a test finds what is there (power).
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createRandom, type RandomSource } from "../../src/statistics/index.ts";
import { PipelineDesign, type Observation, type Truths } from "./pipeline-design.ts";
import { ReversalDesign } from "./reversal-design.ts";

interface Design {
  readonly name: string;
  readonly examples: number;
  observe(random: RandomSource): Observation[];
}

interface Tally {
  hits: number;
  total: number;
  missing: number;
}

/** What has been counted so far, by design and by "kind: statistic". */
interface Progress {
  readonly done: Record<string, number>;
  readonly tallies: Record<string, Record<string, Tally>>;
  readonly truths: Truths;
}

interface Row {
  readonly statistic: string;
  readonly kind: Observation["kind"];
  readonly design: string;
  readonly n: number;
  readonly nominal: number;
  readonly rate: number;
  readonly replications: number;
  readonly default: boolean;
  /** Replications in which the page gives no test or interval, and says why; not in the rate. */
  readonly withoutResult: number;
}

const PROGRESS = "node_modules/.cache/sago-tools/simulation-progress.json";
const OUT = "docs/simulation.json";
const SAVE_EVERY = 20;
const SEED = "sago/simulation/1";

const designs = (truths: Truths): readonly Design[] => [
  new PipelineDesign({ repeats: 1, effect: false }, 32, truths),
  new PipelineDesign({ repeats: 3, effect: false }, 32, truths),
  new PipelineDesign({ repeats: 1, effect: true }, 32, truths),
  new PipelineDesign({ repeats: 3, effect: true }, 32, truths),
  new ReversalDesign("absent", 32),
  new ReversalDesign("planted", 32),
];

/** @param args - how often each design is drawn (1,000 unless told); `--fresh` forgets what was counted before */
export function main(args: readonly string[]): void {
  const replications = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 1000);
  const progress = args.includes("--fresh") ? empty() : stored();
  const all = designs(progress.truths);
  for (const design of all) {
    for (let done = progress.done[keyOf(design)] ?? 0; done < replications; done += 1) {
      const random = createRandom(SEED).split(keyOf(design)).split(done);
      count(progress, design, design.observe(random));
      progress.done[keyOf(design)] = done + 1;
      if ((done + 1) % SAVE_EVERY === 0 || done + 1 === replications) {
        save(PROGRESS, progress);
        console.log(`${done + 1} of ${replications}: ${design.name}, n = ${design.examples}`);
      }
    }
  }
  const rows = all.flatMap((design) => rowsOf(progress, design));
  save(OUT, rows);
  report(rows);
}

function keyOf({ name, examples }: Design): string {
  return `${name}/${examples}`;
}

function count({ tallies }: Progress, design: Design, observations: readonly Observation[]): void {
  const ofDesign = (tallies[keyOf(design)] ??= {});
  for (const { statistic, kind, hit } of observations) {
    const tally = (ofDesign[`${kind}: ${statistic}`] ??= { hits: 0, total: 0, missing: 0 });
    if (hit === null) tally.missing += 1;
    else {
      tally.total += 1;
      if (hit) tally.hits += 1;
    }
  }
}

function rowsOf({ tallies }: Progress, design: Design): Row[] {
  return Object.entries(tallies[keyOf(design)] ?? {}).map(([name, { hits, total, missing }]): Row => {
    const [kind = "", ...statistic] = name.split(": ");
    if (kind !== "type-I" && kind !== "coverage" && kind !== "power") throw new RangeError(name);
    return {
      statistic: statistic.join(": "),
      kind,
      design: design.name,
      n: design.examples,
      nominal: kind === "coverage" ? 0.95 : 0.05,
      rate: total === 0 ? 0 : hits / total,
      replications: total,
      default: true,
      withoutResult: missing,
    };
  });
}

function report(rows: readonly Row[]): void {
  for (const { kind, statistic, design, n, rate, replications } of rows)
    console.log(`${kind.padEnd(8)} ${rate.toFixed(3)} (${replications}) ${statistic} | ${design}, n = ${n}`);
  const bad = rows.filter(
    ({ kind, rate }) =>
      (kind === "type-I" && (rate < 0.03 || rate > 0.07)) || (kind === "coverage" && rate < 0.92),
  );
  console.log(
    bad.length === 0 ? "All rows are within their bands." : `${bad.length} rows are outside their bands:`,
  );
  for (const { kind, statistic, design, rate } of bad)
    console.log(`  ${kind} ${rate.toFixed(3)} ${statistic} | ${design}`);
}

function empty(): Progress {
  return { done: {}, tallies: {}, truths: {} };
}

function stored(): Progress {
  return existsSync(PROGRESS) ? (JSON.parse(readFileSync(PROGRESS, "utf8")) as Progress) : empty();
}

function save(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.part`, `${JSON.stringify(value, null, 1)}\n`);
  renameSync(`${path}.part`, path);
}
