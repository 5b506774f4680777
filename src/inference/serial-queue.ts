import { abortError } from "./engine-error.ts";

/**
 * Runs tasks one after the other. A task that fails does not keep the next from running. `stop` ends the
 * running task at its next checkpoint, and rejects those that wait.
 */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #generation = 0;

  /** @param task - gets a function that throws AbortError once the task was stopped */
  add<T>(task: (throwIfStopped: () => void) => Promise<T>): Promise<T> {
    const generation = this.#generation;
    const throwIfStopped = (): void => {
      if (generation !== this.#generation) throw abortError();
    };
    const result = this.#tail.then(() => {
      throwIfStopped();
      return task(throwIfStopped);
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }

  stop(): void {
    this.#generation += 1;
  }
}
