import type { ModelSource } from "../types.ts";
import { BlobOrigin } from "./blob-origin.ts";
import { openHubStore } from "./byte-store.ts";
import { HubOrigin } from "./hub-origin.ts";
import { ModelFolder } from "./model-folder.ts";
import { WebOrigin } from "./web-origin.ts";

/** The folder of a model source. Nothing is read yet. */
export function openModelFolder(source: ModelSource): ModelFolder {
  const storage: CacheStorage | null = globalThis.caches ?? null;
  switch (source.kind) {
    case "bundled":
      return new ModelFolder(
        source.id,
        new WebOrigin({ baseUrl: folderUrl(source.baseUrl), files: source.files ?? null, caches: storage }),
      );
    case "hub":
      return new ModelFolder(source.id, new HubOrigin(source, { store: openHubStore }));
    case "folder":
      return new ModelFolder(source.id, new BlobOrigin(source.files));
  }
}

function folderUrl(url: string): string {
  return new URL(url.endsWith("/") ? url : `${url}/`, globalThis.location?.href).href;
}
