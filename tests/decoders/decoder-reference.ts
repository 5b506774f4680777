import * as v from "valibot";

const matrix = v.array(v.array(v.number()));

/** `reference.json` of a tiny decoder, written by tools/fixtures/make_decoders.py. */
const decoderReference = v.object({
  architecture: v.string(),
  export: v.picklist(["optimum", "genai"]),
  layers: v.number(),
  graph: v.object({
    producer: v.string(),
    opsets: v.record(v.string(), v.number()),
    operators: v.record(v.string(), v.number()),
    lastNode: v.object({ operator: v.string(), inputs: v.array(v.string()), outputs: v.array(v.string()) }),
    /** Element type, then the dimensions. */
    initialisers: v.record(v.string(), v.array(v.number())),
    /** Name, element type, then the dimensions. */
    inputs: v.array(v.array(v.union([v.string(), v.number()]))),
    outputs: v.array(v.string()),
  }),
  prompts: v.array(
    v.object({
      tokens: v.array(v.number()),
      /** Residual stream by PyTorch hooks, [L + 1][time][d]. */
      points: v.array(matrix),
      /** [time][vocabulary]. */
      logits: matrix,
      greedy: v.array(v.number()),
    }),
  ),
});

export type DecoderReference = v.InferOutput<typeof decoderReference>;
export type PromptReference = DecoderReference["prompts"][number];

export function parseDecoderReference(data: unknown): DecoderReference {
  return v.parse(decoderReference, data);
}
