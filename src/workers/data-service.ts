import {
  builtInDatasets,
  ImportSession,
  loadBuiltInDataset,
  parseDataset,
  type Dataset,
  type DatasetExample,
  type ImportMapping,
  type ImportPreview,
  type ImportProblem,
} from "../datasets/index.ts";
import {
  GATE_RULE,
  gateThreshold,
  rejectionReason,
  similarityOf,
  type WorkerHandle,
} from "../evaluation/index.ts";
import type { Encoder, ModelSource } from "../inference/index.ts";
import type { DatasetStore, StoredDataset } from "../storage/index.ts";
import { generateVariants, type FamilyChoice } from "../variants/index.ts";

/** A file as the page has it: a pasted text has a made-up name. */
export interface NamedBlob {
  readonly name: string;
  readonly blob: Blob;
}

/** Problems are counted all and shown in part: a broken file can have a hundred thousand. */
export interface ProblemList {
  readonly shown: readonly ImportProblem[];
  readonly total: number;
}

export type OpenedImport = Omit<ImportPreview, "problems"> & { readonly problems: ProblemList };

/** What a mapping would make of the files; `example` is its first question. */
export interface ImportOutcome {
  readonly examples: number;
  readonly variants: number;
  readonly example: DatasetExample | null;
  readonly problems: ProblemList;
}

export interface MeaningCheck {
  /** null: not calibrated, for the reason in `notApplied`. */
  readonly threshold: number | null;
  readonly notApplied: string | null;
  /** In the order of the texts; `reason` is null for what passes. */
  readonly results: readonly { readonly similarity: number | null; readonly reason: string | null }[];
}

const SHOWN = 200;

/** Datasets outside of runs: imports, the reader's own sets, and the meaning gate as a preview. Lives in a worker. */
export class DataService {
  readonly #store: DatasetStore;
  readonly #makeEncoder: () => WorkerHandle<Encoder>;
  readonly #session = new ImportSession();
  #encoder: { readonly handle: WorkerHandle<Encoder>; readonly ready: Promise<unknown> } | null = null;
  #last: { readonly id: string; readonly version: string | null; readonly dataset: Dataset } | null = null;
  #originals: { readonly key: string; readonly vectors: readonly (Float32Array | null)[] } | null = null;

  constructor(store: DatasetStore, makeEncoder: () => WorkerHandle<Encoder>) {
    this.#store = store;
    this.#makeEncoder = makeEncoder;
  }

  /** Reads files here, so that the page does not wait for large ones. */
  async openFiles(files: readonly NamedBlob[]): Promise<OpenedImport> {
    const read = await Promise.all(
      files.map(async ({ name, blob }) => ({ name, bytes: new Uint8Array(await blob.arrayBuffer()) })),
    );
    const { problems, ...preview } = await this.#session.open(read);
    return { ...preview, problems: shortened(problems) };
  }

  /** What a mapping would make of the opened files; nothing is stored. */
  async tryMapping(mapping: ImportMapping): Promise<ImportOutcome> {
    const { dataset, problems } = this.#session.build(mapping, "trial");
    return {
      examples: dataset?.examples.length ?? 0,
      variants: variantsIn(dataset),
      example: dataset?.examples[0] ?? null,
      problems: shortened(problems),
    };
  }

  /** Stores what a mapping makes of the opened files. @throws {Error} if no row could be used */
  async saveImport(mapping: ImportMapping): Promise<string> {
    const { dataset } = this.#session.build(mapping, await this.#freeId(mapping.name));
    if (dataset === null) throw new Error("No row of these files can be used with this choice of columns.");
    return this.#add(dataset);
  }

  /** Stores a dataset, under another id where its own is taken. @throws {Error} naming what is wrong with it */
  async saveDataset(value: unknown): Promise<string> {
    const dataset = checked(value);
    return this.#add({ ...dataset, id: await this.#freeId(dataset.id) });
  }

  /** A copy of any set, to be edited. */
  async copy(id: string): Promise<string> {
    const dataset = await this.load(id);
    const name = `${dataset.name}, copy`;
    return this.#add({ ...dataset, id: await this.#freeId(name), name });
  }

  list(): Promise<StoredDataset[]> {
    return this.#store.list();
  }

  async remove(id: string): Promise<void> {
    this.#last = null;
    await this.#store.remove(id);
  }

