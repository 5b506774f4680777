import { holm, type RankingReversals } from "../../statistics/index.ts";
import { AXES, type AxisId } from "../../storage/index.ts";
import { AXIS_NAMES } from "./axis-names.ts";
import type { AnalysedRun, ComparedDataset, ComparedRun, Finding, OrderChange } from "./comparison.ts";
import type { Contest } from "./contenders.ts";
import { onPooledCeiling } from "./pooled-ceiling.ts";

const ALPHA = 0.05;
/** What is above noise is named one by one up to so many. */
const LONG_LIST = 4;

/** p-values against the floor: all axes of all runs are one family of tests. */
function noiseTests(analysed: readonly AnalysedRun[]) {
  const tests = analysed.flatMap((run) =>
    AXES.map((axis) => ({
      run,
      axis,
      result: run.analysis.axes[axis],
      p: run.analysis.axes[axis].aboveFloor.pValue,
    })),
  );
  const adjusted = holm(tests.map(({ p }) => p));
  return tests.map(({ run, axis, result }, at) => ({ run, axis, result, p: adjusted[at] ?? null }));
}

/** The runs beside each other, tested as one family. */
export function comparedRuns(analysed: readonly AnalysedRun[], contest: Contest): ComparedRun[] {
  const tests = noiseTests(analysed);
  return analysed.map((run): ComparedRun => {
    const { runId, createdAt, spec, analysis } = run;
    const contender = contest.contenderOf.get(runId);
    // The newest run on each dataset, as for orders; an older one is measured with its own ceiling instead.
    const ofContender = [...contest.runs.values()]
      .filter((it) => contest.contenderOf.get(it.runId)?.key === contender?.key)
      .map((it) => (it.spec.dataset.contentHash === spec.dataset.contentHash ? run : it));
    const axisOf = (axis: AxisId): ComparedRun["axes"][AxisId] => {
      const { estimate, low, high, reason, floor } = analysis.axes[axis];
      const adjustedP = tests.find((test) => test.run.runId === runId && test.axis === axis)?.p ?? null;
      const above = adjustedP === null ? null : adjustedP <= ALPHA;
      const pooledCeiling = axis === "mirroring" ? null : onPooledCeiling(run, axis, ofContender);
      return { estimate, low, high, reason, floor: floor.estimate, pooledCeiling, adjustedP, above };
    };
    return {
      runId,
      createdAt,
      contender: contender?.name ?? spec.model.id,
      dataset: spec.dataset.name,
      examples: analysis.examplesAnalysed,
      axes: {
        generation: axisOf("generation"),
        activation: axisOf("activation"),
        confidence: axisOf("confidence"),
        mirroring: axisOf("mirroring"),
      },
      composite: analysis.composite,
      accuracy: analysis.beside.accuracyOriginal,
      accuracyWorst: analysis.beside.accuracyWorst,
      accuracyBest: analysis.beside.accuracyBest,
      independence: analysis.further?.independence ?? null,
    };
  });
}

/** Is the instability more than noise? */
export function noiseFinding(analysed: readonly AnalysedRun[]): Finding {
  const tests = noiseTests(analysed);
  const known = tests.flatMap(({ p, ...test }) => (p === null ? [] : [{ ...test, p }]));
  const above = known.filter(({ p }) => p <= ALPHA);
  const details = tests.map(({ run, axis, result, p }) => {
    const where = `${label(run)}, ${AXIS_NAMES[axis]}`;
    if (p === null)
      return `${where}: not tested, ${result.aboveFloor.reason ?? "for a reason that was not given"}.`;
    return `${where}: ${num(result.estimate)}${range(result)}, floor ${num(result.floor.estimate)}, ${pText(p)}, ${
      p <= ALPHA ? "above noise" : "within noise"
    }.`;
  });
  const question = "Is the instability more than noise?";
  if (known.length === 0) {
    return {
      id: "noise",
      question,
      sentence: "Not enough data: no axis could be tested against its floor.",
      count: null,
      details,
    };
  }
  const corrected = `after correction for ${known.length} ${known.length === 1 ? "test" : "tests"}`;
  const named = (list: typeof known) =>
    listed(
      list.map(
        ({ run, axis, p }) =>
          `${AXIS_NAMES[axis]}${analysed.length > 1 ? ` of ${label(run)}` : ""} (${pText(p)})`,
      ),
    );
  const within = known.filter(({ p }) => p > ALPHA);
  const largest = Math.max(...known.map(({ p }) => p));
  const some = `${above.length} of ${known.length} axes ${above.length === 1 ? "is" : "are"} above noise ${corrected}`;
  const sentence =
    above.length === 0
      ? `None of ${known.length} axes is above noise ${corrected}; this does not show that there is no effect.`
      : within.length === 0 && known.length > LONG_LIST
        ? `All ${known.length} axes are above noise ${corrected} (the largest ${pText(largest)}).`
        : within.length > 0 && above.length > LONG_LIST
          ? `${some}. Not above it: ${named(within)}.`
          : `${some}: ${named(above)}.`;
  return { id: "noise", question, sentence, count: { part: above.length, whole: known.length }, details };
}

