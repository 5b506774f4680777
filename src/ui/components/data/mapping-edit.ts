import type { ImportMapping, TablePreview, WordingColumn } from "../../data-controller.ts";

/** A column of one of the files. */
export interface ColumnPlace {
  readonly table: number;
  readonly column: string;
}

/** As the value of an option: two numbers cannot be mistaken for each other whatever a column is called. */
export function placeKey({ table, column }: ColumnPlace, tables: readonly TablePreview[]): string {
  return `${table}/${tables[table]?.columns.indexOf(column) ?? -1}`;
}

export function placeOf(key: string, tables: readonly TablePreview[]): ColumnPlace | null {
  const [table = "", at = ""] = key.split("/");
  const column = tables[Number(table)]?.columns[Number(at)];
  return column === undefined ? null : { table: Number(table), column };
}

export function allPlaces(tables: readonly TablePreview[]): ColumnPlace[] {
  return tables.flatMap(({ columns }, table) => columns.map((column) => ({ table, column })));
}

const same = (a: ColumnPlace, b: ColumnPlace) => a.table === b.table && a.column === b.column;

type Wide = ImportMapping & { readonly layout: "wide" };

/** Another column becomes the original; if it was a wording before, it is none any more. */
export function withOriginal(mapping: Wide, place: ColumnPlace): Wide {
  const [, ...others] = mapping.wordings;
  return {
    ...mapping,
    wordings: [
      { ...place, family: "original", label: "original" },
      ...others.filter((other) => !same(other, place)),
    ],
  };
}

/** A column becomes a wording, or none any more. */
export function withWording(mapping: Wide, place: ColumnPlace, on: boolean, label: string): Wide {
  const [original, ...others] = mapping.wordings;
  const rest = others.filter((other) => !same(other, place));
  const added: WordingColumn[] = on ? [{ ...place, family: "paraphrase", label }] : [];
  return { ...mapping, wordings: [original, ...rest, ...added] };
}

/** The family that a wording's column belongs to. */
export function withFamily(mapping: Wide, place: ColumnPlace, family: string): Wide {
  const [original, ...others] = mapping.wordings;
  return {
    ...mapping,
    wordings: [original, ...others.map((other) => (same(other, place) ? { ...other, family } : other))],
  };
}

export function wordingAt(mapping: Wide, place: ColumnPlace): WordingColumn | undefined {
  return mapping.wordings.slice(1).find((wording) => same(wording, place));
}

/** The same files read the other way: a row a question, or a row a wording. */
export function withLayout(mapping: ImportMapping, layout: ImportMapping["layout"]): ImportMapping {
  if (mapping.layout === layout) return mapping;
  const { name, kind, ids, gold } = mapping;
  const common = { name, kind, ids, gold };
  return mapping.layout === "wide"
    ? {
        ...common,
        layout: "long",
        text: mapping.wordings[0].column,
        family: null,
        label: null,
        strength: null,
      }
    : {
        ...common,
        layout: "wide",
        wordings: [{ table: 0, column: mapping.text, family: "original", label: "original" }],
      };
}