  /** A built-in set or a stored one. @throws {Error} if there is none, or it is damaged */
  async load(id: string): Promise<Dataset> {
    // Another tab may have changed the set meanwhile.
    const version = (await this.#store.list()).find((stored) => stored.id === id)?.updatedAt ?? null;
    if (this.#last?.id === id && this.#last.version === version) return this.#last.dataset;
    const dataset = builtInDatasets().some((builtIn) => builtIn.id === id)
      ? await loadBuiltInDataset(id)
      : checked(await this.#store.content(id));
    this.#last = { id, version, dataset };
    return dataset;
  }

  /** Some questions of a set, those whose text or id holds `find`. */
  async page(
    id: string,
    find: string,
    from: number,
    count: number,
  ): Promise<{
    readonly dataset: Omit<Dataset, "examples">;
    readonly examples: DatasetExample[];
    readonly total: number;
  }> {
    const { examples, ...dataset } = await this.load(id);
    const sought = find.trim().toLowerCase();
    const found =
      sought === ""
        ? examples
        : examples.filter(
            (example) =>
              example.id.toLowerCase().includes(sought) || example.prompt.toLowerCase().includes(sought),
          );
    return { dataset, examples: found.slice(from, from + count), total: found.length };
  }

  /** The documented JSON. */
  async exportJson(id: string): Promise<Blob> {
    return new Blob([JSON.stringify(await this.load(id), null, 1)], { type: "application/json" });
  }

  /** Replaces one question. @throws {Error} naming what is wrong with it; nothing is changed then */
  async saveExample(id: string, exampleId: string, example: DatasetExample): Promise<void> {
    const dataset = await this.load(id);
    const examples = dataset.examples.map((old) => (old.id === exampleId ? example : old));
    await this.#replace(checkedWith(dataset, example), examples);
  }

  /** Adds wordings by rule to every question; what a question has already stays. */
  async generateForAll(
    id: string,
    choices: readonly FamilyChoice[],
    seed: number,
  ): Promise<{ readonly added: number; readonly refused: number }> {
    const dataset = await this.load(id);
    let added = 0;
    let refused = 0;
    const examples = dataset.examples.map((example) => {
      const known = new Set([example.prompt.trim(), ...example.variants.map(({ prompt }) => prompt.trim())]);
      const ids = new Set(example.variants.map((variant) => variant.id));
      const made = generateVariants(example.prompt, choices, { seed, labels: dataset.labels ?? [] }).flatMap(
        ({ id: variantId, family, label, strength, text }) => {
          if (text === null) refused += 1;
          if (text === null || known.has(text.trim()) || ids.has(variantId)) return [];
          added += 1;
          return [{ id: variantId, family, label, prompt: text, ...(strength === null ? {} : { strength }) }];
        },
      );
      return made.length === 0 ? example : { ...example, variants: [...example.variants, ...made] };
    });
    if (added > 0) await this.#replace(dataset, examples);
    return { added, refused };
  }

  /** What the gate of a run would say to these wordings. */
  async checkMeaning(
    id: string,
    original: string,
    texts: readonly string[],
    encoder: ModelSource,
  ): Promise<MeaningCheck> {
    const { examples } = await this.load(id);
    const api = await this.#loadedEncoder(encoder);
    const sample = examples.slice(0, GATE_RULE.originals).map(({ prompt }) => prompt);
    const key = JSON.stringify(sample);
    if (this.#originals?.key !== key) this.#originals = { key, vectors: await api.embed(sample) };
    const { threshold, notApplied } = gateThreshold(this.#originals.vectors);
    const [ofOriginal = null, ...vectors] = await api.embed([original, ...texts]);
    return {
      threshold,
      notApplied,
      results: texts.map((_, at) => {
        const similarity = similarityOf(ofOriginal, vectors[at] ?? null);
        return { similarity, reason: threshold === null ? null : rejectionReason(similarity, threshold) };
      }),
    };
  }

  async #loadedEncoder(source: ModelSource): Promise<Encoder> {
    if (this.#encoder === null) {
      const handle = this.#makeEncoder();
      this.#encoder = { handle, ready: handle.api.load(source, () => undefined) };
    }
    const { handle, ready } = this.#encoder;
    try {
      await ready;
    } catch (error) {
      // A failed worker is not asked again.
      handle.terminate();
      this.#encoder = null;
      throw error;
    }
    return handle.api;
  }

  async #add(dataset: Dataset): Promise<string> {
    await this.#store.add(summaryOf(dataset), dataset);
    return dataset.id;
  }

  async #replace(dataset: Dataset, examples: DatasetExample[]): Promise<void> {
    const next = { ...dataset, examples };
    await this.#store.replace(summaryOf(next), next);
  }

  async #freeId(name: string): Promise<string> {
    const taken = new Set([...builtInDatasets(), ...(await this.#store.list())].map(({ id }) => id));
    const base =
      name
        .normalize("NFKD")
        .toLowerCase()
        .replace(/[^a-z0-9]+/gu, "-")
        .replace(/^-|-$/gu, "")
        .slice(0, 40) || "set";
    let id = base;
    for (let copy = 2; taken.has(id); copy += 1) id = `${base}-${copy}`;
    return id;
  }
}

function summaryOf(dataset: Dataset): Omit<StoredDataset, "createdAt" | "updatedAt"> {
  const { id, name, description, kind, examples } = dataset;
  return { id, name, description, kind, examples: examples.length, variants: variantsIn(dataset) };
}

function variantsIn(dataset: Dataset | null): number {
  return dataset?.examples.reduce((sum, { variants }) => sum + variants.length, 0) ?? 0;
}

function shortened(problems: readonly ImportProblem[]): ProblemList {
  return { shown: problems.slice(0, SHOWN), total: problems.length };
}

/** @throws {Error} naming the first problems with their places */
function checked(value: unknown): Dataset {
  const parsed = parseDataset(value);
  if (parsed.ok) return parsed.dataset;
  const problems = parsed.problems.slice(0, 5).map(({ where, message }) => `${where}: ${message}`);
  throw new Error(problems.join(" "));
}

/** The dataset itself, if one question of it may become this. */
function checkedWith(dataset: Dataset, example: DatasetExample): Dataset {
  checked({ ...dataset, examples: [example] });
  return dataset;
}
