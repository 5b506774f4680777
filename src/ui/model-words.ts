/** What the list of models says about each of them. */
import type { LibraryState, ModelChoice, ModelDownload } from "./controller.ts";
import { aboutDuration, bytes, bytesOf } from "./format.ts";

/** "huggingface.co, main at 1a2b3c4", "a folder on this machine", "this page". */
export function sourceText(
  { source, askedRevision, revision }: Pick<ModelChoice, "source" | "askedRevision" | "revision">,
  host: string,
): string {
  switch (source) {
    case "bundled":
      return "with this page";
    case "folder":
      return "folder on this machine";
    case "hub": {
      const commit = revision?.slice(0, 7) ?? "";
      return askedRevision === null || askedRevision === revision
        ? `${host}, ${commit}`
        : `${host}, ${askedRevision} at ${commit}`;
    }
  }
}

/** One sentence on where the chosen format is. */
export function keptText({ kept, sizeBytes }: Pick<ModelChoice, "kept" | "sizeBytes">): string {
  switch (kept.kind) {
    case "page":
      return "Comes with this page.";
    case "folder":
      return "Open until the page closes; then open the folder again.";
    case "none":
      return "Not downloaded. A run downloads it, too.";
    case "partly":
      return `${sizeBytes === null ? bytes(kept.bytes) : bytesOf(kept.bytes, sizeBytes)} is here; the rest is missing.`;
    case "checked":
      return "Available offline: written, read back and compared with its hashes.";
  }
}

/** "41 of 88 MB, 12 MB a second, about 4 seconds left". */
export function downloadText({
  loadedBytes,
  totalBytes,
  bytesPerSecond,
  secondsLeft,
}: ModelDownload): string {
  const parts = [totalBytes > 0 ? bytesOf(loadedBytes, totalBytes) : bytes(loadedBytes)];
  if (bytesPerSecond !== null) parts.push(`${bytes(bytesPerSecond)} a second`);
  if (secondsLeft !== null) parts.push(`${aboutDuration(secondsLeft)} left`);
  return parts.join(", ");
}

/** What the button that fetches a model says; null where there is nothing to fetch. */
export function downloadLabel({ kept }: Pick<ModelChoice, "kept">): string | null {
  switch (kept.kind) {
    case "none":
      return "Download";
    case "partly":
      return "Go on downloading";
    case "page":
    case "folder":
    case "checked":
      return null;
  }
}

/** True for the model, or the encoder, of the next run. */
export function isInUse(library: Pick<LibraryState, "modelId" | "encoderId">, id: string): boolean {
  return library.modelId === id || library.encoderId === id;
}
