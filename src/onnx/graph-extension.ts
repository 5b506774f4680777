import { ElementType } from "./onnx-graph.ts";
import { bytesField, concatBytes, messageField, varintField } from "./wire-writer.ts";

/** A dimension's size, or the name under which it varies. */
export type Dimension = number | string;

export type Attributes = Readonly<Record<string, number | readonly number[]>>;

/** onnx.proto: `AttributeProto.AttributeType`. */
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_INTS = 7;

/**
 * New nodes, initialisers, inputs and outputs for an existing graph, written as a second `ModelProto.graph` field.
 * Protobuf merges a message field that occurs twice, so these bytes at the end of a `.onnx` file extend its graph.
 */
export class GraphExtension {
  private readonly fields: Uint8Array[] = [];

  node(op: string, inputs: readonly string[], outputs: readonly string[], attributes: Attributes = {}): void {
    this.fields.push(nodeField(op, inputs, outputs, attributes));
  }

  /** A constant list of integers, `[values.length]` int64. */
  integers(name: string, values: readonly number[]): void {
    const raw = new DataView(new ArrayBuffer(8 * values.length));
    values.forEach((value, index) => raw.setBigInt64(8 * index, BigInt(value), true));
    this.initialiser(name, ElementType.INT64, [values.length], new Uint8Array(raw.buffer));
  }

  /** A constant number, `[]` float32. */
  float(name: string, value: number): void {
    const raw = new DataView(new ArrayBuffer(4));
    raw.setFloat32(0, value, true);
    this.initialiser(name, ElementType.FLOAT, [], new Uint8Array(raw.buffer));
  }

  input(name: string, elementType: number, shape: readonly Dimension[]): void {
    const dimensions = shape.map((size) =>
      messageField(1, [typeof size === "number" ? varintField(1, size) : bytesField(2, size)]),
    );
    const tensor = messageField(1, [varintField(1, elementType), messageField(2, dimensions)]);
    this.fields.push(messageField(11, [bytesField(1, name), messageField(2, [tensor])]));
  }

  /** An output needs only its name: ONNX Runtime infers type and shape. */
  output(name: string): void {
    this.fields.push(messageField(12, [bytesField(1, name)]));
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    return concatBytes([messageField(7, this.fields)]);
  }

  private initialiser(name: string, elementType: number, dims: readonly number[], raw: Uint8Array): void {
    this.fields.push(
      messageField(5, [
        ...dims.map((size) => varintField(1, size)),
        varintField(2, elementType),
        bytesField(8, name),
        bytesField(9, raw),
      ]),
    );
  }
}

/** One `GraphProto.node` field. */
export function nodeField(
  op: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Attributes = {},
  domain = "",
): Uint8Array {
  return messageField(1, [
    ...inputs.map((name) => bytesField(1, name)),
    ...outputs.map((name) => bytesField(2, name)),
    bytesField(3, outputs[0] ?? ""),
    bytesField(4, op),
    ...Object.entries(attributes).map(([name, value]) => messageField(5, attribute(name, value))),
    ...(domain === "" ? [] : [bytesField(7, domain)]),
  ]);
}

function attribute(name: string, value: number | readonly number[]): Uint8Array[] {
  return typeof value === "number"
    ? [bytesField(1, name), varintField(3, value), varintField(20, ATTRIBUTE_INT)]
    : [bytesField(1, name), ...value.map((item) => varintField(8, item)), varintField(20, ATTRIBUTE_INTS)];
}
