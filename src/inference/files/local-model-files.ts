/** The class behind `model-files.worker.ts`: looks models up, downloads, checks and removes them. */
import * as v from "valibot";
import { readOnnxGraph } from "../../onnx/index.ts";
import { EngineError } from "../engine-error.ts";
import type { FileDigest, ModelSource } from "../types.ts";
import { BlobOrigin } from "./blob-origin.ts";
import { openHubStore, type ByteStore } from "./byte-store.ts";
import {
  describeModel,
  graphsOf,
  withFiles,
  type ListedFile,
  type ModelDescription,
} from "./describe-model.ts";
import { externalFiles } from "./graph-file.ts";
import { hubInfoUrl, parseHubReference } from "./hub-address.ts";
import { fetchHubListing, type HubListing } from "./hub-listing.ts";
import { HubOrigin, type HubSource } from "./hub-origin.ts";
import { SILENCE_MS } from "./hub-request.ts";
import { licenceOfCard } from "./model-card.ts";
import { readModelConfig } from "./model-config.ts";
import { ModelFolder, type DownloadProgress, type FileOrigin } from "./model-folder.ts";
import { modelRoot } from "./model-root.ts";

/** A model of a hub at one commit, as it is remembered between visits. */
export interface HubModel extends HubListing {
  readonly description: ModelDescription;
}

/** A model in a folder that a person opened. */
export interface FolderModel {
  readonly id: string;
  readonly licence: string | null;
  readonly description: ModelDescription;
  readonly source: Extract<ModelSource, { kind: "folder" }>;
}

/** What of one format is in this browser. */
export interface KeptState {
  /** 0 until the download has begun: configuration that a look-up reads, and keeps, does not count by itself. */
  readonly bytes: number;
  /** Every file was read back after writing and compared with its hash. */
  readonly checked: boolean;
}

export interface ModelFiles {
  /** @param text - `owner/name`, `owner/name@revision`, or the address of the model's page */
  lookUp(text: string, access: { readonly host: string; readonly token: string | null }): Promise<HubModel>;
  /** The models of hubs that this browser remembers. */
  remembered(): Promise<HubModel[]>;
  /** By number format. */
  kept(model: HubModel): Promise<Readonly<Record<string, KeptState>>>;
  /** Downloads what is missing of one format, and checks all of it; gives the model with what its graph names. */
  download(
    model: HubModel,
    token: string | null,
    dtype: string,
    onProgress: (progress: DownloadProgress) => void,
  ): Promise<HubModel>;
  /** Removes a model's files and forgets it. */
  remove(model: HubModel): Promise<void>;
  /** Finds the model in an opened folder. */
  inspectFolder(
    id: string,
    files: readonly { readonly path: string; readonly file: Blob }[],
  ): Promise<FolderModel>;
  /** Stops the running download; what came is kept. */
  stop(): void;
}

export interface ModelFilesSurroundings {
  readonly fetch: typeof fetch;
  readonly store: () => Promise<ByteStore>;
  readonly silenceMs: number;
}

const REMEMBERED = "&sago-model";
/** Larger graphs hold their weights themselves; there is nothing to find out. */
const LARGEST_GRAPH_TO_READ = 256 * 1024 * 1024;

export class LocalModelFiles implements ModelFiles {
  readonly #surroundings: ModelFilesSurroundings;
  #abort: AbortController | null = null;

