import { get, writable, type Readable } from "svelte/store";
import {
  hubSource,
  type FolderModel,
  type HubModel,
  type KeptState,
  type ModelDescription,
  type ModelFiles,
  type ModelSource,
} from "../inference/index.ts";
import { modelKey, type RunSpec } from "../storage/index.ts";
import type { LibraryState, ModelChoice, ModelLibrary, OpenedFolder } from "../ui/controller.ts";
import type { CatalogueModel } from "./catalogue.ts";
import { bundledChoice, folderChoice, hubChoice, type ModelChoices } from "./model-choice.ts";
import { Pace } from "./pace.ts";
import { effectiveDevice, refusalOf, type DeviceAbilities } from "./precision.ts";
import { rememberChoices, rememberedChoices, type RememberedChoices } from "./remembered-choices.ts";

type Entry =
  | { readonly kind: "bundled"; readonly model: CatalogueModel }
  | { readonly kind: "hub"; readonly model: HubModel; readonly kept: Readonly<Record<string, KeptState>> }
  | { readonly kind: "folder"; readonly model: FolderModel };

export interface LibraryParts {
  readonly files: ModelFiles;
  readonly bundled: readonly CatalogueModel[];
  /** Origin of the hub. */
  readonly host: string;
  readonly abilities: DeviceAbilities;
}

