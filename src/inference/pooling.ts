/** How a sentence encoder makes one vector of its tokens' vectors. */
import * as v from "valibot";
import { EngineError } from "./engine-error.ts";

/** `mean`: over all tokens; `first`: the first token's (CLS); `last`: the last token's. */
export type Pooling = "mean" | "first" | "last";

const MODES = {
  pooling_mode_mean_tokens: "mean",
  pooling_mode_cls_token: "first",
  pooling_mode_lasttoken: "last",
} as const;

const schema = v.record(v.string(), v.unknown());

/**
 * Reads `1_Pooling/config.json` of sentence-transformers.
 *
 * @param config - parsed; null where the encoder has none: then the mean, as sentence-transformers does
 * @throws {EngineError} `graph-unsupported` for other ways of pooling, and for several at once
 * @see Reimers & Gurevych 2019, §3
 */
export function readPooling(config: unknown): Pooling {
  if (config === null) return "mean";
  const parsed = v.safeParse(schema, config);
  const chosen = Object.entries(parsed.success ? parsed.output : {})
    .filter(([name, value]) => name.startsWith("pooling_mode_") && value === true)
    .map(([name]) => name);
  const [only] = chosen;
  const known = Object.entries(MODES).find(([name]) => name === only)?.[1];
  if (known === undefined || chosen.length !== 1) {
    throw new EngineError(
      "graph-unsupported",
      `This encoder pools by ${chosen.join(" and ") || "nothing that its configuration names"}; the mean, the first token or the last token can be used. Choose another encoder.`,
    );
  }
  return known;
}

/**
 * @param hidden - last hidden state of one text, [tokens × dimensions], row-major
 * @returns [dimensions], not normalised
 */
export function pooled(
  hidden: ArrayLike<number>,
  tokens: number,
  dimensions: number,
  pooling: Pooling,
): Float32Array {
  const vector = new Float32Array(dimensions);
  const from = pooling === "last" ? tokens - 1 : 0;
  const to = pooling === "first" ? 1 : tokens;
  for (let token = from; token < to; token += 1) {
    for (let d = 0; d < dimensions; d += 1) {
      vector[d] = (vector[d] ?? 0) + (hidden[token * dimensions + d] ?? 0) / (to - from);
    }
  }
  return vector;
}
