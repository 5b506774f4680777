import type { ModelSource } from "../types.ts";
import { BlobOrigin } from "./blob-origin.ts";
import { ModelFolder } from "./model-folder.ts";
import { WebOrigin } from "./web-origin.ts";

const COMMIT_HASH = /^[0-9a-f]{40}$/;

/** The folder of a model source. Nothing is read yet. */
export function openModelFolder(source: ModelSource): ModelFolder {
  const storage: CacheStorage | null = globalThis.caches ?? null;
  switch (source.kind) {
    case "bundled":
      return new ModelFolder(
        source.id,
        new WebOrigin({ baseUrl: folderUrl(source.baseUrl), immutable: false, caches: storage }),
      );
    case "hub":
      return new ModelFolder(
        source.id,
        new WebOrigin({
          baseUrl: folderUrl(`${source.host.replace(/\/$/, "")}/${source.id}/resolve/${source.revision}`),
          immutable: COMMIT_HASH.test(source.revision),
          caches: storage,
          ...(source.token === null ? {} : { headers: { authorization: `Bearer ${source.token}` } }),
        }),
      );
    case "folder":
      return new ModelFolder(source.id, new BlobOrigin(source.files));
  }
}

function folderUrl(url: string): string {
  return new URL(url.endsWith("/") ? url : `${url}/`, globalThis.location?.href).href;
}
