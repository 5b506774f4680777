import { writable, type Readable } from "svelte/store";
import type { AskedAddress } from "../ui/controller.ts";
import { gatherRequests, reportRequests, type RequestReport } from "../workers/index.ts";

/** Every address that the page and its workers asked, in the order in which each was first asked. */
export class RequestLog {
  readonly #addresses = new Map<string, AskedAddress>();
  readonly #state = writable<readonly AskedAddress[]>([]);

  get state(): Readable<readonly AskedAddress[]> {
    return this.#state;
  }

  /** Listens from now on; what the page itself asked before is in it. Call before any worker starts. */
  open(): void {
    gatherRequests((reports) => this.add(reports));
    reportRequests("the page");
  }

  add(reports: readonly RequestReport[]): void {
    for (const { url, from, at, bytes } of reports) {
      const known = this.#addresses.get(url);
      this.#addresses.set(
        url,
        known === undefined
          ? { url, from: [from], times: 1, firstAt: at, bytes }
          : {
              ...known,
              from: known.from.includes(from) ? known.from : [...known.from, from],
              times: known.times + 1,
              bytes: bytes === null && known.bytes === null ? null : (known.bytes ?? 0) + (bytes ?? 0),
            },
      );
    }
    this.#state.set([...this.#addresses.values()].sort((a, b) => a.firstAt - b.firstAt));
  }
}