/** Models that come with the page, from the hub and from opened folders, and which of them the next run takes. */
export class Library implements ModelLibrary {
  readonly #parts: LibraryParts;
  readonly #entries = new Map<string, Entry>();
  readonly #state = writable<LibraryState>({
    models: [],
    encoders: [],
    modelId: "",
    encoderId: "",
    picked: false,
    host: "",
    hasToken: false,
    download: null,
  });
  #remembered: RememberedChoices;
  #token: string | null = null;
  #lastOpened: Promise<string> | null = null;

  constructor(parts: LibraryParts) {
    this.#parts = parts;
    this.#remembered = rememberedChoices();
    for (const model of parts.bundled) this.#entries.set(model.id, { kind: "bundled", model });
    this.#show({ host: new URL(parts.host).host });
  }

  get state(): Readable<LibraryState> {
    return this.#state;
  }

  /** The folder that was opened last, for scripts; null before the first. */
  get lastOpened(): Promise<string> | null {
    return this.#lastOpened;
  }

  /** Reads which models of hubs this browser has; call once. */
  async open(): Promise<void> {
    for (const model of await this.#parts.files.remembered()) {
      this.#entries.set(keyOfHub(model), { kind: "hub", model, kept: await this.#parts.files.kept(model) });
    }
    this.#show();
  }

  async lookUp(text: string): Promise<string> {
    const { files, host } = this.#parts;
    const model = await files.lookUp(text, { host, token: this.#token });
    const id = keyOfHub(model);
    this.#entries.set(id, { kind: "hub", model, kept: await files.kept(model) });
    this.#show();
    return id;
  }

  openFolder(folder: Promise<OpenedFolder>): Promise<string> {
    const opened = this.#open(folder);
    this.#lastOpened = opened;
    return opened;
  }

  giveToken(token: string | null): void {
    const given = token?.trim() ?? "";
    this.#token = given === "" ? null : given;
    this.#show({ hasToken: this.#token !== null });
  }

  use(id: string): void {
    const choice = this.#choice(id);
    if (choice.role === "encoder") this.#remember({ encoderId: id });
    else this.#remember({ modelId: id });
    this.#show(choice.role === "language" ? { picked: true } : {});
  }

  set(id: string, choice: ModelChoices): void {
    const { choices } = this.#remembered;
    this.#remember({ choices: { ...choices, [id]: { ...choices[id], ...choice } } });
    this.#show();
  }

  async download(id: string): Promise<void> {
    const entry = this.#entry(id);
    if (entry.kind !== "hub") return;
    const { dtype, device, sizeBytes, role } = this.#choice(id);
    if (role === "language") this.assertRuns(id, device);
    const pace = new Pace();
    const report = (loadedBytes: number, totalBytes: number) => {
      pace.observe(performance.now(), loadedBytes);
      const download = {
        id,
        loadedBytes,
        totalBytes,
        bytesPerSecond: pace.perSecond,
        secondsLeft: pace.secondsLeft(totalBytes),
      };
      this.#show({ download });
    };
    report(0, sizeBytes ?? 0);
    let model = entry.model;
    try {
      model = await this.#parts.files.download(model, this.#token, dtype, (progress) =>
        report(progress.loadedBytes, progress.totalBytes),
      );
    } finally {
      this.#entries.set(id, { kind: "hub", model, kept: await this.#parts.files.kept(model) });
      this.#show({ download: null });
    }
  }

  stopDownload(): void {
    this.#parts.files.stop();
  }

  async remove(id: string): Promise<void> {
    const entry = this.#entry(id);
    if (entry.kind === "bundled") throw new Error("A model that comes with the page cannot be removed.");
    if (entry.kind === "hub") await this.#parts.files.remove(entry.model);
    this.#entries.delete(id);
    this.#show();
  }

  /** What a run has downloaded counts from now on. */
  async refresh(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry?.kind !== "hub") return;
    this.#entries.set(id, { ...entry, kept: await this.#parts.files.kept(entry.model) });
    this.#show();
  }

  /** Where a model's files are, and in which format. A bundled model chooses its own. */
  request(id: string): { readonly source: ModelSource; readonly dtype: string | null } {
    const entry = this.#entry(id);
    const source = this.#source(entry);
    return { source, dtype: entry.kind === "bundled" ? null : this.#choice(id).dtype };
  }

  /** Layers and width of a model; null for one that comes with the page. */
  shape(id: string): Pick<ModelDescription, "layers" | "hiddenSize"> | null {
    const entry = this.#entries.get(id);
    return !entry || entry.kind === "bundled" ? null : entry.model.description;
  }

  /** @throws {Error} if the device cannot compute the chosen format, with what to choose instead */
  assertRuns(id: string, device: ModelChoice["device"]): void {
    const { abilities } = this.#parts;
    const { kind } = this.#entry(id);
    const refusal =
      kind === "bundled"
        ? null
        : refusalOf(this.#choice(id).dtype, effectiveDevice(device, abilities), abilities);
    if (refusal !== null) throw new Error(refusal);
  }

  /**
   * The sources of a stored run, to continue it.
   *
   * @throws {Error} that asks for the folder where one has to be opened again
   */
  async sourcesOf({ model, encoder }: RunSpec): Promise<{ model: ModelSource; encoder: ModelSource }> {
    return {
      model: await this.#sourceOf({ ...model, what: "model" }),
      encoder: await this.#sourceOf({
        id: encoder.id,
        source: encoder.source ?? "bundled",
        revision: encoder.revision ?? null,
        what: "sentence encoder",
      }),
    };
  }

  async #open(folder: Promise<OpenedFolder>): Promise<string> {
    const { name, files } = await folder;
    const model = await this.#parts.files.inspectFolder(name, files);
    const id = modelKey({ id: model.id, source: "folder", revision: null });
    this.#entries.set(id, { kind: "folder", model });
    this.#show();
    return id;
  }

  async #sourceOf(wanted: {
    readonly id: string;
    readonly source: "bundled" | "hub" | "folder";
    readonly revision: string | null;
    readonly what: string;
  }): Promise<ModelSource> {
    const key = modelKey(wanted);
    const entry = this.#entries.get(key);
    if (entry) return this.#source(entry);
    if (wanted.source === "folder") {
      throw new Error(
        `The ${wanted.what} of this run was opened from the folder “${wanted.id}”, which the page cannot read by itself. Open that folder again on the page Models, then continue: its files are compared with the run’s.`,
      );
    }
    if (wanted.source === "bundled") {
      throw new Error(`The ${wanted.what} of this run, ${wanted.id}, does not come with this page.`);
    }
    return this.#source(this.#entry(await this.lookUp(key)));
  }

  #source(entry: Entry): ModelSource {
    return entry.kind === "hub" ? hubSource(entry.model, this.#token) : entry.model.source;
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry) {
      throw new Error(
        `The model ${id} is not in the list. Add it on the page Models: a folder has to be opened again after a reload.`,
      );
    }
    return entry;
  }

  #choice(id: string): ModelChoice {
    const { models, encoders } = get(this.#state);
    const choice = [...models, ...encoders].find((one) => one.id === id);
    if (!choice) throw new Error(`The model ${id} is not in the list.`);
    return choice;
  }

  #remember(changes: Partial<RememberedChoices>): void {
    this.#remembered = { ...this.#remembered, ...changes };
    rememberChoices(this.#remembered);
  }

  #show(changes: Partial<LibraryState> = {}): void {
    const all = [...this.#entries].map(([id, entry]) => this.#describe(id, entry));
    const models = all.filter(({ role }) => role === "language");
    const encoders = all.filter(({ role }) => role === "encoder");
    const chosen = (offered: readonly ModelChoice[], wanted: string | null) =>
      offered.find(({ id }) => id === wanted)?.id ?? offered[0]?.id ?? "";
    this.#state.update((state) => ({
      ...state,
      models,
      encoders,
      modelId: chosen(models, this.#remembered.modelId),
      encoderId: chosen(encoders, this.#remembered.encoderId),
      ...changes,
    }));
  }

  #describe(id: string, entry: Entry): ModelChoice {
    const chosen: ModelChoices = this.#remembered.choices[id] ?? {};
    const { abilities } = this.#parts;
    switch (entry.kind) {
      case "bundled":
        return bundledChoice(entry.model, chosen);
      case "hub":
        return hubChoice(id, entry.model, entry.kept, chosen, abilities);
      case "folder":
        return folderChoice(id, entry.model, chosen, abilities);
    }
  }
}

function keyOfHub({ id, revision }: HubModel): string {
  return modelKey({ id, source: "hub", revision });
}
