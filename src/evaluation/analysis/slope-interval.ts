import { leakageSlope } from "../../metrics/index.ts";

/** Two-sided 95 % points of Student's t for 1, 2, … degrees of freedom. */
const T_975 = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604,
  2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555,
  2.0518, 2.0484, 2.0452, 2.0423,
];
/** Beyond the table the point lies between this and the last entry. */
const NORMAL_975 = 1.96;

export interface SlopeWithInterval {
  readonly slope: number | null;
  readonly slopeLow: number | null;
  readonly slopeHigh: number | null;
}

/**
 * Leakage slope of one feature over the wordings of one example, with the 95 % interval of ordinary least squares:
 * slope ± t · sqrt(SSE / (k − 2) / Sxx). A bootstrap over so few wordings fails where only one of them shows the
 * feature, as most resamples then leave it out.
 *
 * @returns a null slope where the prompts do not differ; a null interval for k < 3 or without any residual
 */
export function slopeWithInterval(x: readonly number[], y: readonly number[]): SlopeWithInterval {
  const slope = leakageSlope(x, y).value;
  const freedom = x.length - 2;
  if (slope === null || freedom < 1) return { slope, slopeLow: null, slopeHigh: null };
  const meanX = x.reduce((sum, value) => sum + value, 0) / x.length;
  const meanY = y.reduce((sum, value) => sum + value, 0) / y.length;
  let residual = 0;
  let spread = 0;
  for (const [at, value] of x.entries()) {
    residual += ((y[at] ?? NaN) - meanY - slope * (value - meanX)) ** 2;
    spread += (value - meanX) ** 2;
  }
  if (residual < 1e-18 * spread) return { slope, slopeLow: null, slopeHigh: null };
  const margin = (T_975[freedom - 1] ?? NORMAL_975) * Math.sqrt(residual / freedom / spread);
  return { slope, slopeLow: slope - margin, slopeHigh: slope + margin };
}
