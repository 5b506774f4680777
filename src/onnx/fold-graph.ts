import { ElementType } from "./onnx-graph.ts";
import type { FoldedMatrix, FoldingPlan } from "./plan-folding.ts";
import { DEFAULT_READER_BOUNDS, LENGTH_DELIMITED, ReaderBudget, WireReader } from "./wire-reader.ts";
import { bytesField, concatBytes, messageField, varintField } from "./wire-writer.ts";

/**
 * The model file with a folding plan carried out: replaced nodes stand where the old ones stood, initialisers that
 * nothing reads are left out, and each folded matrix is an initialiser whose bytes the session asks for under the
 * matrix's name. All else is copied byte by byte.
 *
 * @param bytes - the file that the plan was made for; it is not changed
 */
export function foldGraph(bytes: Uint8Array, plan: FoldingPlan): Uint8Array<ArrayBuffer> {
  const budget = new ReaderBudget(DEFAULT_READER_BOUNDS);
  const reader = new WireReader(bytes, budget);
  const parts: Uint8Array[] = [];
  let node = 0;
  while (reader.next()) {
    if (reader.field !== 7 || reader.wireType !== LENGTH_DELIMITED) {
      reader.skip();
      parts.push(bytes.subarray(reader.fieldStart, reader.at));
      continue;
    }
    const fields: Uint8Array[] = [];
    const { start, end } = reader.range();
    const inner = new WireReader(bytes, budget, start, end);
    while (inner.next()) {
      const { field, fieldStart } = inner;
      const dropped = field === 5 && plan.dropped.has(tensorName(inner));
      if (field !== 5) inner.skip();
      if (field === 1) {
        const replacement = plan.replacements.get(node);
        fields.push(replacement ?? bytes.subarray(fieldStart, inner.at));
        node += 1;
      } else if (!dropped) fields.push(bytes.subarray(fieldStart, inner.at));
    }
    parts.push(messageField(7, fields));
  }
  parts.push(messageField(7, plan.matrices.map(initialiser)));
  return concatBytes(parts);
}

function tensorName(reader: WireReader): string {
  const tensor = reader.message();
  let name = "";
  while (tensor.next()) {
    if (tensor.field === 8) name = tensor.string();
    else tensor.skip();
  }
  return name;
}

/** `TensorProto` with its data elsewhere (`data_location` 1, EXTERNAL). */
function initialiser({ name, layout }: FoldedMatrix): Uint8Array {
  const entry = (key: string, value: string): Uint8Array =>
    messageField(13, [bytesField(1, key), bytesField(2, value)]);
  return messageField(5, [
    varintField(1, layout.rows),
    varintField(1, layout.columns),
    varintField(2, ElementType.FLOAT),
    bytesField(8, name),
    entry("location", name),
    entry("offset", "0"),
    entry("length", String(4 * layout.rows * layout.columns)),
    varintField(14, 1),
  ]);
}
