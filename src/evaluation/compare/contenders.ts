import type { RunSpec } from "../../storage/index.ts";
import type { AnalysedRun, Contender } from "./comparison.ts";

/** Parts of a setting, each with how it is named; the model itself is not among them. */
const SETTINGS: readonly { readonly name: string; readonly of: (spec: RunSpec) => string }[] = [
  { name: "precision", of: ({ model }) => model.dtype },
  { name: "device", of: ({ device }) => device.kind },
  { name: "decoding", of: ({ decoding }) => decodingText(decoding) },
  {
    name: "template",
    of: ({ template }) =>
      `${template.kind}, ${template.systemPrompt === null ? "no system prompt" : "system prompt"}`,
  },
  { name: "wordings", of: wordingsText },
];

function wordingsText({ variantsPerExample, wordings = "own" }: RunSpec): string {
  const count = `${variantsPerExample ?? "all"} wordings`;
  if (wordings === "own") return count;
  return `${count} of ${wordings === "paper" ? "the paper’s families" : "the set and the paper’s families"}`;
}

function decodingText({ kind, temperature, topP, maxNewTokens, repeats }: RunSpec["decoding"]): string {
  const how =
    kind === "greedy"
      ? "greedy"
      : `sampled at ${temperature ?? 1}${topP === null ? "" : `, top-p ${topP}`}, ${repeats} answers`;
  return `${how}, ${maxNewTokens} tokens`;
}

/** Different weights are different models, whatever the precision in which they were loaded. */
const modelOf = ({ model }: RunSpec): string =>
  model.revision === null ? model.id : `${model.id} (${model.revision.slice(0, 8)})`;

export interface Contest {
  readonly contenders: readonly Contender[];
  /** What tells them apart; null for fewer than two. */
  readonly factor: string | null;
  /** Newest run of each contender on each dataset, by `cellKey`. */
  readonly runs: ReadonlyMap<string, AnalysedRun>;
  /** Datasets that all contenders were run on, by the hash of their content. */
  readonly datasets: readonly { readonly key: string; readonly name: string }[];
  /** The contender of each run, by the id of the run. */
  readonly contenderOf: ReadonlyMap<string, Contender>;
  /** Settings that are alike within every dataset and differ between datasets. */
  readonly betweenDatasets: readonly string[];
  /** Why contenders cannot be compared; null where they can. */
  readonly problem: string | null;
}

export const cellKey = (contender: string, dataset: string): string => `${contender}\u0000${dataset}`;

/**
 * Sorts runs into what is compared and on what. Precision, device and decoding are named, and never mixed.
 *
 * A setting is a factor only where it differs on one and the same dataset. What is alike on every dataset and differs
 * between datasets, such as a longest length that suits each of them, tells no contenders apart.
 */
export function contestOf(analysed: readonly AnalysedRun[]): Contest {
  const datasets = new Map(analysed.map(({ spec: { dataset } }) => [dataset.contentHash, dataset.name]));
  const specs = analysed.map(({ spec }) => spec);
  const differs = (of: (spec: RunSpec) => string, among: readonly RunSpec[]) =>
    new Set(among.map(of)).size > 1;
  const varying = SETTINGS.filter(({ of }) =>
    [...datasets.keys()].some((hash) =>
      differs(
        of,
        specs.filter(({ dataset }) => dataset.contentHash === hash),
      ),
    ),
  );
  const betweenDatasets = SETTINGS.filter(
    (setting) => !varying.includes(setting) && differs(setting.of, specs),
  );
  const severalModels = differs(modelOf, specs);
  const contenderFor = (spec: RunSpec): Contender => ({
    key: [modelOf(spec), ...varying.map(({ of }) => of(spec))].join(" | "),
    name: [
      ...(severalModels || varying.length === 0 ? [modelOf(spec)] : []),
      ...varying.map(({ of }) => of(spec)),
    ].join(", "),
  });
  const runs = new Map<string, AnalysedRun>();
  const byKey = new Map<string, Contender>();
  const contenderOf = new Map<string, Contender>();
  for (const run of [...analysed].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))) {
    const contender = contenderFor(run.spec);
    byKey.set(contender.key, byKey.get(contender.key) ?? contender);
    contenderOf.set(run.runId, contender);
    runs.set(cellKey(contender.key, run.spec.dataset.contentHash), run);
  }
  const contenders = [...byKey.values()];
  const factors = [...(severalModels ? ["model"] : []), ...varying.map(({ name }) => name)];
  const shared = [...datasets].filter(([key]) =>
    contenders.every((contender) => runs.has(cellKey(contender.key, key))),
  );
  const problem =
    contenders.length < 2
      ? "two models, or one model in two settings, are needed"
      : factors.length > 1
        ? `the runs differ in ${factors.join(" and in ")} at once, so a difference would have no single cause`
        : shared.length === 0
          ? "no dataset was run with all of them"
          : null;
  return {
    contenders,
    factor: contenders.length < 2 ? null : factors.join(" and "),
    runs,
    datasets: shared.map(([key, name]) => ({ key, name })),
    contenderOf,
    betweenDatasets: betweenDatasets.map(({ name }) => name),
    problem,
  };
}