  constructor(surroundings: Partial<ModelFilesSurroundings> = {}) {
    this.#surroundings = {
      fetch: (input, init) => fetch(input, init),
      store: openHubStore,
      silenceMs: SILENCE_MS,
      ...surroundings,
    };
  }

  async lookUp(
    text: string,
    { host, token }: { readonly host: string; readonly token: string | null },
  ): Promise<HubModel> {
    const { fetch, silenceMs } = this.#surroundings;
    const reference = parseHubReference(text, host);
    const listing = await fetchHubListing(reference, { host, token, fetch, silenceMs, signal: null });
    const folder = new ModelFolder(listing.id, this.#origin(listing, token, null));
    const description = await describeModel(listing.id, listing.files, () =>
      folder.requiredJson("config.json"),
    );
    const model = { ...listing, description };
    await this.#remember(model);
    return model;
  }

  async remembered(): Promise<HubModel[]> {
    const store = await this.#surroundings.store();
    const models: HubModel[] = [];
    for (const address of await store.addresses()) {
      if (!address.endsWith(REMEMBERED)) continue;
      const bytes = await (await store.get(address))?.read();
      const model = bytes === undefined ? null : readRemembered(new TextDecoder().decode(bytes));
      if (model !== null) models.push(model);
    }
    return models;
  }

  async kept(model: HubModel): Promise<Readonly<Record<string, KeptState>>> {
    const origin = this.#origin(model, null, null);
    const states: Record<string, KeptState> = {};
    for (const { dtype, files } of model.description.formats) {
      let bytes = 0;
      let begun = false;
      let checked = true;
      for (const path of files) {
        const file = await origin.kept(path);
        bytes += file.bytes;
        begun ||= file.bytes > 0 && !path.endsWith(".json");
        checked &&= file.checked;
      }
      states[dtype] = {
        bytes: begun ? bytes : 0,
        checked: checked && (await this.#surroundings.store()).lasting,
      };
    }
    return states;
  }

  async download(
    model: HubModel,
    token: string | null,
    dtype: string,
    onProgress: (progress: DownloadProgress) => void,
  ): Promise<HubModel> {
    if (this.#abort) throw new Error("Another model is being downloaded. Wait for it, or stop it.");
    this.#abort = new AbortController();
    try {
      const origin = this.#origin(model, token, this.#abort.signal);
      const named = await this.#keepAll(model, origin, dtype, onProgress);
      // What only the graph names comes on top; the second round finds the rest kept and reads it back once more.
      if (named !== model) await this.#keepAll(named, origin, dtype, onProgress);
      await this.#remember(named);
      return named;
    } finally {
      this.#abort = null;
    }
  }

  stop(): void {
    this.#abort?.abort(new DOMException("The download was stopped.", "AbortError"));
  }

  async remove(model: HubModel): Promise<void> {
    const store = await this.#surroundings.store();
    await store.delete(rememberedAt(model));
    const origin = this.#origin(model, null, null);
    for (const { path } of model.files) {
      // Asking for each file's parts one by one would take long for repositories of thousands of files.
      if ((await origin.kept(path)).bytes > 0) await origin.forget(path);
    }
  }

  async inspectFolder(
    id: string,
    given: readonly { readonly path: string; readonly file: Blob }[],
  ): Promise<FolderModel> {
    const root = modelRoot(
      id,
      given.map(({ path }) => path),
    );
    const files = given
      .filter(({ path }) => path.startsWith(root))
      .map(({ path, file }) => ({ path: path.slice(root.length), file }));
    const origin = new BlobOrigin(files);
    const folder = new ModelFolder(id, origin);
    const listed = files.map(({ path, file }) => ({ path, bytes: file.size }));
    let description = await describeModel(id, listed, () => folder.requiredJson("config.json"));
    for (const { dtype } of description.formats) {
      description = withFiles(description, dtype, await this.#weightsOf(id, origin, listed, dtype));
    }
    return {
      id,
      licence: licenceOfCard((await folder.text("README.md")) ?? ""),
      description,
      source: { kind: "folder", id, files },
    };
  }

  async #keepAll(
    model: HubModel,
    origin: HubOrigin,
    dtype: string,
    onProgress: (progress: DownloadProgress) => void,
  ): Promise<HubModel> {
    const format = model.description.formats.find((one) => one.dtype === dtype);
    if (!format) throw new EngineError("file-missing", `${model.id} has no graph in the format ${dtype}.`);
    const totalBytes = format.bytes ?? 0;
    let done = 0;
    for (const path of format.files) {
      let length = 0;
      await origin.keep(path, (loaded) => {
        length = loaded;
        onProgress({
          loadedBytes: done + loaded,
          totalBytes: Math.max(totalBytes, done + loaded),
          file: path,
        });
      });
      done += length;
    }
    const weights = await this.#weightsOf(model.id, origin, model.files, dtype);
    const description = withFiles(model.description, dtype, weights);
    return description.formats.every((one, index) => one === model.description.formats[index])
      ? model
      : { ...model, description };
  }

  /**
   * The weight files that the graphs of a format name.
   *
   * @throws {EngineError} `file-missing` naming the ones that are not listed
   */
  async #weightsOf(
    id: string,
    origin: FileOrigin,
    listed: readonly ListedFile[],
    dtype: string,
  ): Promise<ListedFile[]> {
    const sizes = new Map(listed.map((file) => [file.path, file]));
    const folder = new ModelFolder(id, origin);
    const config = readModelConfig(await folder.requiredJson("config.json"), null);
    const weights = new Map<string, ListedFile>();
    for (const { path } of graphsOf(config, dtype, (file) => sizes.has(file))) {
      if ((sizes.get(path)?.bytes ?? 0) > LARGEST_GRAPH_TO_READ) continue;
      const bytes = (await origin.read(path, () => undefined))?.bytes;
      if (!bytes) continue;
      const locations = new Set<string>();
      for (const { external } of readOnnxGraph(bytes).initialisers.values()) {
        if (external) locations.add(external.location);
      }
      for (const external of externalFiles(path, [...locations], config.externalData)) {
        const file = sizes.get(external.path);
        if (file) weights.set(external.path, file);
        else if (locations.size > 0) {
          throw new EngineError(
            "file-missing",
            `${id} lacks ${external.path}, which holds weights of ${path}. Put it beside the graph, under this name.`,
            { model: id, file: external.path },
          );
        }
      }
    }
    return [...weights.values()];
  }

  #origin(model: HubListing, token: string | null, signal: AbortSignal | null): HubOrigin {
    return new HubOrigin(hubSource(model, token), { ...this.#surroundings, signal });
  }

  async #remember(model: HubModel): Promise<void> {
    const store = await this.#surroundings.store();
    await store.put(rememberedAt(model), new TextEncoder().encode(JSON.stringify(model)));
  }
}

/** Where a worker finds the model's files. */
export function hubSource(model: HubListing, token: string | null): HubSource {
  const { id, host, revision, files } = model;
  return { kind: "hub", id, host, revision, files, token };
}

function rememberedAt(model: HubListing): string {
  return hubInfoUrl(model.host, model) + REMEMBERED;
}

const digestSchema: v.GenericSchema<unknown, FileDigest> = v.object({
  kind: v.picklist(["sha256", "git-blob"]),
  hex: v.string(),
});
const bytesSchema = v.nullable(v.number());
const rememberedSchema: v.GenericSchema<unknown, HubModel> = v.object({
  id: v.string(),
  host: v.pipe(v.string(), v.url()),
  revision: v.string(),
  askedRevision: v.string(),
  licence: v.nullable(v.string()),
  gated: v.boolean(),
  files: v.array(v.object({ path: v.string(), bytes: bytesSchema, digest: v.nullable(digestSchema) })),
  description: v.object({
    role: v.picklist(["language", "encoder"]),
    layers: v.number(),
    hiddenSize: v.number(),
    formats: v.array(v.object({ dtype: v.string(), files: v.array(v.string()), bytes: bytesSchema })),
    ownDtype: v.nullable(v.string()),
  }),
});

/** null for what another version wrote: the model is then looked up again. */
function readRemembered(text: string): HubModel | null {
  try {
    const parsed = v.safeParse(rememberedSchema, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
