import type {
  ActivationRecord,
  BackgroundRecord,
  EmbeddingRecord,
  GenerationRecord,
  PlannedPrompt,
  RunBundle,
  RunSpec,
  ScoreRecord,
} from "../../storage/index.ts";

/** Everything that was recorded of one prompt. */
export interface PromptRecords {
  readonly prompt: PlannedPrompt;
  /** Repeats 0…R − 1, in order. */
  readonly generations: readonly [GenerationRecord, ...GenerationRecord[]];
  /** Embedding of each repeat; null for an empty response. */
  readonly embeddings: readonly (Float32Array | null)[];
  /** Token matching of the first answer with others; null where the run did not store it. */
  readonly tokenMatches: NonNullable<EmbeddingRecord["tokenMatches"]> | null;
  /** Further answers to the same greedy prompt. */
  readonly reruns: readonly GenerationRecord[];
  /** Of the last prompt token, the pooling of the headline. */
  readonly activation: ActivationRecord | null;
  /** Mean over the tokens of the user's own text. */
  readonly promptMean: ActivationRecord | null;
  /** The original's answer, scored under this prompt. */
  readonly score: ScoreRecord | null;
  readonly scoreReruns: readonly ScoreRecord[];
}

/** A null edit; `records` is null where its token ids equal the original's: it is not run a second time. */
export interface NullEditRecords {
  readonly prompt: PlannedPrompt;
  readonly records: PromptRecords | null;
}

/** An example whose wordings all have their answers and embeddings. */
export interface ExampleRecords {
  readonly id: string;
  readonly gold: readonly string[] | null;
  readonly original: PromptRecords;
  readonly variants: readonly PromptRecords[];
  /** The original and its variants, in the order of the plan. */
  readonly wordings: readonly PromptRecords[];
  readonly nullEdits: readonly NullEditRecords[];
  /** The original's answer under prompts of other examples. */
  readonly unrelatedScores: readonly ScoreRecord[];
}

export interface RunIndex {
  readonly spec: RunSpec;
  readonly planned: number;
  readonly repeats: number;
  /** Complete examples in the order of the plan, whatever the order of the records. */
  readonly examples: readonly ExampleRecords[];
  readonly background: BackgroundRecord | null;
}

/**
 * Finds the examples of a run that are complete, and what belongs to each of their prompts.
 *
 * Embeddings are written once all answers of an example's prompts are there, null edits included. So where the
 * wordings have theirs, a null edit without an answer is one that was left out on purpose: its token ids equal
 * the original's.
 *
 * @param only - ids to restrict the analysis to; null for all
 */
export function indexRun(bundle: RunBundle, only: ReadonlySet<string> | null): RunIndex {
  const { spec } = bundle.run;
  const repeats = spec.decoding.kind === "sampled" ? spec.decoding.repeats : 1;
  const byPrompt = new RecordsByPrompt(bundle, repeats);
  const planned = new Map<string, PlannedPrompt[]>();
  for (const prompt of bundle.run.prompts) {
    if (only !== null && !only.has(prompt.exampleId)) continue;
    const prompts = planned.get(prompt.exampleId);
    if (prompts) prompts.push(prompt);
    else planned.set(prompt.exampleId, [prompt]);
  }
  const examples: ExampleRecords[] = [];
  for (const [id, prompts] of planned) {
    const wordings = prompts
      .filter((prompt) => prompt.role !== "null-edit")
      .map((prompt) => byPrompt.of(prompt));
    const complete = wordings.filter((records) => records !== null);
    const original = complete.find((records) => records.prompt.role === "original");
    if (!original || complete.length < wordings.length) continue;
    const variants = complete.filter((records) => records !== original);
    examples.push({
      id,
      gold: bundle.run.golds[id] ?? null,
      original,
      variants,
      wordings: [original, ...variants],
      nullEdits: prompts
        .filter((prompt) => prompt.role === "null-edit")
        .map((prompt) => ({ prompt, records: distinctFrom(original, byPrompt.of(prompt)) })),
      unrelatedScores: byPrompt.unrelatedScores(id),
    });
  }
  return { spec, planned: planned.size, repeats, examples, background: bundle.background };
}

