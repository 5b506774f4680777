import type { Encoder } from "../inference/index.ts";
import type { EmbeddingRecord, PlannedPrompt } from "../storage/index.ts";
import type { GenerationPiece } from "./pieces.ts";
import { planTokenMatches, promptName, tokenMatches } from "./token-matches.ts";

export const embeddingKey = (generationKey: string): string => `${generationKey}/embedding`;

/** Embeds the answers of a run, and matches the tokens of those that the plan pairs. */
export class AnswerEmbedding {
  readonly #runId: string;
  readonly #textOf: (generationKey: string) => string;
  readonly #partners: ReadonlyMap<string, readonly PlannedPrompt[]>;
  /** Key of the first answer to each prompt, by the prompt's name. */
  readonly #firstAnswers: ReadonlyMap<string, string>;

  /** @param textOf - the text of a finished answer, by the key of its piece */
  constructor(
    run: { readonly id: string; readonly prompts: readonly PlannedPrompt[] },
    generations: readonly GenerationPiece[],
    textOf: (generationKey: string) => string,
  ) {
    this.#runId = run.id;
    this.#textOf = textOf;
    this.#partners = planTokenMatches(run.prompts);
    this.#firstAnswers = new Map(
      generations.flatMap(({ key, prompt, repeat }) => (repeat === 0 ? [[promptName(prompt), key]] : [])),
    );
  }

  /**
   * The records of `pieces`, all of whose answers are finished, as are those of questions before theirs.
   *
   * What a text is to the encoder depends on nothing else, so partners whose vectors are gone are read again, and a
   * continued run ends in the same numbers.
   */
  async records(
    pieces: readonly GenerationPiece[],
    encoder: Encoder,
    signal: AbortSignal,
  ): Promise<EmbeddingRecord[]> {
    const keys = pieces.flatMap((piece) => [piece.key, ...this.#partnersOf(piece).map(({ key }) => key)]);
    const texts = [...new Set(keys.map(this.#textOf))];
    const embedded = await encoder.embedTokens(texts);
    const byText = new Map(texts.map((text, at) => [text, embedded[at] ?? null]));
    const read = (key: string) => {
      const text = this.#textOf(key);
      return { text, embedded: byText.get(text) ?? null };
    };
    const records: EmbeddingRecord[] = [];
    for (const piece of pieces) {
      const own = read(piece.key);
      const isMatched = piece.repeat === 0 && piece.prompt.role !== "null-edit";
      const partners = this.#partnersOf(piece).map(({ prompt, key }) => ({ prompt, ...read(key) }));
      records.push({
        key: embeddingKey(piece.key),
        runId: this.#runId,
        exampleId: piece.prompt.exampleId,
        promptId: piece.prompt.promptId,
        repeat: piece.repeat,
        vector: own.embedded?.vector ?? null,
        ...(isMatched ? { tokenMatches: tokenMatches(own, partners) } : {}),
      });
      // Long answers take a while to match: a stop is heard between two of them.
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
    }
    return records;
  }

  #partnersOf({ prompt, repeat }: GenerationPiece): { prompt: PlannedPrompt; key: string }[] {
    if (repeat > 0) return [];
    return (this.#partners.get(promptName(prompt)) ?? []).flatMap((partner) => {
      const key = this.#firstAnswers.get(promptName(partner));
      return key === undefined ? [] : [{ prompt: partner, key }];
    });
  }
}
