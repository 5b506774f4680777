/** A table to export: columns that describe themselves, and rows in which what is missing says why. */

/** One value. Missing is null, never 0, NaN or an empty text. */
export type Cell = string | number | boolean | null;

export interface Column {
  readonly name: string;
  /** `integer` fits 32 bits; `number` is an IEEE 754 double. */
  readonly type: "text" | "number" | "integer" | "boolean";
  /** Empty where it has none. */
  readonly unit: string;
  /** Smallest and largest possible value, or the possible words; empty for free text. */
  readonly range: string;
  /** One sentence without its full stop. */
  readonly meaning: string;
  /** The column that says why a value is missing; null where none can be missing. */
  readonly reasonIn: string | null;
  /** A column of reasons: empty exactly where nothing is missing. */
  readonly isReason: boolean;
}

/** How a column takes its value from what a row is made of. */
export interface ColumnOf<Source> extends Column {
  readonly of: (source: Source) => Cell;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
}

/** A value, or why there is none. */
export interface Measured {
  readonly value: Cell;
  readonly reason: string | null;
}

type Description = Pick<Column, "name" | "type" | "meaning"> & Partial<Pick<Column, "unit" | "range">>;

/** A column without gaps. */
export function column<Source>(description: Description, of: (source: Source) => Cell): ColumnOf<Source> {
  return { unit: "", range: "", reasonIn: null, isReason: false, ...description, of };
}

/**
 * Columns that have one reason for what is missing in any of them, and the column of that reason, `{stem}_reason`.
 * A number that is not finite is missing, too.
 */
export function withReason<Source>(
  stem: string,
  columns: readonly ColumnOf<Source>[],
  reason: (source: Source) => string | null,
): ColumnOf<Source>[] {
  const reasonIn = `${stem}_reason`;
  const kept = columns.map((each) => ({
    ...each,
    reasonIn,
    of: (source: Source) => finite(each.of(source)),
  }));
  const names = columns.map(({ name }) => `\`${name}\``).join(", ");
  return [
    ...kept,
    {
      ...column<Source>(
        {
          name: reasonIn,
          type: "text",
          meaning: `Why ${names} ${columns.length === 1 ? "is" : "are, or one of them is,"} missing`,
        },
        (source) =>
          kept.some((each) => each.of(source) === null) ? (reason(source) ?? "no reason was recorded") : null,
      ),
      isReason: true,
    },
  ];
}

/** One column with its own reason. */
export function measured<Source>(
  description: Description,
  of: (source: Source) => Measured,
): ColumnOf<Source>[] {
  return withReason(
    description.name,
    [column(description, (source: Source) => of(source).value)],
    (source) => of(source).reason,
  );
}

/** Rows in the order of the sources. */
export function tableOf<Source>(columns: readonly ColumnOf<Source>[], sources: readonly Source[]): Table {
  const rows = sources.map((source) =>
    Object.fromEntries(columns.map(({ name, of }) => [name, settled(of(source))])),
  );
  return { columns, rows };
}

function finite(cell: Cell): Cell {
  return typeof cell === "number" && !Number.isFinite(cell) ? null : cell;
}

/** Text formats write −0 as 0, so that every format holds the same number. */
function settled(cell: Cell): Cell {
  return cell === 0 ? 0 : cell;
}
