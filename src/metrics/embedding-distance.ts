/**
 * How far two responses are apart in meaning: 1 − max(0, cosine) of their sentence embeddings.
 *
 * Range [0, 1]; symmetric. Two empty responses are equal (0), an empty and a filled one are as far apart as can
 * be (1).
 * @param a - unit-length embedding, null for an empty response
 * @param b - as `a`, of the same length
 * @throws {RangeError} if the lengths differ
 * @see Reimers & Gurevych 2019, arXiv:1908.10084
 */
export function embeddingDistance(a: Float32Array | null, b: Float32Array | null): number {
  if (a === null || b === null) return a === b ? 0 : 1;
  if (a.length !== b.length) throw new RangeError(`Embeddings of ${a.length} and ${b.length} dimensions.`);
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  if (squareA === 0 || squareB === 0)
    throw new RangeError("An embedding is zero; an empty response is null.");
  // Divided by the norms, so that float32 rounding does not keep equal responses apart.
  return Math.min(1, Math.max(0, 1 - Math.max(0, dot / Math.sqrt(squareA * squareB))));
}
