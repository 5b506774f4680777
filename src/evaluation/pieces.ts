import type { TemplatedPrompt } from "../inference/index.ts";
import type { PlannedPrompt, RunRecord, RunSpec, ScoreRecord } from "../storage/index.ts";
import { contentKey } from "./content-key.ts";
import { planReruns, planUnrelatedPairs } from "./plan.ts";

/** One response to be generated. */
export interface GenerationPiece {
  readonly key: string;
  readonly prompt: PlannedPrompt;
  readonly templated: TemplatedPrompt;
  readonly repeat: number;
}

/** One response y₀ to be scored under one prompt. */
export interface ScorePiece {
  readonly key: string;
  readonly exampleId: string;
  readonly promptExampleId: string;
  readonly promptId: string;
  readonly relation: ScoreRecord["relation"];
  readonly templated: TemplatedPrompt;
}

/** All work of one group of examples. Groups are the same for every execution of a run. */
export interface WorkGroup {
  readonly exampleIds: readonly string[];
  readonly generations: readonly GenerationPiece[];
  readonly reruns: readonly GenerationPiece[];
  readonly scores: readonly ScorePiece[];
}

/** Part of a key: what determines the result besides the prompt itself. */
function conditions(spec: RunSpec) {
  return {
    model: spec.model.filesHash,
    dtype: spec.model.dtype,
    device: spec.device.kind,
    runtime: spec.device.runtime,
    batchRows: spec.batchRows,
  };
}

/**
 * The pieces of a run, grouped by a few examples each so that results appear early.
 *
 * A null edit whose token ids equal the original's is the original to the model; it is not run again
 * (the analysis counts its distance as 0 and says so).
 *
 * @param templated - the templated prompts, in the order of `run.prompts`
 */
export function piecesOf(run: RunRecord, templated: readonly TemplatedPrompt[]): WorkGroup[] {
  const { spec } = run;
  const templates = new Map<PlannedPrompt, TemplatedPrompt>();
  run.prompts.forEach((prompt, index) => {
    const template = templated[index];
    if (!template) throw new RangeError("There is not one templated prompt for each planned prompt.");
    templates.set(prompt, template);
  });
  const templateOf = (prompt: PlannedPrompt): TemplatedPrompt => {
    const template = templates.get(prompt);
    if (!template) throw new RangeError(`Prompt ${prompt.exampleId}/${prompt.promptId} has no template.`);
    return template;
  };
  const byExample = groupByExample(run.prompts);
  const repeats = spec.decoding.kind === "sampled" ? spec.decoding.repeats : 1;

  const generation = (prompt: PlannedPrompt, repeat: number): GenerationPiece => {
    const template = templateOf(prompt);
    const { decoding, seed } = spec;
    const key = contentKey({
      piece: "generation",
      ...conditions(spec),
      tokens: [...template.tokenIds],
      decoding: { ...decoding, repeats: null },
      // Greedy decoding has no random stream; its re-run is still a piece of its own.
      stream: [seed, prompt.exampleId, prompt.promptId, repeat],
    });
    return { key, prompt, templated: template, repeat };
  };
  const score = (exampleId: string, prompt: PlannedPrompt, relation: ScoreRecord["relation"]): ScorePiece => {
    const template = templateOf(prompt);
    const key = contentKey({
      piece: "score",
      ...conditions(spec),
      tokens: [...template.tokenIds],
      maxNewTokens: spec.decoding.maxNewTokens,
      of: exampleId,
      under: [prompt.exampleId, prompt.promptId],
      relation,
    });
    return {
      key,
      exampleId,
      promptExampleId: prompt.exampleId,
      promptId: prompt.promptId,
      relation,
      templated: template,
    };
  };

  const unrelated = planUnrelatedPairs(run.prompts, spec.unrelatedPairs, spec.seed);
  const reruns = new Set(planReruns(run.prompts, spec.rerunShare));
  const find = (exampleId: string, promptId: string) =>
    byExample.get(exampleId)?.find((prompt) => prompt.promptId === promptId);

  const ofExample = (exampleId: string): WorkGroup => {
    const prompts = byExample.get(exampleId) ?? [];
    const original = prompts.find((prompt) => prompt.role === "original");
    const distinct = prompts.filter(
      (prompt) =>
        prompt.role !== "null-edit" ||
        !original ||
        !sameTokens(templateOf(prompt).tokenIds, templateOf(original).tokenIds),
    );
    const again = distinct.filter((prompt) => reruns.has(prompt));
    return {
      exampleIds: [exampleId],
      generations: distinct.flatMap((prompt) =>
        Array.from({ length: repeats }, (_, repeat) => generation(prompt, repeat)),
      ),
      // Sampled answers are repeated by design; only greedy ones need a re-run to show determinism.
      reruns: spec.decoding.kind === "greedy" ? again.map((prompt) => generation(prompt, repeats)) : [],
      scores: [
        ...distinct.map((prompt) => score(exampleId, prompt, prompt.role)),
        ...again.map((prompt) => score(exampleId, prompt, "rerun")),
        ...unrelated
          .filter((pair) => pair.exampleId === exampleId)
          .flatMap((pair) => {
            const prompt = find(pair.promptExampleId, pair.promptId);
            return prompt ? [score(exampleId, prompt, "unrelated")] : [];
          }),
      ],
    };
  };

  const groups: WorkGroup[] = [];
  let open: WorkGroup[] = [];
  for (const exampleId of byExample.keys()) {
    open.push(ofExample(exampleId));
    if (open.reduce((rows, group) => rows + group.generations.length, 0) >= 2 * spec.batchRows) {
      groups.push(merge(open));
      open = [];
    }
  }
  if (open.length > 0) groups.push(merge(open));
  return groups;
}

function merge(groups: readonly WorkGroup[]): WorkGroup {
  return {
    exampleIds: groups.flatMap((group) => group.exampleIds),
    generations: groups.flatMap((group) => group.generations),
    reruns: groups.flatMap((group) => group.reruns),
    scores: groups.flatMap((group) => group.scores),
  };
}

function groupByExample(prompts: readonly PlannedPrompt[]): Map<string, PlannedPrompt[]> {
  const byExample = new Map<string, PlannedPrompt[]>();
  for (const prompt of prompts) {
    const list = byExample.get(prompt.exampleId);
    if (list) list.push(prompt);
    else byExample.set(prompt.exampleId, [prompt]);
  }
  return byExample;
}

/** Whether two prompts are the same to the model. */
export function sameTokens(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/**
 * Cuts pieces into batches of at most `rows`, pieces of similar length together, longest first (so that
 * the largest memory need shows at once). A function of its arguments alone.
 */
export function batchesOf<T extends { readonly templated: TemplatedPrompt; readonly key: string }>(
  pieces: readonly T[],
  rows: number,
): T[][] {
  const sorted = [...pieces].sort(
    (a, b) =>
      b.templated.tokenIds.length - a.templated.tokenIds.length ||
      (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  );
  const batches: T[][] = [];
  for (let start = 0; start < sorted.length; start += rows) batches.push(sorted.slice(start, start + rows));
  return batches;
}
