/** What can be chosen for a run, in words. */
import {
  modelKey,
  type Controller,
  type ControllerState,
  type DatasetChoice,
  type LibraryState,
  type RunChoices,
  type RunSpec,
} from "../controller.ts";
import { num } from "../format.ts";

export const kindText: Readonly<Record<DatasetChoice["kind"], string>> = {
  "short-answer": "questions with known answers",
  "free-text": "tasks answered in free text",
  classification: "judgements with known labels",
};

/** The same where it is chosen. */
export const deviceChoice: Readonly<Record<RunChoices["device"], string>> = {
  auto: "Automatic",
  wasm: "WASM, main processor",
  webgpu: "WebGPU, graphics processor",
};

export const deviceText: Readonly<Record<RunChoices["device"], string>> = {
  auto: "device chosen by itself",
  wasm: "on the main processor (WASM)",
  webgpu: "on the graphics processor (WebGPU)",
};

/** Where wordings come from, in the list of choices. */
export const wordingsChoice: Readonly<Record<RunChoices["wordings"], string>> = {
  own: "The set’s own",
  paper: "The paper’s families, by rule",
  both: "Both",
};

/** What kinds of wordings these are, under the number of them. */
export const wordingsText: Readonly<Record<RunChoices["wordings"], string>> = {
  own: "the set’s own",
  paper: "the paper’s families",
  both: "the set’s and the paper’s",
};

/** Numbers of questions to choose from: 4, 8, 16, 32, 64, … as far as the set goes, the whole set, and what is chosen now. */
export function questionCounts(inSet: number, chosen: number): number[] {
  const counts = new Set([4, 8, 16, 32, 64, 128, 256].filter((count) => count <= inSet));
  counts.add(inSet);
  counts.add(chosen);
  return [...counts].sort((a, b) => a - b);
}

/** From this many questions a run does not call itself exploratory. */
export const FIRM_EXAMPLES = 64;
const FIRM_WORDINGS = 5;
const FIRM_REPEATS = 4;

/**
 * What a run of this size can find, said before it starts; and what would have to grow for firm numbers: 64
 * questions, five wordings, and four answers to each prompt where they are sampled.
 *
 * @param effect - smallest difference found in 4 of 5 runs, in standard deviations over questions
 * @param wordings - of each question besides the original, as far as they are known
 */
export function sizeAdvice(
  { examples, decoding }: Pick<RunChoices, "examples" | "decoding">,
  effect: number,
  wordings: number | null,
): string {
  const kind =
    effect < 0.4
      ? "also small differences"
      : effect < 0.65
        ? "middling differences"
        : "large differences only";
  const found = `${examples} questions find ${kind} from noise (from ${num(effect, 1)} standard deviations on, in 4 of 5 runs)`;
  const lacking = [
    ...(examples < FIRM_EXAMPLES ? [`${FIRM_EXAMPLES} questions`] : []),
    ...(wordings !== null && wordings < FIRM_WORDINGS ? [`${FIRM_WORDINGS} wordings`] : []),
    ...(decoding.kind === "sampled" && decoding.repeats < FIRM_REPEATS
      ? [`${FIRM_REPEATS} answers to each prompt`]
      : []),
  ];
  return lacking.length === 0
    ? `${found}.`
    : `${found}. For firm numbers take at least ${lacking.join(" and ")}.`;
}

/** The choices that a run was made with; `fallback` for what a spec does not hold. */
export function choicesOf(spec: RunSpec, fallback: RunChoices): RunChoices {
  return {
    modelId: modelKey(spec.model),
    datasetId: spec.dataset.id,
    examples: spec.examples,
    variantsPerExample: spec.variantsPerExample,
    wordings: spec.wordings ?? "own",
    device: fallback.device === "auto" ? "auto" : spec.device.kind,
    decoding: {
      kind: spec.decoding.kind,
      temperature: spec.decoding.temperature,
      maxNewTokens: spec.decoding.maxNewTokens,
      repeats: spec.decoding.repeats,
    },
    seed: spec.seed,
  };
}

/**
 * What the run bar says. While a run goes on: what it was started with. Else what the reader has chosen here; before
 * any choice the settings of the run that is shown, as far as this page still has its model and its set; else the
 * defaults. A model that the reader picked from the list goes before the shown run's.
 */
export function shownChoices(
  {
    library: { models, modelId, picked },
    datasets,
    defaults,
  }: Pick<Controller, "datasets" | "defaults"> & {
    readonly library: Pick<LibraryState, "models" | "modelId" | "picked">;
  },
  { run, phase }: Pick<ControllerState, "run" | "phase">,
  chosen: RunChoices | null,
): RunChoices {
  const own = run === null || run.stored === true ? null : choicesOf(run.spec, chosen ?? defaults);
  if (own !== null && (phase.kind === "running" || phase.kind === "stopping")) return own;
  if (chosen !== null) return chosen;
  const offered =
    own !== null &&
    (picked || models.some(({ id }) => id === own.modelId)) &&
    datasets.some(({ id }) => id === own.datasetId);
  const model = models.find(({ id }) => id === modelId);
  const ofLibrary = model === undefined ? {} : { modelId, device: model.device };
  if (!offered) return { ...defaults, ...ofLibrary };
  return picked ? { ...own, ...ofLibrary } : own;
}

/** The closed disclosure in one line: "Greedy, up to 48 tokens, device chosen by itself, seed 7". */
export function choicesText(choices: RunChoices): string {
  const { kind, temperature, maxNewTokens, repeats } = choices.decoding;
  const how =
    kind === "greedy"
      ? "Greedy"
      : `Sampled at temperature ${temperature ?? 1}, ${repeats} answers to each prompt`;
  const whose = choices.wordings === "own" ? "" : `wordings: ${wordingsText[choices.wordings]}, `;
  return `${how}, up to ${maxNewTokens} tokens, ${whose}${deviceText[choices.device]}, seed ${choices.seed}`;
}
