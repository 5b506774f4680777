const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln Γ(x), x > 0 (Lanczos 1964 with g = 7; relative error of Γ about 1e-15). */
export function logGamma(x: number): number {
  if (!(x > 0)) throw new RangeError(`x must be positive, not ${x}`);
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const base = x - 1 + 7.5;
  const sum = LANCZOS.reduce((total, c, i) => (i === 0 ? c : total + c / (x - 1 + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum);
}

/**
 * Regularised incomplete beta function I_x(a, b) by Lentz's continued fraction (Press et al. 2007, §6.4).
 * @param x - in [0, 1]
 * @param a - positive
 * @param b - positive
 * @returns in [0, 1]
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (!(x >= 0 && x <= 1)) throw new RangeError(`x must lie in [0, 1], not ${x}`);
  if (x === 0 || x === 1) return x;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges quickly only below the mean of the distribution.
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const safe = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return fraction;
}

/**
 * P(T ≥ t) of Student's t.
 * @param degreesOfFreedom - positive, need not be whole
 */
export function studentUpperTail(t: number, degreesOfFreedom: number): number {
  if (Number.isNaN(t)) throw new RangeError("t must be a number");
  if (!(degreesOfFreedom > 0))
    throw new RangeError(`degrees of freedom must be positive: ${degreesOfFreedom}`);
  if (!Number.isFinite(t)) return t > 0 ? 0 : 1;
  const tail = 0.5 * incompleteBeta(degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 0.5);
  return t > 0 ? tail : 1 - tail;
}

/**
 * Quantile of Student's t: bisection of the upper tail.
 * @param probability - in [0.5, 1)
 * @param degreesOfFreedom - positive
 * @example studentQuantile(0.975, 31) // 2.039513…
 */
export function studentQuantile(probability: number, degreesOfFreedom: number): number {
  const tail = 1 - probability;
  let [low, high] = [0, 1];
  while (studentUpperTail(high, degreesOfFreedom) > tail && high < 1e12) high *= 2;
  for (let step = 0; step < 200; step += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (studentUpperTail(middle, degreesOfFreedom) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
