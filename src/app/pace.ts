/**
 * Speed and time left from a series of (time, amount) observations over the last few seconds.
 *
 * Amounts must not fall. Until two observations are a second apart there is no speed (null).
 */
export class Pace {
  readonly #windowMs: number;
  #seen: { readonly at: number; readonly amount: number }[] = [];

  constructor(windowMs = 20_000) {
    this.#windowMs = windowMs;
  }

  /** @param at - milliseconds of a monotonic clock */
  observe(at: number, amount: number): void {
    this.#seen.push({ at, amount });
    while (this.#seen.length > 2 && at - (this.#seen[0]?.at ?? at) > this.#windowMs) this.#seen.shift();
  }

  /** Forgets what was seen: another amount is counted from now on. */
  restart(): this {
    this.#seen = [];
    return this;
  }

  /** Amount a second; null while too little was seen. */
  get perSecond(): number | null {
    const first = this.#seen[0];
    const last = this.#seen.at(-1);
    if (!first || !last || last.at - first.at < 1000) return null;
    return (last.amount - first.amount) / ((last.at - first.at) / 1000);
  }

  /** Seconds until `total`; null without a speed. */
  secondsLeft(total: number): number | null {
    const speed = this.perSecond;
    const last = this.#seen.at(-1);
    if (speed === null || speed <= 0 || !last) return null;
    return Math.max(0, (total - last.amount) / speed);
  }
}
