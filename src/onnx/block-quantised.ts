/**
 * Weights `[rows, columns]` as small integers, each row cut into blocks that share a scale and a zero point:
 * `w = (q − zero point) · scale`. The layout of ONNX Runtime's `MatMulNBits`.
 */
export interface BlockLayout {
  readonly rows: number;
  readonly columns: number;
  /** Columns that share a scale; the last block of a row may be cut short. */
  readonly blockSize: number;
  /** Bits of one integer; of two in a byte the first lies in the low half. */
  readonly bits: 4 | 8;
  /** Bytes from one row's first integer to the next row's. */
  readonly rowBytes: number;
  /** Where there are no zero points of their own. */
  readonly defaultZeroPoint: number;
}

export const blocksOf = ({ columns, blockSize }: BlockLayout): number => Math.ceil(columns / blockSize);

/** Bytes of one row of packed zero points, which begin anew at a full byte in every row. */
export const zeroPointRowBytes = (layout: BlockLayout): number =>
  Math.ceil((blocksOf(layout) * layout.bits) / 8);

/**
 * The weights as 32-bit floats, row-major. Each is rounded once, as ONNX Runtime rounds it: the integer difference is
 * exact, and so is its product with the scale in double precision.
 *
 * @param quants - `rows · rowBytes` bytes
 * @param scales - `rows · blocks` values
 * @param zeroPoints - packed like `quants` (`Uint8Array`), or `rows · blocks` floats; null for the default
 * @throws {RangeError} if a list is shorter than the layout needs
 */
export function dequantise(
  layout: BlockLayout,
  quants: Uint8Array,
  scales: Float32Array,
  zeroPoints: Uint8Array | Float32Array | null,
): Float32Array<ArrayBuffer> {
  const { rows, columns, blockSize, bits, rowBytes, defaultZeroPoint } = layout;
  const blocks = blocksOf(layout);
  const packedZeroPoints = zeroPoints instanceof Uint8Array ? zeroPoints : null;
  const floatZeroPoints = zeroPoints instanceof Float32Array ? zeroPoints : null;
  const zeroPointBytes = zeroPointRowBytes(layout);
  if (
    quants.length < rows * rowBytes ||
    scales.length < rows * blocks ||
    (packedZeroPoints !== null && packedZeroPoints.length < rows * zeroPointBytes) ||
    (floatZeroPoints !== null && floatZeroPoints.length < rows * blocks)
  ) {
    throw new RangeError(`Block-quantised weights of ${rows} by ${columns} are cut off.`);
  }
  const weights = new Float32Array(rows * columns);
  const integerAt = (bytes: Uint8Array, start: number, index: number): number => {
    const byte = bytes[bits === 8 ? start + index : start + (index >> 1)] ?? 0;
    return bits === 8 ? byte : (index & 1) === 0 ? byte & 15 : byte >> 4;
  };
  for (let row = 0; row < rows; row += 1) {
    for (let block = 0; block < blocks; block += 1) {
      const scale = scales[row * blocks + block] ?? 0;
      const zeroPoint =
        packedZeroPoints !== null
          ? integerAt(packedZeroPoints, row * zeroPointBytes, block)
          : floatZeroPoints !== null
            ? (floatZeroPoints[row * blocks + block] ?? 0)
            : defaultZeroPoint;
      const end = Math.min(columns, (block + 1) * blockSize);
      for (let column = block * blockSize; column < end; column += 1) {
        weights[row * columns + column] = (integerAt(quants, row * rowBytes, column) - zeroPoint) * scale;
      }
    }
  }
  return weights;
}
