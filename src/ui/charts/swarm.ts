/** Dots of a strip, moved aside from each other so that each one can be seen. */

export interface SwarmPoint {
  readonly x: number;
  /** Offset from the middle of the strip. */
  readonly y: number;
}

/**
 * Places dots at their x as close to the middle as they can be without overlap, from left to right, now above,
 * now below. Where the strip is full, the dot goes to the least crowded place in it rather than out of it.
 *
 * @param xs - positions along the strip, pixels
 * @param radius - of a dot
 * @param room - largest offset from the middle, pixels
 * @returns one point for each x, in the same order
 */
export function swarm(xs: readonly number[], radius: number, room: number): SwarmPoint[] {
  const step = radius * 0.55;
  const steps = Math.max(0, Math.floor(room / step));
  const offsets = [0];
  for (let k = 1; k <= steps; k += 1) offsets.push(k * step, -k * step);
  const least = 2 * radius * Math.sqrt(0.93);
  let near: SwarmPoint[] = [];
  const result = new Map<number, SwarmPoint>();
  const order = xs.map((x, index) => ({ x, index })).sort((a, b) => a.x - b.x || a.index - b.index);
  for (const { x, index } of order) {
    near = near.filter((other) => x - other.x < 2 * radius);
    let best = 0;
    let gap = -1;
    for (const y of offsets) {
      const nearest = Math.min(Infinity, ...near.map((other) => Math.hypot(other.x - x, other.y - y)));
      if (nearest > gap) [best, gap] = [y, nearest];
      if (nearest >= least) break;
    }
    const point = { x, y: best };
    near.push(point);
    result.set(index, point);
  }
  return xs.map((x, index) => result.get(index) ?? { x, y: 0 });
}
