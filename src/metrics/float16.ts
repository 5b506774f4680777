/**
 * IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 fraction bits. Largest finite value 65504, smallest
 * normal 2⁻¹⁴, smallest subnormal 2⁻²⁴, relative spacing 2⁻¹⁰.
 */
const FLOAT32_INFINITY = 0x7f800000;
/** 2¹⁶, from which on everything is infinite. */
const FLOAT32_OVERFLOW = 0x47800000;
/** 2⁻¹⁴, the smallest normal half. */
const FLOAT32_SMALLEST_NORMAL = 0x38800000;
/** 2⁻²⁵, half the smallest subnormal: it ties to zero, and so does everything below. */
const FLOAT32_TIES_TO_ZERO = 0x33000000;

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

/**
 * The bit pattern of the half nearest to a float32, ties to even. NaN becomes the quiet NaN 0x7e00 (with its
 * sign); magnitudes of 65520 and more become infinite.
 *
 * @param value - rounded to float32 first, where it is not one
 * @see IEEE 754-2019, §4.3.1 and §3.4
 * @example float16Bits(1) // 0x3c00
 */
export function float16Bits(value: number): number {
  scratch[0] = value;
  const bits = scratchBits[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > FLOAT32_INFINITY) return sign | 0x7e00;
  if (magnitude >= FLOAT32_OVERFLOW) return sign | 0x7c00;
  if (magnitude <= FLOAT32_TIES_TO_ZERO) return sign;
  if (magnitude >= FLOAT32_SMALLEST_NORMAL) {
    return sign | roundToEven(magnitude - (FLOAT32_SMALLEST_NORMAL - 0x800000), 13);
  }
  const exponent = magnitude >>> 23;
  return sign | roundToEven((magnitude & 0x7fffff) | 0x800000, 126 - exponent);
}

/** `bits / 2^shift`, rounded to the nearest whole number, ties to even; a carry runs on into the exponent. */
function roundToEven(bits: number, shift: number): number {
  const quotient = bits >>> shift;
  const rest = bits & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (quotient & 1) === 1) ? quotient + 1 : quotient;
}

/** The value of a half's bit pattern; exact, since every half is a float32. */
export function float16Value(bits: number): number {
  return float16Table()[bits & 0xffff] ?? 0;
}

/** Encodes element by element; see {@link float16Bits}. */
export function encodeFloat16(values: Float32Array): Uint16Array {
  return Uint16Array.from(values, float16Bits);
}

/**
 * Decodes element by element, exactly.
 * @param into - overwritten and returned where given
 * @throws {RangeError} if `into` has another length
 */
export function decodeFloat16(bits: Uint16Array, into?: Float32Array): Float32Array {
  const table = float16Table();
  const values = into ?? new Float32Array(bits.length);
  if (values.length !== bits.length)
    throw new RangeError(`${bits.length} halves into ${values.length} floats.`);
  for (let at = 0; at < bits.length; at += 1) values[at] = table[bits[at] ?? 0] ?? 0;
  return values;
}

let table: Float32Array | null = null;

/** All 65,536 values by bit pattern; built once, since decoding runs over millions of numbers. Not to be changed. */
export function float16Table(): Float32Array {
  table ??= Float32Array.from({ length: 0x10000 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >>> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
    return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
  });
  return table;
}
