import { comparableText } from "../gold.ts";
import { parseDataset } from "../parse-dataset.ts";
import { DATASET_SCHEMA, type Dataset, type DatasetExample, type DatasetVariant } from "../schema.ts";
import type { ImportMapping } from "./mapping.ts";
import type { Cell, ImportedTable, ImportProblem, TableRow } from "./table.ts";

/** What an import comes to. */
export interface BuiltDataset {
  /** null: no row could be used. */
  readonly dataset: Dataset | null;
  /** Every row that was left out, every wording that was, and why. */
  readonly problems: readonly ImportProblem[];
}

/** More different answers than this are no labels of a classification. */
const MOST_LABELS = 20;

interface Draft {
  readonly file: string;
  readonly place: string;
  readonly id: string;
  readonly prompt: string;
  readonly gold: readonly string[];
  readonly variants: { readonly variant: DatasetVariant; readonly file: string; readonly place: string }[];
}

/**
 * Makes a dataset of tables. A row that cannot be used is named and left out; the others are kept. Texts are taken
 * as they are: braces, markup and line breaks are part of the prompt.
 *
 * @param id - of the new dataset
 */
export function buildDataset(
  tables: readonly ImportedTable[],
  mapping: ImportMapping,
  id: string,
): BuiltDataset {
  const problems: ImportProblem[] = tables.flatMap((table) => table.problems);
  const drafts =
    mapping.layout === "wide" ? wideDrafts(tables, mapping, problems) : longDrafts(tables, mapping, problems);
  const labels = mapping.kind === "classification" ? labelsOf(drafts) : null;
  const file = tables[0]?.file ?? mapping.name;
  if (labels !== null && (labels.length < 2 || labels.length > MOST_LABELS)) {
    const reason =
      labels.length < 2
        ? "A classification needs at least two different answers. Choose another kind, or another column of answers."
        : `There are ${labels.length} different answers, too many for labels. Choose the kind “short answer”.`;
    return { dataset: null, problems: [...problems, { file, place: null, reason }] };
  }
  const head = {
    schema: DATASET_SCHEMA,
    id,
    name: mapping.name.trim() || "Imported set",
    description: `Imported from ${tables.map((table) => table.file).join(", ")}.`,
    kind: mapping.kind,
    license: "not stated",
    language: "und",
    ...(labels === null ? {} : { labels }),
  } as const;
  const examples: DatasetExample[] = [];
  for (const draft of drafts) {
    const example = usableExample(draft, mapping, problems);
    const checked = parseDataset({ ...head, examples: [example] });
    if (checked.ok) examples.push(...checked.dataset.examples);
    else
      problems.push(
        ...checked.problems.map(({ message }) => ({ file: draft.file, place: draft.place, reason: message })),
      );
  }
  if (examples.length > 0) return { dataset: { ...head, examples }, problems };
  return { dataset: null, problems: [...problems, { file, place: null, reason: "No row could be used." }] };
}

/** Without the wordings that repeat another one; each is named. */
function usableExample(
  { id, prompt, gold, variants }: Draft,
  { kind }: ImportMapping,
  problems: ImportProblem[],
): DatasetExample {
  const seen = new Set([prompt.trim()]);
  const kept = variants.filter(({ variant, file, place }) => {
    const fresh = seen.size < seen.add(variant.prompt.trim()).size;
    if (!fresh)
      problems.push({
        file,
        place,
        reason: `The wording “${variant.label}” repeats another one and was left out.`,
      });
    return fresh;
  });
  return {
    id,
    prompt,
    ...(gold.length === 0 && kind === "free-text" ? {} : { gold: [...gold] }),
    variants: kept.map(({ variant }) => variant),
  };
}

function wideDrafts(
  tables: readonly ImportedTable[],
  mapping: ImportMapping & { readonly layout: "wide" },
  problems: ImportProblem[],
): Draft[] {
  const byId = tables.map((table, at) => rowsById(table, mapping.ids[at] ?? null, problems));
  const [original, ...others] = mapping.wordings;
  const table = tables[original.table];
  const drafts: Draft[] = [];
  for (const [id, row] of byId[original.table] ?? []) {
    const file = table?.file ?? "";
    const prompt = textOf(row, original.column);
    if (prompt.reason !== null) {
      problems.push({ file, place: row.place, reason: prompt.reason });
      continue;
    }
    const variants = others.flatMap(({ table: at, column, family, label }, index): Draft["variants"] => {
      const otherFile = tables[at]?.file ?? "";
      const other = byId[at]?.get(id);
      if (other === undefined) {
        problems.push({
          file: otherFile,
          place: null,
          reason: `There is no row with the id “${id}”, which ${file} has.`,
        });
        return [];
      }
      const text = textOf(other, column);
      // An empty cell is a wording that this prompt does not have.
      if (other.cells[column] === undefined) return [];
      if (text.reason !== null) {
        problems.push({ file: otherFile, place: other.place, reason: text.reason });
        return [];
      }
      const variant = { id: `wording-${index + 2}`, family, label, prompt: text.text };
      return [{ variant, file: otherFile, place: other.place }];
    });
    drafts.push({
      file,
      place: row.place,
      id,
      prompt: prompt.text,
      gold: goldOf(row, mapping.gold),
      variants,
    });
  }
  for (const [at, rows] of byId.entries()) {
    if (at === original.table) continue;
    const known = byId[original.table];
    for (const [id, row] of rows) {
      if (known?.has(id) !== true)
        problems.push({
          file: tables[at]?.file ?? "",
          place: row.place,
          reason: `No row of ${table?.file ?? "the first file"} has the id “${id}”, so this wording belongs to nothing.`,
        });
    }
  }
  return drafts;
}

