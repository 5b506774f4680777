import { get, writable, type Readable } from "svelte/store";
import type { Dataset, DatasetExample, ImportMapping } from "../datasets/index.ts";
import type { StoredDataset } from "../storage/index.ts";
import type { DataController, DatasetChoice, NamedBlob } from "../ui/controller.ts";
import type { FamilyChoice } from "../variants/index.ts";
import type { DataClient } from "../workers/index.ts";
import type { Library } from "./model-library.ts";

/** The reader's own sets: the list that the page shows, and what is done to them in their worker. */
export class DataDesk implements DataController {
  readonly #client: DataClient;
  readonly #library: Library;
  readonly #sets = writable<readonly StoredDataset[]>([]);
  #known: readonly StoredDataset[] = [];

  constructor(client: DataClient, library: Library) {
    this.#client = client;
    this.#library = library;
  }

  get sets(): Readable<readonly StoredDataset[]> {
    return this.#sets;
  }

  /** What the run bar offers. */
  get choices(): readonly DatasetChoice[] {
    return this.#known.map(({ id, name, description, kind, examples, variants }) => ({
      ...{ id, name, description, kind, examples },
      variants: Math.round(variants / Math.max(1, examples)),
    }));
  }

  /** How a run is told which set it is over. */
  reference(id: string): string | { readonly stored: string } {
    return this.#known.some((set) => set.id === id) ? { stored: id } : id;
  }

  async refresh(): Promise<void> {
    this.#known = await this.#client.list();
    this.#sets.set(this.#known);
  }

  openFiles(files: readonly NamedBlob[]) {
    return this.#client.openFiles(files);
  }

  tryMapping(mapping: ImportMapping) {
    return this.#client.tryMapping(mapping);
  }

  saveImport(mapping: ImportMapping): Promise<string> {
    return this.#changed(this.#client.saveImport(mapping));
  }

  saveDataset(dataset: Dataset): Promise<string> {
    return this.#changed(this.#client.saveDataset(dataset));
  }

  copy(id: string): Promise<string> {
    return this.#changed(this.#client.copy(id));
  }

  remove(id: string): Promise<void> {
    return this.#changed(this.#client.remove(id));
  }

  exportJson(id: string): Promise<Blob> {
    return this.#client.exportJson(id);
  }

  page(id: string, find: string, from: number, count: number) {
    return this.#client.page(id, find, from, count);
  }

  saveExample(id: string, exampleId: string, example: DatasetExample): Promise<void> {
    return this.#changed(this.#client.saveExample(id, exampleId, example));
  }

  generateForAll(id: string, choices: readonly FamilyChoice[], seed: number) {
    return this.#changed(this.#client.generateForAll(id, choices, seed));
  }

  checkMeaning(id: string, original: string, texts: readonly string[]) {
    const encoder = this.#library.request(get(this.#library.state).encoderId);
    return this.#client.checkMeaning(id, original, texts, encoder.source);
  }

  async #changed<T>(change: Promise<T>): Promise<T> {
    try {
      return await change;
    } finally {
      await this.refresh();
    }
  }
}
