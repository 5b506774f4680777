/** Model files as the page sees them: looked up, downloaded and checked in a worker of their own. */
import * as Comlink from "comlink";
import type {
  DownloadProgress,
  FolderModel,
  HubModel,
  KeptState,
  LocalModelFiles,
  ModelFiles,
} from "../inference/index.ts";
import { WorkerConnection, type WorkerLike } from "./worker-connection.ts";

/** Silence of the hub is watched where it is asked; reading back gigabytes takes minutes on slow disks. */
const SILENCE_MS = 900_000;

export class ModelFilesClient implements ModelFiles {
  readonly #connection: WorkerConnection<LocalModelFiles>;

  constructor(spawn: () => WorkerLike = spawnModelFilesWorker) {
    this.#connection = new WorkerConnection("The worker for model files", spawn);
  }

  lookUp(text: string, access: { readonly host: string; readonly token: string | null }): Promise<HubModel> {
    return this.#call((remote) => remote.lookUp(text, access));
  }

  remembered(): Promise<HubModel[]> {
    return this.#call((remote) => remote.remembered());
  }

  kept(model: HubModel): Promise<Readonly<Record<string, KeptState>>> {
    return this.#call((remote) => remote.kept(model));
  }

  download(
    model: HubModel,
    token: string | null,
    dtype: string,
    onProgress: (progress: DownloadProgress) => void,
  ): Promise<HubModel> {
    return this.#call((remote, alive) =>
      remote.download(
        model,
        token,
        dtype,
        Comlink.proxy((progress: DownloadProgress) => {
          alive();
          onProgress(progress);
        }),
      ),
    );
  }

  remove(model: HubModel): Promise<void> {
    return this.#call((remote) => remote.remove(model));
  }

  inspectFolder(
    id: string,
    files: readonly { readonly path: string; readonly file: Blob }[],
  ): Promise<FolderModel> {
    return this.#call((remote) => remote.inspectFolder(id, files));
  }

  stop(): void {
    this.#connection.send((remote) => remote.stop());
  }

  #call<T>(invoke: (remote: Comlink.Remote<LocalModelFiles>, alive: () => void) => Promise<T>): Promise<T> {
    if (this.#connection.failed) this.#connection.replace();
    return this.#connection.call(invoke, { silenceMs: SILENCE_MS, stop: null });
  }
}

function spawnModelFilesWorker(): Worker {
  return new Worker(new URL("./model-files.worker.ts", import.meta.url), {
    type: "module",
    name: "sago-model-files",
  });
}
