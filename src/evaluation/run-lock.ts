/**
 * Runs `work` while no other tab works on the same run (Web Locks). Where the browser has no locks
 * (insecure contexts) the work simply runs: there, two tabs would compute the same pieces twice.
 *
 * @throws {Error} at once if another tab holds the run
 */
export async function exclusively<T>(runId: string, work: () => Promise<T>): Promise<T> {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: LockManager } };
  const locks = navigator?.locks;
  if (!locks) return work();
  return locks.request(`sago-run-${runId}`, { ifAvailable: true }, async (lock) => {
    if (!lock) {
      throw new Error("Another tab is working on this run. Close that tab, or wait until it is finished.");
    }
    return work();
  });
}
