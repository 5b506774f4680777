/** Where an arrow key leads inside a chart. */

/**
 * Index after a key, or null if the key does not move. With `columns` above 0 the marks form a grid, in which
 * up and down change the row and stay where there is none; without, they form a ring.
 */
export function nextIndex(key: string, index: number, count: number, columns = 0): number | null {
  if (count === 0) return null;
  const inside = (next: number) => ((next % count) + count) % count;
  switch (key) {
    case "ArrowRight":
      return inside(index + 1);
    case "ArrowLeft":
      return inside(index - 1);
    case "ArrowDown":
      return columns > 0 ? (index + columns < count ? index + columns : index) : inside(index + 1);
    case "ArrowUp":
      return columns > 0 ? (index - columns >= 0 ? index - columns : index) : inside(index - 1);
    case "Home":
      return columns > 0 ? index - (index % columns) : 0;
    case "End":
      return columns > 0 ? Math.min(count - 1, index - (index % columns) + columns - 1) : count - 1;
    default:
      return null;
  }
}
