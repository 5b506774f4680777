import { vi } from "vitest";

/**
 * Tries `check` until it neither throws nor rejects. Vitest's own limit of one second is less than a busy machine
 * may keep a thread waiting; this one only ends what hangs.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 60_000, interval: 20 });
