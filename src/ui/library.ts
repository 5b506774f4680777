/** The list of models, as the interface sees it. */
import type { Readable } from "./controller.ts";

/** One number format that a model comes in. */
export interface FormatChoice {
  /** As transformers.js names it: `q4`, `fp16`, … */
  readonly dtype: string;
  /** Everything that loading it reads; null where it is not known. */
  readonly bytes: number | null;
  /** Why the chosen device cannot compute it, with what to choose instead; null where it can. */
  readonly refusal: string | null;
}

/** Where the chosen format of a model is. */
export type Kept =
  /** Served with the page. */
  | { readonly kind: "page" }
  /** On the reader's disk, open until the page closes. */
  | { readonly kind: "folder" }
  | { readonly kind: "none" }
  | { readonly kind: "partly"; readonly bytes: number }
  /** Written to the browser's storage, read back and compared with its hashes. */
  | { readonly kind: "checked"; readonly bytes: number };

export interface ModelChoice {
  /** What the page calls it: see `modelKey` of the storage. */
  readonly id: string;
  readonly name: string;
  readonly source: "bundled" | "hub" | "folder";
  readonly role: "language" | "encoder";
  /** The commit; null but for models of a hub. */
  readonly revision: string | null;
  /** The branch or tag that was asked for; null but for models of a hub. */
  readonly askedRevision: string | null;
  /** Where a person reads about it; null but for models of a hub. */
  readonly page: string | null;
  /** null where the model names none. */
  readonly licence: string | null;
  /** Its files are handed out only to who accepted its terms. */
  readonly gated: boolean;
  readonly formats: readonly FormatChoice[];
  /** The chosen format. */
  readonly dtype: string;
  readonly device: "auto" | "wasm" | "webgpu";
  /** Of the chosen format; null where it is not known. */
  readonly sizeBytes: number | null;
  /** A few words: "q4, comes with this page". */
  readonly note: string;
  readonly kept: Kept;
}

/** A download that is going on; the total is constant. */
export interface ModelDownload {
  readonly id: string;
  readonly loadedBytes: number;
  readonly totalBytes: number;
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
}

export interface LibraryState {
  readonly models: readonly ModelChoice[];
  readonly encoders: readonly ModelChoice[];
  /** The model of the next run. */
  readonly modelId: string;
  readonly encoderId: string;
  /** True once the reader has chosen the model in this visit: then it goes before the shown run's. */
  readonly picked: boolean;
  /** The one host that models are fetched from, as a person reads it. */
  readonly host: string;
  readonly hasToken: boolean;
  readonly download: ModelDownload | null;
}

/** A folder of the reader's disk; paths begin with its name. */
export interface OpenedFolder {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly file: Blob }[];
}

/** All promises reject with an `Error` whose message is a sentence for the reader. */
export interface ModelLibrary {
  readonly state: Readable<LibraryState>;
  /** Asks the hub for a model (`owner/name`, `owner/name@revision`, or its page's address); gives its id. */
  lookUp(text: string): Promise<string>;
  /** Takes a folder as soon as its files are collected; gives the model's id. */
  openFolder(folder: Promise<OpenedFolder>): Promise<string>;
  /** Kept in memory until the page closes; null forgets it. */
  giveToken(token: string | null): void;
  /** Makes a model, or an encoder, the one of the next run. */
  use(id: string): void;
  set(id: string, choice: { readonly dtype?: string; readonly device?: ModelChoice["device"] }): void;
  /** Downloads the chosen format and checks it; also goes on with a broken or stopped download. */
  download(id: string): Promise<void>;
  stopDownload(): void;
  /** Removes its files from this browser and takes it off the list. */
  remove(id: string): Promise<void>;
}
