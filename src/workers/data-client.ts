/** Datasets outside of runs, as the page sees them: read, edited and stored in a worker of their own. */
import type * as Comlink from "comlink";
import type { DatasetExample, ImportMapping } from "../datasets/index.ts";
import type { ModelSource } from "../inference/index.ts";
import type { FamilyChoice } from "../variants/index.ts";
import type { DataService, NamedBlob } from "./data-service.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

/** A hundred thousand rows take seconds, and the encoder a minute; a worker that says nothing for this long is broken. */
const SILENCE_MS = 600_000;

export class DataClient {
  readonly #connection: WorkerConnection<DataService>;

  constructor(spawn: () => WorkerLike = spawnDataWorker) {
    this.#connection = new WorkerConnection("The worker for datasets", spawn);
  }

  readonly openFiles = (files: readonly NamedBlob[]) => this.#call((remote) => remote.openFiles(files));
  readonly tryMapping = (mapping: ImportMapping) => this.#call((remote) => remote.tryMapping(mapping));
  readonly saveImport = (mapping: ImportMapping) => this.#call((remote) => remote.saveImport(mapping));
  readonly saveDataset = (value: unknown) => this.#call((remote) => remote.saveDataset(value));
  readonly copy = (id: string) => this.#call((remote) => remote.copy(id));
  readonly list = () => this.#call((remote) => remote.list());
  readonly remove = (id: string) => this.#call((remote) => remote.remove(id));
  readonly exportJson = (id: string) => this.#call((remote) => remote.exportJson(id));
  readonly page = (id: string, find: string, from: number, count: number) =>
    this.#call((remote) => remote.page(id, find, from, count));
  readonly saveExample = (id: string, exampleId: string, example: DatasetExample) =>
    this.#call((remote) => remote.saveExample(id, exampleId, example));
  readonly generateForAll = (id: string, choices: readonly FamilyChoice[], seed: number) =>
    this.#call((remote) => remote.generateForAll(id, choices, seed));
  readonly checkMeaning = (id: string, original: string, texts: readonly string[], encoder: ModelSource) =>
    this.#call((remote) => remote.checkMeaning(id, original, texts, encoder));

  #call<T>(invoke: (remote: Comlink.Remote<DataService>) => Promise<T>): Promise<T> {
    if (this.#connection.failed) this.#connection.replace();
    return this.#connection.call(invoke, { silenceMs: SILENCE_MS, stop: null });
  }
}

function spawnDataWorker(): Worker {
  return new Worker(new URL("./data.worker.ts", import.meta.url), { type: "module", name: "sago-data" });
}
