import type { ModelIdentity } from "./records.ts";

/**
 * What a model is called where one is chosen: equal for the runs of one model at one version. A folder is known
 * by its name alone, since its files are read only when it is loaded; a run compares their hashes.
 */
export function modelKey({
  id,
  source,
  revision,
}: Pick<ModelIdentity, "id" | "source" | "revision">): string {
  switch (source) {
    case "bundled":
      return id;
    case "hub":
      return `${id}@${revision ?? ""}`;
    case "folder":
      return `folder:${id}`;
  }
}
