/** What a run reports while it works. Totals are constant and `done` never falls. */
export interface ExecutionProgress {
  readonly activity: "background" | "answers" | "scoring" | "embedding" | "re-runs";
  /** Work done and in all, in units of one scored response. */
  readonly done: number;
  readonly total: number;
  readonly examplesDone: number;
  readonly examples: number;
  readonly answers: number;
  /** Tokens decoded by this call, and the time spent decoding them. */
  readonly decodedTokens: number;
  readonly decodingMs: number;
}

/**
 * Relative cost of each kind of piece, in units of one scored response (one pass over prompt and
 * response). Only the bar's evenness depends on it, never a result. Measured with the bundled model on WASM, two
 * threads, 32 new tokens: 0.53 s for an answer in a batch, 0.34 s for a score, 0.16 s for a background prompt.
 */
export const COST = { background: 0.5, generation: 1.5, score: 1, embedding: 0.05 } as const;

/** Keeps the counts of a run's progress; `report` is called after each change. */
export class ProgressMeter {
  #finished = 0;
  #partial = 0;
  #shown = 0;
  #activity: ExecutionProgress["activity"] = "background";
  #examplesDone = 0;
  #answers = 0;
  #decodedTokens = 0;
  #decodingMs = 0;

  constructor(
    private readonly total: number,
    private readonly examples: number,
    private readonly report: (progress: ExecutionProgress) => void,
  ) {}

  begin(activity: ExecutionProgress["activity"]): void {
    this.#activity = activity;
    this.#emit();
  }

  /** `units` of work are done for good; what was partial before is part of them. */
  finish(units: number): void {
    this.#finished += units;
    this.#partial = 0;
    this.#emit();
  }

  /** Part of the pieces now under way, in units. */
  partial(units: number): void {
    this.#partial = units;
    this.#emit();
  }

  answer(): void {
    this.#answers++;
  }

  decoded(tokens: number, elapsedMs: number): void {
    this.#decodedTokens += tokens;
    this.#decodingMs += elapsedMs;
  }

  exampleDone(count: number): void {
    this.#examplesDone += count;
    this.#emit();
  }

  #emit(): void {
    this.#shown = Math.min(this.total, Math.max(this.#shown, this.#finished + this.#partial));
    this.report({
      activity: this.#activity,
      done: this.#shown,
      total: this.total,
      examplesDone: this.#examplesDone,
      examples: this.examples,
      answers: this.#answers,
      decodedTokens: this.#decodedTokens,
      decodingMs: this.#decodingMs,
    });
  }
}
