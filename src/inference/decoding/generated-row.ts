/** One answer in the making: what has been chosen, and whether it has ended. */
import type { FinishReason } from "../contract.ts";
import { EngineError } from "../engine-error.ts";
import { opensThinking, type ThinkingMarks } from "../text/thinking-marks.ts";
import type { GenerateRequest, GenerateResult } from "../types.ts";
import type { NextTokens } from "./next-token.ts";
import { drawToken, rowStream, type UniformStream } from "./sample.ts";

/** Likeliest tokens kept with each step. */
export const KEPT_TOP_K = 8;
/** Steps whose two best tokens are closer than this (nats) may differ between devices and batches. */
export const CLOSE_GAP_NATS = 1e-3;

export interface AnswerText {
  readonly text: string;
  readonly tokenTexts: readonly string[];
}

/** What ends an answer. */
export interface RowLimits {
  readonly endTokenIds: ReadonlySet<number>;
  readonly contextLength: number;
  /** null: the model has no block of thinking before its answers. */
  readonly thinking: ThinkingMarks | null;
}

export class GeneratedRow {
  readonly request: GenerateRequest;
  readonly #uniform: UniformStream | null;
  readonly #tokens: number[] = [];
  readonly #logProbs: number[] = [];
  readonly #entropies: number[] = [];
  readonly #topIds: number[] = [];
  readonly #topLogProbs: number[] = [];
  readonly #closeSteps: number[] = [];
  /** Ids between the marks of thinking. */
  readonly #thought: number[] = [];
  /** All tokens of the block, marks included. */
  #thoughtTokens = 0;
  #thinking: "not-begun" | "open" | "closed" = "not-begun";
  #last = 0;
  #topK = 0;
  #finish: FinishReason | null = null;
  lastPromptToken: Float32Array | null = null;
  promptMean: Float32Array | null = null;
  /** This row's share of the time that its passes took. */
  elapsedMs = 0;

  constructor(request: GenerateRequest) {
    this.request = request;
    this.#uniform = request.decoding.kind === "sampled" ? rowStream(request.stream) : null;
  }

  get sampled(): boolean {
    return this.#uniform !== null;
  }

  get finish(): FinishReason | null {
    return this.#finish;
  }

  get decodedTokens(): number {
    return this.#tokens.length + this.#thoughtTokens;
  }

  /** The token that goes into the next pass. */
  get lastToken(): number {
    return this.#last;
  }

  /**
   * Chooses the next token from row `row` of the distributions. The end token ends the answer and is no part of it.
   * A block of thinking in front of the answer is kept apart, has a budget of its own, and brings no numbers.
   * @param logits - needed for sampling only
   */
  advance(next: NextTokens, row: number, logits: Float32Array | null, limits: RowLimits): void {
    const { k } = next;
    const ids = next.topIds.subarray(row * k, (row + 1) * k);
    const logProbs = next.topLogProbNats.subarray(row * k, (row + 1) * k);
    const token = this.#choose(ids, logits);
    this.#last = token;
    if (this.#thinks(token, limits)) {
      this.#limitContext(limits);
      return;
    }
    const step = this.#tokens.length;
    if ((logProbs[0] ?? 0) - (logProbs[1] ?? -Infinity) < CLOSE_GAP_NATS) this.#closeSteps.push(step);
    if (limits.endTokenIds.has(token)) {
      this.#finish = "eos";
      return;
    }
    const place = ids.indexOf(token);
    this.#tokens.push(token);
    this.#logProbs.push(place >= 0 ? (logProbs[place] ?? NaN) : logProbOf(token, logits));
    this.#entropies.push(next.entropyNats[row] ?? NaN);
    this.#topK = Math.min(KEPT_TOP_K, k);
    for (let i = 0; i < this.#topK; i += 1) {
      this.#topIds.push(ids[i] ?? 0);
      this.#topLogProbs.push(logProbs[i] ?? NaN);
    }
    if (this.#tokens.length >= this.request.decoding.maxNewTokens) this.#finish = "length";
    else this.#limitContext(limits);
  }

  #limitContext({ contextLength }: RowLimits): void {
    if (this.#finish === null && this.request.promptTokenIds.length + this.decodedTokens >= contextLength) {
      this.#finish = "context";
    }
  }

  /** True if the token belongs to the block of thinking, its marks and the blanks behind it included. */
  #thinks(token: number, { thinking, endTokenIds }: RowLimits): boolean {
    if (thinking === null || this.#tokens.length > 0) return false;
    if (this.#thinking === "not-begun") {
      if (token !== thinking.openId && !opensThinking(this.request.promptTokenIds, thinking)) return false;
      this.#thinking = "open";
    }
    if (endTokenIds.has(token)) {
      if (this.#thinking === "closed") return false;
      this.#finish = "eos";
      return true;
    }
    if (this.#thinking === "closed" && !thinking.isBlank(token)) return false;
    this.#thoughtTokens += 1;
    if (token === thinking.closeId) this.#thinking = "closed";
    else if (this.#thinking === "open") {
      if (token !== thinking.openId) this.#thought.push(token);
      if (this.#thoughtTokens >= thinking.budgetTokens) this.#finish = "length";
    }
    return true;
  }

  result(read: (ids: readonly number[]) => AnswerText): GenerateResult {
    const { text, tokenTexts } = read(this.#tokens);
    return {
      key: this.request.key,
      tokenIds: Int32Array.from(this.#tokens),
      text,
      tokenTexts,
      finish: this.#finish ?? "length",
      logProbNats: Float32Array.from(this.#logProbs),
      entropyNats: Float32Array.from(this.#entropies),
      topK: this.#topK,
      topIds: Int32Array.from(this.#topIds),
      topLogProbNats: Float32Array.from(this.#topLogProbs),
      closeSteps: this.#closeSteps,
      elapsedMs: this.elapsedMs,
      lastPromptToken: this.lastPromptToken,
      promptMean: this.promptMean,
      thinking:
        this.#thinking === "not-begun"
          ? null
          : {
              text: read(this.#thought).text.trim(),
              tokens: this.#thoughtTokens,
              closed: this.#thinking === "closed",
            },
    };
  }

  #choose(ids: Int32Array, logits: Float32Array | null): number {
    if (this.#uniform === null) return ids[0] ?? 0;
    if (logits === null) throw new EngineError("runtime-failed", "Sampling needs the logits.");
    const { temperature, topP } = this.request.decoding;
    return drawToken(logits, temperature ?? 1, topP, this.#uniform());
  }
}

/** Log-probability of one token, nats, from raw logits; for sampled tokens outside the kept top. */
function logProbOf(token: number, logits: Float32Array | null): number {
  if (logits === null) return NaN;
  let max = -Infinity;
  for (const logit of logits) if (logit > max) max = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - max);
  return (logits[token] ?? NaN) - max - Math.log(sum);
}
