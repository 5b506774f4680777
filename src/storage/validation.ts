import * as v from "valibot";
import type { RecordReader } from "./record-schemas.ts";

/** What is wrong with a value, and where: `path` reads like `generations[3].logProbNats`. */
export interface RecordProblem {
  readonly path: string;
  readonly message: string;
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly RecordProblem[] };

/**
 * Reads a value as a record. The value itself is returned, never a copy: nothing in it is lost.
 * @param path - what the value is called in the problems' paths
 */
export function check<T>(reader: RecordReader<T>, value: unknown, path: string): Checked<T> {
  const problems: RecordProblem[] = [];
  return isRecord(reader, value, path, problems) ? { ok: true, value } : { ok: false, problems };
}

function isRecord<T>(
  reader: RecordReader<T>,
  value: unknown,
  path: string,
  problems: RecordProblem[],
): value is T {
  const result = v.safeParse(reader.schema, value);
  if (!result.success) {
    for (const issue of result.issues) {
      const place = (issue.path ?? []).reduce((parent, item) => childPath(parent, item.key), path);
      problems.push({ path: place, message: plainMessage(issue.message) });
    }
    return false;
  }
  for (const { field, found, expected, why } of reader.lengths(result.output)) {
    if (found === null || found === expected) continue;
    const message = `expected ${expected} entries (${why}), found ${found}`;
    problems.push({ path: childPath(path, field), message });
  }
  return problems.length === 0;
}

/** Path of a property (`a.b`) or an entry (`a[0]`). */
export function childPath(parent: string, child: unknown): string {
  if (typeof child === "number") return `${parent}[${child}]`;
  const name = String(child);
  if (!/^[A-Za-z_$][\w$]*$/u.test(name)) return `${parent}[${JSON.stringify(name)}]`;
  return parent === "" ? name : `${parent}.${name}`;
}

function plainMessage(message: string): string {
  return message
    .replace(/^Invalid (type|length|value|key): Expected /u, "expected ")
    .replace(" but received ", ", found ");
}
