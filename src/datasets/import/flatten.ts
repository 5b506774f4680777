import type { Cell } from "./table.ts";

/** Deeper than this a value is kept as JSON text. */
const DEEPEST = 4;
/** Longer lists of objects are kept as JSON text, so that one row cannot make thousands of columns. */
const LONGEST = 8;

/**
 * A record of any shape as named cells: `others.index`, `turns[0].content`. Lists of plain values stay lists,
 * numbers and truth values become text, null and missing are left out.
 */
export function flatten(value: unknown): Record<string, Cell> {
  const cells: Record<string, Cell> = Object.create(null) as Record<string, Cell>;
  add(cells, "", value, 0);
  return cells;
}

function add(cells: Record<string, Cell>, name: string, value: unknown, depth: number): void {
  const text = plainText(value);
  if (text !== null) {
    if (text !== "") cells[name === "" ? "value" : name] = text;
  } else if (Array.isArray(value)) {
    const texts = value.map(plainText);
    const known = texts.filter((entry) => entry !== null);
    if (known.length === texts.length) {
      if (known.length > 0) cells[name === "" ? "value" : name] = known;
    } else if (depth >= DEEPEST || value.length > LONGEST) cells[name] = JSON.stringify(value);
    else value.forEach((entry, at) => add(cells, `${name}[${at}]`, entry, depth + 1));
  } else if (typeof value === "object" && value !== null) {
    if (depth >= DEEPEST) cells[name] = JSON.stringify(value);
    else
      for (const [key, entry] of Object.entries(value))
        add(cells, name === "" ? key : `${name}.${key}`, entry, depth + 1);
  }
}

function plainText(value: unknown): string | null {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    default:
      return value instanceof Date ? value.toISOString() : null;
  }
}
