/** The key/value cache of the rows that are decoded together. */
import { EngineError } from "../engine-error.ts";
import type { DecoderGraph } from "../graph/decoder-graph.ts";
import type { GraphSession, ResidentTensor } from "../runtime/tensor.ts";

/**
 * One tensor for each cache input of the graph: keys and values [rows, heads, time, width], or a convolution's state
 * [rows, channels, columns], which is whole for every row. Row r occupies `lengths[r]` columns
 * (its own tokens); the others are padding, on the side that the graph needs.
 */
export interface CacheBlock {
  readonly tensors: readonly ResidentTensor[];
  readonly time: number;
  readonly lengths: readonly number[];
}

/** Whether it is a convolution's state. */
export const isState = ({ dims }: ResidentTensor): boolean => dims.length === 3;

export function disposeBlock(block: CacheBlock | null): void {
  for (const tensor of block?.tensors ?? []) tensor.dispose();
}

/**
 * Brings rows of several blocks together in a new one, no wider than its longest row needs. The sources stay
 * as they are; freeing them is the caller's.
 */
export function packBlock(
  session: GraphSession,
  padding: DecoderGraph["padding"],
  sources: readonly { readonly block: CacheBlock; readonly row: number }[],
): CacheBlock {
  const lengths = sources.map(({ block, row }) => block.lengths[row] ?? 0);
  const time = Math.max(...lengths);
  const count = sources[0]?.block.tensors.length ?? 0;
  const tensors: ResidentTensor[] = [];
  try {
    for (let i = 0; i < count; i += 1) {
      const first = sources[0]?.block.tensors[i];
      const columns = first !== undefined && isState(first) ? (first.dims[2] ?? 0) : time;
      const rows = sources.flatMap(({ block, row }, to) => {
        const tensor = block.tensors[i];
        const length = lengths[to] ?? 0;
        if (tensor === undefined) return [];
        if (isState(tensor)) return [{ tensor, row, start: 0, length: columns, offset: 0 }];
        if (tensor.dims[2] !== block.time) {
          throw new EngineError(
            "graph-unsupported",
            "The graph drops old tokens from its cache, so that rows cannot be decoded together.",
          );
        }
        return padding === "left"
          ? [{ tensor, row, start: block.time - length, length, offset: time - length }]
          : [{ tensor, row, start: 0, length, offset: 0 }];
      });
      tensors.push(session.packRows(rows, columns));
    }
    return { tensors, time, lengths };
  } catch (error) {
    for (const tensor of tensors) tensor.dispose();
    throw error;
  }
}

/**
 * The attention mask [rows, time + 1] for one more token in each row: 1 on a row's own tokens and the new one.
 */
export function stepMask(block: CacheBlock, padding: DecoderGraph["padding"]): Int32Array {
  const width = block.time + 1;
  const mask = new Int32Array(block.lengths.length * width);
  block.lengths.forEach((length, row) => {
    const from = row * width + (padding === "left" ? block.time - length : 0);
    mask.fill(1, from, from + length + 1);
  });
  return mask;
}
