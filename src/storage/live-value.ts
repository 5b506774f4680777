import { liveQuery } from "dexie";
import { toStorageError, type StorageError } from "./storage-error.ts";

export type LiveState<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly error: StorageError };

/**
 * A value read from the database, and read again after every change to what it was read from, in this tab or
 * another. Follows Svelte's store contract (`$value` in a component): a subscriber is called at once, with
 * `loading`, and calling what `subscribe` returned ends the subscription.
 */
export class LiveValue<T> {
  readonly #ready: () => Promise<void>;
  readonly #query: () => Promise<T>;

  /**
   * @param ready - opens the database; Dexie's live queries stay silent for ever where there is none
   * @param query - reads through that database
   */
  constructor(ready: () => Promise<void>, query: () => Promise<T>) {
    this.#ready = ready;
    this.#query = query;
  }

  subscribe(listener: (state: LiveState<T>) => void): () => void {
    let ended = false;
    let stop = () => {};
    const fail = (error: unknown) => {
      if (!ended) listener({ state: "failed", error: toStorageError("read the runs", error) });
    };
    listener({ state: "loading" });
    this.#ready().then(() => {
      if (ended) return;
      const subscription = liveQuery(async () => this.#query()).subscribe({
        next: (value) => listener({ state: "ready", value }),
        error: fail,
      });
      stop = () => subscription.unsubscribe();
    }, fail);
    return () => {
      ended = true;
      stop();
    };
  }
}