/** Do the axes fail independently? Runs are never pooled into one correlation. */
export function independenceFinding(analysed: readonly AnalysedRun[]): Finding {
  const question = "Do the axes fail independently?";
  const known = analysed.flatMap((run) => {
    const independence = run.analysis.further?.independence;
    return independence && independence.reason === null ? [{ run, independence }] : [];
  });
  const details = analysed.flatMap((run) => {
    const independence = run.analysis.further?.independence;
    if (!independence) return [`${label(run)}: not computed yet.`];
    if (independence.reason !== null) return [`${label(run)}: ${independence.reason}.`];
    return independence.pairs.map(({ axes: [a, b], correlation, disattenuated, verdict }) => {
      const corrected = disattenuated.value === null ? "" : `, ${num(disattenuated.value)} without noise`;
      const words = {
        independent: "practically independent",
        associated: "associated",
        undecided: "undecided",
      };
      return `${label(run)}, ${AXIS_NAMES[a]} and ${AXIS_NAMES[b]}: ρ ${num(correlation.estimate)}${range(correlation)}${corrected}, ${
        verdict === null ? "no verdict" : words[verdict]
      }.`;
    });
  });
  if (known.length === 0) {
    return {
      id: "independence",
      question,
      sentence: "Not enough data: no run has enough questions with all axes.",
      count: null,
      details,
    };
  }
  const verdicts = known.flatMap(({ independence }) => independence.pairs.map(({ verdict }) => verdict));
  const share = (verdict: "associated" | "independent" | "undecided") =>
    verdicts.filter((it) => it === verdict).length;
  const ratios = known.map(({ independence: { participationRatio } }) => participationRatio);
  const values = ratios.flatMap(({ estimate }) => (estimate === null ? [] : [estimate]));
  const axes = Math.max(...known.map(({ independence }) => independence.axes.length));
  const [only] = ratios;
  const amount =
    values.length === 0
      ? ""
      : known.length === 1 && only
        ? `; they amount to ${num(only.estimate)}${range(only)} independent axes out of ${axes}`
        : `; run by run they amount to ${num(Math.min(...values))} to ${num(Math.max(...values))} independent axes out of ${axes}`;
  const [first] = known;
  const where =
    known.length === 1 && first
      ? `Here (${first.independence.examples} questions)`
      : `In ${known.length} runs, each for itself,`;
  const sentence = `${where} ${share("associated")} of ${verdicts.length} pairs of axes fail together, ${share(
    "independent",
  )} are practically independent and ${share("undecided")} are undecided${amount}.`;
  return {
    id: "independence",
    question,
    sentence,
    count: { part: share("associated"), whole: verdicts.length },
    details,
  };
}

/** Which orders reverse between datasets, and which of these are confirmed? */
export function reversalFinding(
  contest: Contest,
  datasets: readonly ComparedDataset[],
  reversals: RankingReversals | null,
  changes: readonly OrderChange[],
  minimalExamples: number,
): Finding {
  const question = "Which orders reverse between datasets?";
  const factor =
    contest.factor === null || contest.factor === "model"
      ? ""
      : ` The compared factor is ${contest.factor}, not the model.`;
  const details = (reversals?.comparisons ?? []).map(
    ({ models: [a, b], dataset, difference, adjustedInterval, adjustedP }) => {
      const names = [contest.contenders[a]?.name, contest.contenders[b]?.name];
      const interval = adjustedInterval.value;
      return `${datasets[dataset]?.name ?? ""}: ${names[0] ?? ""} minus ${names[1] ?? ""} ${num(difference)}${range(
        {
          low: interval?.low ?? null,
          high: interval?.high ?? null,
        },
      )}, ${pText(adjustedP)}.`;
    },
  );
  const confirmed = changes.filter(({ status }) => status === "confirmed");
  const finding = (sentence: string, enough = true): Finding => ({
    id: "reversals",
    question,
    sentence: sentence + factor,
    count: enough ? { part: confirmed.length, whole: changes.length } : null,
    details,
  });
  if (contest.problem !== null) return finding(`Not enough data: ${contest.problem}.`, false);
  if (datasets.length < 2 || reversals === null) {
    return finding(
      `Not enough data: two datasets with at least ${minimalExamples} questions that all contenders have are needed, and there ${
        datasets.length === 1 ? "is 1" : `are ${datasets.length}`
      }.`,
      false,
    );
  }
  const tested = `${reversals.familySize} comparisons, Holm-corrected`;
  if (changes.length === 0) {
    return finding(`No order changes between the ${datasets.length} datasets (${tested}).`);
  }
  const unresolved = changes.length - confirmed.length;
  const rest =
    unresolved === 0
      ? ""
      : ` ${unresolved} ${unresolved === 1 ? "change of order is" : "changes of order are"} unresolved.`;
  if (confirmed.length === 0) {
    return finding(`No reversal is confirmed (${tested}).${rest}`);
  }
  const told = confirmed.map(({ contenders: [a, b], datasets: [x, y], differences: [onX, onY] }) => {
    const [stable, other] = onX < 0 ? [a, b] : [b, a];
    return `${stable} is more stable than ${other} on ${x} (by ${num(Math.abs(onX))}) and less on ${y} (by ${num(Math.abs(onY))})`;
  });
  return finding(
    `${confirmed.length} ${confirmed.length === 1 ? "reversal is" : "reversals are"} confirmed (${tested}): ${listed(told)}.${rest}`,
  );
}

function label({ spec }: AnalysedRun): string {
  return `${spec.model.id} on ${spec.dataset.name}`;
}

function num(value: number | null): string {
  return value === null ? "none" : value.toFixed(2).replace("-", "−");
}

function range({ low, high }: { readonly low: number | null; readonly high: number | null }): string {
  return low === null || high === null ? "" : ` [${num(low)}, ${num(high)}]`;
}

function pText(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