/** Rows by id; a repeated id keeps its first row. */
function rowsById(
  table: ImportedTable,
  column: string | null,
  problems: ImportProblem[],
): Map<string, TableRow> {
  const rows = new Map<string, TableRow>();
  table.rows.forEach((row, at) => {
    const id = column === null ? String(at + 1) : asId(row.cells[column]);
    const known = id === "" ? undefined : rows.get(id);
    if (id === "")
      problems.push({
        file: table.file,
        place: row.place,
        reason: `The column “${column ?? ""}” with the id is empty.`,
      });
    else if (known !== undefined)
      problems.push({
        file: table.file,
        place: row.place,
        reason: `The id “${id}” stands in ${known.place} already; that row was kept and this one left out.`,
      });
    else rows.set(id, row);
  });
  return rows;
}

function longDrafts(
  tables: readonly ImportedTable[],
  mapping: ImportMapping & { readonly layout: "long" },
  problems: ImportProblem[],
): Draft[] {
  const drafts = new Map<string, Draft>();
  for (const [at, table] of tables.entries()) {
    const column = mapping.ids[at] ?? null;
    for (const row of table.rows) {
      const { file } = table;
      const { place } = row;
      const id = column === null ? "" : asId(row.cells[column]);
      const text = textOf(row, mapping.text);
      if (id === "" || text.reason !== null) {
        problems.push({ file, place, reason: text.reason ?? "The row has no id, so it belongs to nothing." });
        continue;
      }
      const draft = drafts.get(id);
      if (draft === undefined) {
        drafts.set(id, { file, place, id, prompt: text.text, gold: goldOf(row, mapping.gold), variants: [] });
        continue;
      }
      const number = draft.variants.length + 2;
      const strength = strengthOf(row, mapping.strength);
      if (strength === "wrong")
        problems.push({
          file,
          place,
          reason: "The strength is not a number, so the wording is kept without one.",
        });
      draft.variants.push({
        file,
        place,
        variant: {
          id: `wording-${number}`,
          family: cellText(row, mapping.family) ?? "imported",
          label: cellText(row, mapping.label) ?? `wording ${number}`,
          prompt: text.text,
          ...(typeof strength === "number" ? { strength } : {}),
        },
      });
    }
  }
  return [...drafts.values()];
}

function textOf(
  row: TableRow,
  column: string,
): { readonly text: string; readonly reason: null } | { readonly text: null; readonly reason: string } {
  const cell = row.cells[column];
  if (typeof cell === "string" && cell.trim() !== "") return { text: cell, reason: null };
  const reason =
    cell === undefined || typeof cell === "string"
      ? `The column “${column}” with the prompt is empty.`
      : `The column “${column}” holds a list, not a text.`;
  return { text: null, reason };
}

function cellText(row: TableRow, column: string | null): string | null {
  const cell = column === null ? undefined : row.cells[column];
  const text = typeof cell === "string" ? cell.trim() : "";
  return text === "" ? null : text;
}

function strengthOf(row: TableRow, column: string | null): number | null | "wrong" {
  const text = cellText(row, column);
  if (text === null) return null;
  const value = Number(text.replace("\u2212", "-"));
  return Number.isFinite(value) ? value : "wrong";
}

function asId(cell: Cell | undefined): string {
  return typeof cell === "string" ? cell.trim() : "";
}

/** A list as it is; a text cut at "|", so that several answers can stand in one cell of a table. */
function goldOf(row: TableRow, column: string | null): string[] {
  const cell = column === null ? undefined : row.cells[column];
  const answers = cell === undefined ? [] : typeof cell === "string" ? cell.split("|") : [...cell];
  return answers.map((answer) => answer.trim()).filter((answer) => answer !== "");
}

/** The different answers, in the order in which they occur. */
function labelsOf(drafts: readonly Draft[]): string[] {
  const labels = new Map<string, string>();
  for (const label of drafts.flatMap(({ gold }) => gold)) {
    const known = comparableText(label);
    if (known !== "" && !labels.has(known)) labels.set(known, label);
  }
  return [...labels.values()];
}
