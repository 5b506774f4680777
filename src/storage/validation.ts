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
 * Reads a value as a record.
 * @param path - what the value is called in the problems' paths
 */
export function check<T>(reader: RecordReader<T>, value: unknown, path: string): Checked<T> {
  const result = v.safeParse(reader.schema, value);
  const problems = result.success
    ? reader.lengths(result.output).flatMap(({ field, found, expected, why }) =>
        found === null || found === expected
          ? []
          : [
              {
                path: childPath(path, field),
                message: `expected ${expected} entries (${why}), found ${found}`,
              },
            ],
      )
    : result.issues.map((issue) => ({
        path: (issue.path ?? []).reduce((parent, item) => childPath(parent, item.key), path),
        message: plainMessage(issue.message),
      }));
  return result.success && problems.length === 0
    ? { ok: true, value: result.output }
    : { ok: false, problems };
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
