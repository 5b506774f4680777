/**
 * ROUGE-L F1: longest common subsequence of the lower-cased words of two texts, 2·LCS / (words of a + words of b).
 *
 * Range [0, 1]; symmetric; 0 where a text has no word. Equal to the rouge-score package without stemming for ASCII
 * texts; words of other scripts count here.
 * @see Lin 2004
 * @example rougeL("paris is the capital of france", "the capital of france is paris") // 0.666667…
 */
export function rougeL(a: string, b: string): number {
  const x = words(a);
  const y = words(b);
  return x.length === 0 || y.length === 0 ? 0 : (2 * longestCommonSubsequence(x, y)) / (x.length + y.length);
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

function longestCommonSubsequence(x: readonly string[], y: readonly string[]): number {
  let above = new Int32Array(y.length + 1);
  for (const item of x) {
    const row = new Int32Array(y.length + 1);
    for (let at = 0; at < y.length; at += 1) {
      row[at + 1] = item === y[at] ? (above[at] ?? 0) + 1 : Math.max(above[at + 1] ?? 0, row[at] ?? 0);
    }
    above = row;
  }
  return above[y.length] ?? 0;
}
