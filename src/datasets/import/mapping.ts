import type { DatasetKind } from "../schema.ts";
import type { ImportedTable } from "./table.ts";

/** A column that holds a wording of each prompt. */
export interface WordingColumn {
  /** Place of the file in the list of tables. */
  readonly table: number;
  readonly column: string;
  readonly family: string;
  readonly label: string;
}

/**
 * What the columns mean.
 *
 * `wide`: one row a prompt; its wordings are columns, of one file or of several that are joined by id. The first
 * wording is the original. `long`: one row a wording; rows with the same id belong together, and the first of them
 * is the original.
 */
export type ImportMapping = {
  readonly name: string;
  readonly kind: DatasetKind;
  /** Column of the id in each table; null: the number of the row. */
  readonly ids: readonly (string | null)[];
  /** Column of the accepted answers, in the first table. */
  readonly gold: string | null;
} & (
  | { readonly layout: "wide"; readonly wordings: readonly [WordingColumn, ...WordingColumn[]] }
  | {
      readonly layout: "long";
      readonly text: string;
      readonly family: string | null;
      readonly label: string | null;
      readonly strength: string | null;
    }
);

const ID = /^(?:(?:.*[._ ])?(?:id|index|key|uid|uuid|nr|no|number))$/iu;
const GOLD =
  /^(?:gold|answers?|labels?|targets?|references?|solutions?|correct(?:[_ ]answers?)?|expected)$/iu;
const TEXT =
  /^(?:prompt|question|query|text|input|instruction|original|request|sentence|content|.*\.(?:content|prompt|question|text))$/iu;
const WORDING =
  /(?:variant|paraphrase|rephras|reword|wording|version|perturb|alternative|(?:prompt|question|text)[_ .-]?\d)/iu;
/** Names that fit the texts of a table even if a column looks like free text. */
const FAMILY = /^(?:family|type|kind|category|variant_type|style)$/iu;
const LABEL = /^(?:label|name|variant|variant_name)$/iu;
const STRENGTH = /^(?:strength|level|intensity|degree)$/iu;

/**
 * A guess at what the columns mean, from their names and their texts; the reader corrects it.
 *
 * @returns null where no column looks like text
 */
export function suggestMapping(tables: readonly ImportedTable[]): ImportMapping | null {
  const [first] = tables;
  const main = first === undefined ? null : textColumn(first);
  if (first === undefined || main === null) return null;
  const ids = tables.map((table) => idColumn(table, main));
  const gold = first.columns.find((column) => GOLD.test(column) && column !== main) ?? null;
  const common = {
    name:
      first.file
        .replace(/\.[^.]*$/u, "")
        .replace(/[_-]+/gu, " ")
        .trim() || "Imported set",
    ids,
    gold,
    kind: gold === null ? ("free-text" as const) : ("short-answer" as const),
  };
  const id = ids[0] ?? null;
  const wide = [
    { table: 0, column: main, family: "original", label: "original" },
    ...first.columns
      .filter((column) => WORDING.test(column) && column !== main && column !== id && column !== gold)
      .filter((column) => first.rows.some(({ cells }) => typeof cells[column] === "string"))
      .map((column) => ({ table: 0, column, family: familyFor(column), label: column })),
    ...tables.slice(1).flatMap((table, at) => {
      const column = table.columns.includes(main) ? main : textColumn(table);
      const label = table.file.replace(/\.[^.]*$/u, "");
      return column === null ? [] : [{ table: at + 1, column, family: "paraphrase", label }];
    }),
  ];
  const [original, ...others] = wide;
  if (others.length === 0 && id !== null && hasRepeats(first, id)) {
    const column = (pattern: RegExp) =>
      first.columns.find((name) => pattern.test(name) && name !== main) ?? null;
    const label = column(LABEL);
    return {
      ...common,
      layout: "long",
      text: main,
      family: column(FAMILY),
      label,
      strength: column(STRENGTH),
      ...(gold === label ? { gold: null, kind: "free-text" as const } : {}),
    };
  }
  return original === undefined ? null : { ...common, layout: "wide", wordings: [original, ...others] };
}

function familyFor(column: string): string {
  return /paraphrase|rephras|reword/iu.test(column) ? "paraphrase" : "imported";
}

function idColumn(table: ImportedTable, main: string): string | null {
  const named = table.columns.filter((column) => column !== main && ID.test(column));
  return (
    named.find((column) => table.rows.every(({ cells }) => cells[column] !== undefined)) ?? named[0] ?? null
  );
}

/** By its name, or else the column with the longest texts. */
function textColumn(table: ImportedTable): string | null {
  const texts = table.columns.filter((column) =>
    table.rows.some(({ cells }) => typeof cells[column] === "string"),
  );
  const byName = texts.find((column) => TEXT.test(column));
  if (byName !== undefined) return byName;
  const sample = table.rows.slice(0, 200);
  const length = (column: string) =>
    sample.reduce((sum, { cells }) => {
      const cell = cells[column];
      return sum + (typeof cell === "string" ? cell.length : 0);
    }, 0);
  return texts.reduce<string | null>(
    (best, column) => (best === null || length(column) > length(best) ? column : best),
    null,
  );
}

function hasRepeats(table: ImportedTable, id: string): boolean {
  const seen = new Set<string>();
  for (const { cells } of table.rows) {
    const value = String(cells[id] ?? "");
    if (value !== "" && seen.has(value)) return true;
    seen.add(value);
  }
  return false;
}
