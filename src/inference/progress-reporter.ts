import type { EngineProgress } from "./types.ts";

/** Often enough to look alive, rarely enough not to matter. */
const INTERVAL_MS = 100;

/**
 * Passes on progress at most every 100 ms, never backwards, and always the last state.
 */
export class ProgressReporter {
  readonly #report: (progress: EngineProgress) => void;
  readonly #now: () => number;
  #latest: EngineProgress;
  #reported: EngineProgress | null = null;
  #reportedAt = -Infinity;

  constructor(totalRows: number, report: (progress: EngineProgress) => void, now: () => number) {
    this.#report = report;
    this.#now = now;
    this.#latest = { decodedTokens: 0, finishedRows: 0, totalRows };
  }

  update(decodedTokens: number, finishedRows: number): void {
    this.#latest = {
      decodedTokens: Math.max(decodedTokens, this.#latest.decodedTokens),
      finishedRows: Math.max(finishedRows, this.#latest.finishedRows),
      totalRows: this.#latest.totalRows,
    };
    if (this.#now() - this.#reportedAt >= INTERVAL_MS) this.flush();
  }

  flush(): void {
    if (this.#reported === this.#latest) return;
    this.#reported = this.#latest;
    this.#reportedAt = this.#now();
    this.#report(this.#latest);
  }
}
