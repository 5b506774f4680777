import {
  clusterBootstrap,
  expandedInterval,
  createRandom,
  orderProbability,
  rankingReversals,
  resampledMean,
  weightRobustness,
  type DatasetScores,
  type RandomSource,
} from "../../statistics/index.ts";
import { AXES } from "../../storage/index.ts";
import type { AnalysedRun, ComparedCell, ComparedDataset, Comparison, OrderChange } from "./comparison.ts";
import { ceilingNotes } from "./pooled-ceiling.ts";
import { cellKey, contestOf, type Contest } from "./contenders.ts";
import { comparedRuns, independenceFinding, noiseFinding, reversalFinding } from "./findings.ts";

/** Fewer shared questions say nothing about an order. */
const MINIMAL_EXAMPLES = 8;

/**
 * What analysed runs say together: is the instability more than noise, do the axes fail independently, and which orders
 * reverse between datasets. One run is enough for the first two.
 *
 * Contenders are compared by their composite on the questions that all of them have, in pairs. Runs that differ in more
 * than one thing are not compared, and the finding says so.
 */
export function compareRuns(analysed: readonly AnalysedRun[], seed: number | string = 0): Comparison {
  const random = createRandom(`${seed}/compare`);
  const contest = contestOf(analysed);
  const shared = contest.problem === null ? sharedScores(contest) : [];
  const enough = shared.filter(({ dataset }) => dataset.examples >= MINIMAL_EXAMPLES);
  const scores = enough.map((it) => it.scores);
  const nameOf = (at: number) => contest.contenders[at]?.name ?? "";
  const runs = comparedRuns(analysed, contest);
  const reversals = enough.length < 2 ? null : rankingReversals(scores, random.split("reversals")).value;
  const changes = (reversals?.reversals ?? []).map(
    ({ models, datasets, differences, status }): OrderChange => ({
      contenders: [nameOf(models[0]), nameOf(models[1])],
      datasets: [enough[datasets[0]]?.dataset.name ?? "", enough[datasets[1]]?.dataset.name ?? ""],
      differences,
      status,
    }),
  );
  const order = enough.length === 0 ? null : orderProbability(scores, random.split("order")).value;
  const observed = order?.observed ?? [];
  const kept = order?.orders.find((it) => it.order.join() === observed.join())?.share ?? 0;
  return {
    findings: [
      noiseFinding(analysed),
      independenceFinding(analysed),
      reversalFinding(
        contest,
        enough.map(({ dataset }) => dataset),
        reversals,
        changes,
        MINIMAL_EXAMPLES,
      ),
    ],
    factor: contest.factor,
    runs,
    notes: [...notesOf(contest, analysed), ...ceilingNotes(runs)],
    contenders: contest.contenders,
    datasets: shared.map(({ dataset }) => dataset),
    cells: shared.flatMap((it, at) => cellsOf(it, contest, random.split(`cells/${at}`))),
    orderChanges: changes,
    order: order === null ? null : { contenders: observed.map(nameOf), share: kept },
    weights: weightsOf(enough, nameOf, random.split("weights")),
  };
}

function notesOf({ betweenDatasets, runs }: Contest, analysed: readonly AnalysedRun[]): string[] {
  const unseen = analysed.length - runs.size;
  return [
    ...(betweenDatasets.length === 0
      ? []
      : [
          `Between the datasets ${betweenDatasets.join(" and ")} ${
            betweenDatasets.length === 1 ? "differs" : "differ"
          } too, so what differs between datasets may be due to that.`,
        ]),
    ...(unseen <= 0
      ? []
      : [
          `${unseen} ${unseen === 1 ? "run repeats" : "runs repeat"} another with the same setting on the same dataset. Orders are taken from the newest of them.`,
        ]),
  ];
}

interface Shared {
  readonly dataset: ComparedDataset;
  readonly scores: DatasetScores;
  /** Mean of each axis, [contender][axis]; null where an axis is missing. */
  readonly profiles: readonly (readonly number[] | null)[];
  readonly runIds: readonly string[];
}

/** Composites on the questions that all contenders have with all their axes. */
function sharedScores({ contenders, datasets, runs }: Contest): Shared[] {
  return datasets.map(({ key, name }): Shared => {
    const cells = contenders.map((contender) => runs.get(cellKey(contender.key, key)));
    const byId = cells.map(
      (run) =>
        new Map(
          (run?.analysis.examples ?? []).flatMap((example) =>
            example.complete && example.composite !== null ? [[example.exampleId, example] as const] : [],
          ),
        ),
    );
    const [first = new Map<string, never>(), ...others] = byId;
    const ids = [...first.keys()].filter((id) => others.every((it) => it.has(id)));
    return {
      dataset: { key, name, examples: ids.length },
      scores: {
        dataset: name,
        scores: byId.map((it) => ids.map((id) => it.get(id)?.composite ?? NaN)),
      },
      profiles: byId.map((it) =>
        ids.length === 0
          ? null
          : AXES.map(
              (axis) =>
                ids.reduce((sum, id) => sum + (it.get(id)?.axes[axis].instability ?? NaN), 0) / ids.length,
            ),
      ),
      runIds: cells.map((run) => run?.runId ?? ""),
    };
  });
}

function cellsOf(
  { dataset, scores, runIds }: Shared,
  { contenders }: Contest,
  random: RandomSource,
): ComparedCell[] {
  return contenders.map(({ key }, at): ComparedCell => {
    const values = Float64Array.from(scores.scores[at] ?? []);
    const place = { contender: key, dataset: dataset.key, runId: runIds[at] ?? "" };
    if (values.length === 0) {
      return { ...place, estimate: null, low: null, high: null, reason: "no question has all four axes" };
    }
    const bootstrap = clusterBootstrap(
      values.length,
      (resample) => [resampledMean(values, resample)],
      random,
    );
    const estimate = bootstrap.estimates[0] ?? null;
    const { value } = expandedInterval(bootstrap, 0);
    return value === null
      ? { ...place, estimate, low: null, high: null, reason: "too few questions for an interval" }
      : { ...place, estimate, low: value.low, high: value.high, reason: null };
  });
}

/** The profile of a contender is the unweighted mean of its datasets. */
function weightsOf(
  shared: readonly Shared[],
  nameOf: (at: number) => string,
  random: RandomSource,
): Comparison["weights"] {
  const contenders = shared[0]?.profiles.length ?? 0;
  const profiles: number[][] = [];
  for (let at = 0; at < contenders; at += 1) {
    const ofContender = shared
      .map(({ profiles: all }) => all[at])
      .filter((it) => it !== null && it !== undefined);
    if (ofContender.length < shared.length) return [];
    profiles.push(
      AXES.map((_, axis) => ofContender.reduce((sum, it) => sum + (it[axis] ?? NaN), 0) / ofContender.length),
    );
  }
  if (profiles.length < 2) return [];
  return (weightRobustness(profiles, random).value ?? []).map(({ models, preserved }) => ({
    contenders: [nameOf(models[0]), nameOf(models[1])] as const,
    share: preserved.value,
  }));
}
