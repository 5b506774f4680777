const encoder = new TextEncoder();

/** Protobuf encodings of single fields, to be concatenated in any order. */
export function varintField(field: number, value: number): Uint8Array {
  return Uint8Array.from([...varint(field * 8), ...varint(value)]);
}

export function bytesField(field: number, value: Uint8Array | string): Uint8Array {
  const content = typeof value === "string" ? encoder.encode(value) : value;
  return concatBytes([Uint8Array.from([...varint(field * 8 + 2), ...varint(content.length)]), content]);
}

export function messageField(field: number, fields: readonly Uint8Array[]): Uint8Array {
  return bytesField(field, concatBytes(fields));
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param value - integer, at least -2^53; negative ones are written as 64-bit two's complement */
function varint(value: number): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  while (rest >= 128n) {
    bytes.push(Number(rest & 127n) + 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return bytes;
}
