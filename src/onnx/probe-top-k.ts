import type { GraphExtension } from "./graph-extension.ts";
import { ElementType } from "./onnx-graph.ts";

/** ONNX Runtime's WebGPU kernel sorts a row of up to so many in one dispatch, a longer one in over a hundred. */
const ONE_DISPATCH = 2_048;
/** Fewer groups would bound k too tightly. */
const FEWEST_GROUPS = 256;

/**
 * How many neighbouring tokens form a group, so that there are between 256 and 2,048 groups; null where the
 * vocabulary is small enough or has no such divisor.
 */
export function groupSize(vocabulary: number | null): number | null {
  if (vocabulary === null || vocabulary <= ONE_DISPATCH) return null;
  for (let size = 2; vocabulary / size >= FEWEST_GROUPS; size += 1) {
    if (vocabulary % size === 0 && vocabulary / size <= ONE_DISPATCH) return size;
  }
  return null;
}

export interface TopKNames {
  /** `[R, V]` float32, finite or NaN. */
  readonly values: string;
  /** `[1]` int64. */
  readonly k: string;
  /** `[R, k]` float32, falling. */
  readonly topValues: string;
  /** `[R, k]` int64. */
  readonly topIds: string;
}

/**
 * The k largest of each row and where they stand. With groups it is done in two steps: the k largest lie within the
 * k groups of largest maximum. (A group left out has k groups before it, each with a value as large as any of
 * its own.) So only k groups are sorted.
 */
export function addTopK(
  extension: GraphExtension,
  names: TopKNames,
  vocabulary: number | null,
  reduceMax: (input: string, output: string) => void,
): void {
  const size = groupSize(vocabulary);
  if (vocabulary === null || size === null) {
    extension.node("TopK", [names.values, names.k], [names.topValues, names.topIds], { axis: -1 });
    return;
  }
  const named = (name: string): string => `sago_likeliest_${name}`;
  const groups = vocabulary / size;
  extension.integers(named("shape"), [-1, groups, size]);
  extension.integers(named("flat_shape"), [0, -1]);
  extension.integers(named("table_shape"), [groups, size]);
  extension.integers(named("last"), [-1]);
  extension.float(named("first_id"), 0);
  extension.float(named("end_id"), vocabulary);
  extension.float(named("step"), 1);
  extension.node("Reshape", [names.values, named("shape")], [named("values")]);
  reduceMax(named("values"), named("maxima"));
  extension.node("TopK", [named("maxima"), names.k], [named("top_maxima"), named("top")], { axis: -1 });
  extension.node("Unsqueeze", [named("top"), named("last")], [named("top_index")]);
  extension.node("GatherND", [named("values"), named("top_index")], [named("candidates")], { batch_dims: 1 });
  extension.node("Reshape", [named("candidates"), named("flat_shape")], [named("flat_candidates")]);
  extension.node("TopK", [named("flat_candidates"), names.k], [names.topValues, named("positions")], {
    axis: -1,
  });
  // Ids are carried as float32, which is exact up to 2²⁴: look-ups of integers have no WebGPU kernel.
  extension.node("Range", [named("first_id"), named("end_id"), named("step")], [named("ids")]);
  extension.node("Reshape", [named("ids"), named("table_shape")], [named("id_table")]);
  extension.node("Gather", [named("id_table"), named("top")], [named("candidate_ids")], { axis: 0 });
  extension.node("Reshape", [named("candidate_ids"), named("flat_shape")], [named("flat_candidate_ids")]);
  extension.node("GatherElements", [named("flat_candidate_ids"), named("positions")], [named("top_ids")], {
    axis: -1,
  });
  extension.node("Cast", [named("top_ids")], [names.topIds], { to: ElementType.INT64 });
}
