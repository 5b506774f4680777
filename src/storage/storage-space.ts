/** How much room the browser gives this site, and whether it may clear it on its own. */

export type StorageEstimateResult =
  | {
      readonly available: true;
      /** What the site uses, model files included, bytes. Browsers round and pad it. */
      readonly usageBytes: number;
      readonly quotaBytes: number;
      /** Whether the browser promised not to clear it when space runs low; null where it does not say. */
      readonly persisted: boolean | null;
    }
  | { readonly available: false; readonly reason: string };

export type PersistenceResult =
  { readonly granted: true; readonly reason: null } | { readonly granted: false; readonly reason: string };

/** The part of `navigator.storage` that is used; absent outside secure contexts. */
export interface StorageManagerLike {
  estimate?(): Promise<{ readonly usage?: number; readonly quota?: number }>;
  persist?(): Promise<boolean>;
  persisted?(): Promise<boolean>;
}

const NOT_TOLD =
  "This browser does not tell how much space there is (it does so on https and on localhost only).";

/** Never rejects: where the browser does not answer, the reason says so. */
export async function estimateStorage(
  manager: StorageManagerLike | undefined = navigatorStorage(),
): Promise<StorageEstimateResult> {
  if (manager?.estimate === undefined) return { available: false, reason: NOT_TOLD };
  try {
    const { usage, quota } = await manager.estimate();
    if (usage === undefined || quota === undefined) return { available: false, reason: NOT_TOLD };
    const persisted = manager.persisted === undefined ? null : await manager.persisted();
    return { available: true, usageBytes: usage, quotaBytes: quota, persisted };
  } catch (error) {
    return {
      available: false,
      reason: `The browser refused to tell how much space there is${because(error)}`,
    };
  }
}

/**
 * Asks the browser to keep stored runs when space runs low. Call it on a person's action: some browsers ask
 * the person. Never rejects.
 */
export async function requestPersistence(
  manager: StorageManagerLike | undefined = navigatorStorage(),
): Promise<PersistenceResult> {
  if (manager?.persist === undefined) {
    return {
      granted: false,
      reason: "This browser cannot promise to keep stored runs (it can on https and on localhost only).",
    };
  }
  try {
    if (await manager.persist()) return { granted: true, reason: null };
    return {
      granted: false,
      reason:
        "The browser did not promise to keep stored runs: it may clear them when space runs low. Export what " +
        "you want to keep. Browsers promise it more readily to sites that are bookmarked or used often.",
    };
  } catch (error) {
    return { granted: false, reason: `The browser refused to promise to keep stored runs${because(error)}` };
  }
}

function navigatorStorage(): StorageManagerLike | undefined {
  // The DOM types promise `storage`; insecure contexts do not have it.
  return typeof navigator !== "undefined" && "storage" in navigator ? navigator.storage : undefined;
}

function because(error: unknown): string {
  return error instanceof Error ? `: ${error.message}` : ".";
}
