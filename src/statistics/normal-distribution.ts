import { requireOpenUnit } from "./checks.ts";

/**
 * Standard normal distribution function Φ(z), relative error below 1e-13 in both tails.
 *
 * Φ(−z) = ½ Q(½, z²/2), the upper incomplete gamma ratio by its series for small z and by Lentz's continued
 * fraction otherwise (Press et al. 2007, §6.2).
 */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) throw new RangeError("z must be a number");
  const tail = 0.5 * upperGammaHalf((z * z) / 2);
  return z > 0 ? 1 - tail : tail;
}

/** Q(½, x) = erfc(√x), x ≥ 0. */
function upperGammaHalf(x: number): number {
  if (x === Infinity) return 0;
  const scale = Math.exp(-x) / Math.sqrt(Math.PI);
  if (x < 1.5) {
    let term = 2;
    let sum = 2;
    for (let n = 1; term > sum * 1e-17; n++) {
      term *= x / (n + 0.5);
      sum += term;
    }
    return 1 - scale * Math.sqrt(x) * sum;
  }
  let b = x + 0.5;
  let c = Infinity;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 1000; n++) {
    const a = -n * (n - 0.5);
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    const factor = d * c;
    fraction *= factor;
    if (Math.abs(factor - 1) < 1e-16) break;
  }
  return scale * Math.sqrt(x) * fraction;
}

const CENTRE = {
  over: [
    3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
    45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727,
  ],
  under: [
    1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
    39307.89580009271061, 28729.085735721942674, 5226.495278852854561,
  ],
};
const MIDDLE = {
  over: [
    1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
    1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 0.00077454501427834140764,
  ],
  under: [
    1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
    0.0151986665636164571966, 0.0005475938084995344946, 1.05075007164441684324e-9,
  ],
};
const TAIL = {
  over: [
    6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
    0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
  ],
  under: [
    1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 0.0007868691311456132591,
    1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15,
  ],
};

/**
 * Standard normal quantile Φ⁻¹(p), about 16 digits (Wichura 1988, algorithm AS 241, PPND16).
 * @param p - in (0, 1)
 * @throws {RangeError} if p lies outside (0, 1)
 */
export function normalQuantile(p: number): number {
  requireOpenUnit(p, "p");
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * ratio(CENTRE, 0.180625 - q * q);
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  return Math.sign(q) * (r <= 5 ? ratio(MIDDLE, r - 1.6) : ratio(TAIL, r - 5));
}

function ratio(
  of: { readonly over: readonly number[]; readonly under: readonly number[] },
  x: number,
): number {
  return polynomial(of.over, x) / polynomial(of.under, x);
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0);
}