/** Null for a prompt that was not run, or that is the original to the model. */
function distinctFrom(original: PromptRecords, records: PromptRecords | null): PromptRecords | null {
  if (records === null) return null;
  const ids = records.generations[0].promptTokenIds;
  const originalIds = original.generations[0].promptTokenIds;
  return ids.length === originalIds.length && ids.every((id, at) => id === originalIds[at]) ? null : records;
}

const nameOf = (exampleId: string, promptId: string): string => `${exampleId}\u0000${promptId}`;

class RecordsByPrompt {
  readonly #repeats: number;
  readonly #generations = new Map<string, Map<number, GenerationRecord>>();
  readonly #embeddings = new Map<string, Map<number, Float32Array | null>>();
  readonly #tokenMatches = new Map<string, NonNullable<EmbeddingRecord["tokenMatches"]>>();
  readonly #activations = new Map<string, ActivationRecord>();
  readonly #promptMeans = new Map<string, ActivationRecord>();
  readonly #scores = new Map<string, ScoreRecord>();
  readonly #scoreReruns = new Map<string, ScoreRecord[]>();
  readonly #unrelated = new Map<string, ScoreRecord[]>();

  constructor(bundle: RunBundle, repeats: number) {
    this.#repeats = repeats;
    for (const record of bundle.generations) {
      inner(this.#generations, nameOf(record.exampleId, record.promptId)).set(record.repeat, record);
    }
    for (const record of bundle.embeddings) {
      inner(this.#embeddings, nameOf(record.exampleId, record.promptId)).set(record.repeat, record.vector);
      if (record.repeat === 0 && record.tokenMatches !== undefined)
        this.#tokenMatches.set(nameOf(record.exampleId, record.promptId), record.tokenMatches);
    }
    for (const record of bundle.activations) {
      const name = nameOf(record.exampleId, record.promptId);
      if (record.pooling === "last-prompt-token") this.#activations.set(name, record);
      if (record.pooling === "prompt-mean") this.#promptMeans.set(name, record);
    }
    for (const record of bundle.scores) {
      const name = nameOf(record.exampleId, record.promptId);
      if (record.relation === "unrelated") listOf(this.#unrelated, record.exampleId).push(record);
      else if (record.relation === "rerun") listOf(this.#scoreReruns, name).push(record);
      else this.#scores.set(name, record);
    }
  }

  /** Null unless every repeat has its answer and its embedding. */
  of(prompt: PlannedPrompt): PromptRecords | null {
    const name = nameOf(prompt.exampleId, prompt.promptId);
    const generations: GenerationRecord[] = [];
    const embeddings: (Float32Array | null)[] = [];
    for (let repeat = 0; repeat < this.#repeats; repeat += 1) {
      const generation = this.#generations.get(name)?.get(repeat);
      const embedding = this.#embeddings.get(name)?.get(repeat);
      if (generation === undefined || embedding === undefined) return null;
      generations.push(generation);
      embeddings.push(embedding);
    }
    const [first, ...others] = generations;
    if (first === undefined) return null;
    const reruns = [...(this.#generations.get(name)?.values() ?? [])].filter(
      ({ repeat }) => repeat >= this.#repeats,
    );
    return {
      prompt,
      generations: [first, ...others],
      embeddings,
      tokenMatches: this.#tokenMatches.get(name) ?? null,
      reruns: reruns.sort((a, b) => a.repeat - b.repeat),
      activation: this.#activations.get(name) ?? null,
      promptMean: this.#promptMeans.get(name) ?? null,
      score: this.#scores.get(name) ?? null,
      scoreReruns: this.#scoreReruns.get(name) ?? [],
    };
  }

  unrelatedScores(exampleId: string): ScoreRecord[] {
    const order = (record: ScoreRecord) => nameOf(record.promptExampleId, record.promptId);
    return [...(this.#unrelated.get(exampleId) ?? [])].sort((a, b) =>
      order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0,
    );
  }
}

function inner<T>(maps: Map<string, Map<number, T>>, name: string): Map<number, T> {
  const known = maps.get(name);
  if (known) return known;
  const made = new Map<number, T>();
  maps.set(name, made);
  return made;
}

function listOf<T>(lists: Map<string, T[]>, name: string): T[] {
  const known = lists.get(name);
  if (known) return known;
  const made: T[] = [];
  lists.set(name, made);
  return made;
}
