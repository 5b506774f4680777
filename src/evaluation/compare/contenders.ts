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
  { name: "wordings", of: ({ variantsPerExample }) => `${variantsPerExample ?? "all"} wordings` },
];

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

const keyOf = (spec: RunSpec): string => [modelOf(spec), ...SETTINGS.map(({ of }) => of(spec))].join(" | ");

export interface Contest {
  readonly contenders: readonly Contender[];
  /** What tells them apart; null for fewer than two. */
  readonly factor: string | null;
  /** Newest run of each contender on each dataset, by `cellKey`. */
  readonly runs: ReadonlyMap<string, AnalysedRun>;
  /** Datasets that all contenders were run on, by the hash of their content. */
  readonly datasets: readonly { readonly key: string; readonly name: string }[];
  /** Why contenders cannot be compared; null where they can. */
  readonly problem: string | null;
}

export const cellKey = (contender: string, dataset: string): string => `${contender}\u0000${dataset}`;

/** Sorts runs into what is compared and on what. Precision, device and decoding are named, and never mixed. */
export function contestOf(analysed: readonly AnalysedRun[]): Contest {
  const runs = new Map<string, AnalysedRun>();
  const specs = new Map<string, RunSpec>();
  const datasets = new Map<string, string>();
  for (const run of [...analysed].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))) {
    const key = keyOf(run.spec);
    specs.set(key, run.spec);
    datasets.set(run.spec.dataset.contentHash, run.spec.dataset.name);
    runs.set(cellKey(key, run.spec.dataset.contentHash), run);
  }
  const list = [...specs.values()];
  const varying = SETTINGS.filter(({ of }) => new Set(list.map(of)).size > 1);
  const models = new Set(list.map(modelOf));
  const contenders = [...specs].map(([key, spec]): Contender => {
    const parts = [
      ...(models.size > 1 || varying.length === 0 ? [modelOf(spec)] : []),
      ...varying.map(({ of }) => of(spec)),
    ];
    return { key, name: parts.join(", ") };
  });
  const factors = [...(models.size > 1 ? ["model"] : []), ...varying.map(({ name }) => name)];
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
    problem,
  };
}
