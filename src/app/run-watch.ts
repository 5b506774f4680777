import type { RunEvent } from "../evaluation/index.ts";
import type { Phase } from "../ui/controller.ts";
import { Pace } from "./pace.ts";

const ACTIVITIES = {
  background: "reading background prompts",
  answers: "writing answers",
  scoring: "scoring answers",
  embedding: "comparing answers",
  "re-runs": "asking again",
} as const;

/** Turns a run's events into what the page shows: speeds, time left, one monotone bar. */
export class RunWatch {
  readonly #now: () => number;
  readonly #bytes = new Pace();
  /** Answers and scores take turns of tens of seconds; only over a few turns is there one speed. */
  readonly #work = new Pace(180_000);
  #loading = "";
  #examples = { examplesDone: 0, examples: 0 };

  /** @param now - milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get examplesSeen(): { readonly examplesDone: number; readonly examples: number } {
    return this.#examples;
  }

  /** Units of work a second over the last seconds; null before anything was measured. */
  get unitsPerSecond(): number | null {
    return this.#work.perSecond;
  }

  /** The phase to show after an event of preparation or progress. */
  phase(event: Extract<RunEvent, { kind: "loading" | "preparing" | "progress" }>): Phase {
    switch (event.kind) {
      case "loading": {
        const bytes = event.what === this.#loading ? this.#bytes : this.#bytes.restart();
        this.#loading = event.what;
        bytes.observe(this.#now(), event.loadedBytes);
        return {
          kind: "loading",
          what: event.what,
          loadedBytes: event.loadedBytes,
          totalBytes: event.totalBytes,
          bytesPerSecond: bytes.perSecond,
          secondsLeft: bytes.secondsLeft(event.totalBytes),
        };
      }
      case "preparing":
        return { kind: "preparing", what: event.what };
      case "progress": {
        const { progress } = event;
        this.#work.observe(this.#now(), progress.done);
        this.#examples = { examplesDone: progress.examplesDone, examples: progress.examples };
        return {
          kind: "running",
          ...this.#examples,
          pieceDone: progress.done,
          pieces: progress.total,
          tokensPerSecond:
            progress.decodingMs > 0 ? (progress.decodedTokens / progress.decodingMs) * 1000 : null,
          secondsLeft: this.#work.secondsLeft(progress.total),
          activity: ACTIVITIES[progress.activity],
        };
      }
    }
  }
}
