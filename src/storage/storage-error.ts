/**
 * What went wrong in the browser's storage, in the terms of the person in front of the page.
 *
 * - `quota`: the browser refused more space
 * - `blocked`: an older tab keeps the database from being brought up to date
 * - `unavailable`: there is no usable IndexedDB (private window, blocked by a setting, broken profile)
 * - `version`: this tab is older than the database, or has been superseded by a newer tab
 * - `missing`: the run does not exist, or was deleted meanwhile
 * - `invalid`: a record that breaks its own contract was refused before it was written
 * - `unknown`: anything else; `cause` has the original error
 */
export type StorageErrorCode =
  "quota" | "blocked" | "unavailable" | "version" | "missing" | "invalid" | "unknown";

/** The only error that this room rejects with. `message` says what happened, what is safe, what to do. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

const ADVICE: Readonly<Record<"quota" | "blocked" | "unavailable" | "version", string>> = {
  quota:
    "The browser has no more space for Sago. Everything written before this is safe. Export and delete " +
    "runs that you no longer need, or free disk space, then continue.",
  blocked:
    "An older tab of Sago keeps its database busy. Nothing is lost. Close the other tabs of Sago, then " +
    "reload this one.",
  unavailable:
    "This browser does not let Sago store anything here, as in some private windows or with site data " +
    "blocked. Results cannot outlive this tab. Open Sago in a normal window, or allow it to store site data.",
  version:
    "A newer version of Sago has been opened in this browser. What was computed is safe. Reload this tab " +
    "to continue.",
};

/** The error for one of the conditions whose message does not depend on what was being done. */
export function conditionError(code: keyof typeof ADVICE, cause?: unknown): StorageError {
  return new StorageError(code, ADVICE[code], { cause });
}

/** Names under which browsers and Dexie refuse to open a database at all. */
const CANNOT_OPEN = [
  "MissingAPIError",
  "SecurityError",
  "InvalidStateError",
  "OpenFailedError",
  "UnknownError",
  "TimeoutError",
];

/**
 * Turns whatever IndexedDB or Dexie threw into a `StorageError`.
 *
 * Dexie reports a refused quota as `QuotaExceededError`, or as `AbortError` with the reason in `inner`
 * (when the transaction fails at commit), or as `BulkError` with it among `failures`; all are looked through.
 *
 * @param action - what was being done, as it completes "Sago could not …"
 */
export function toStorageError(action: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const nested = nestedErrors(error);
  const own = nested.find((candidate) => candidate instanceof StorageError);
  if (own !== undefined) return own;
  const names = nested.map(nameOf);
  if (names.includes("QuotaExceededError")) return conditionError("quota", error);
  if (names.includes("VersionError")) return conditionError("version", error);
  if (names.includes("MissingAPIError")) return conditionError("unavailable", error);
  const detail = error instanceof Error ? error.message : "no details were given";
  return new StorageError(
    "unknown",
    `Sago could not ${action}: ${detail} What was written before this is safe. Reload the page and try again.`,
    { cause: error },
  );
}

/** As `toStorageError`, for a failure to open the database: there most of them mean "not in this browser". */
export function openingError(error: unknown): StorageError {
  const mapped = toStorageError("open its database", error);
  if (mapped.code !== "unknown") return mapped;
  const names = nestedErrors(error).map(nameOf);
  return CANNOT_OPEN.some((name) => names.includes(name)) ? conditionError("unavailable", error) : mapped;
}

/** The error itself and every error it carries, at most eight deep (errors may refer to each other). */
function nestedErrors(error: unknown, depth = 8): unknown[] {
  if (depth === 0 || typeof error !== "object" || error === null) return [];
  const carried: unknown[] = ["inner", "cause"].map((key): unknown => Reflect.get(error, key));
  const failures: unknown = Reflect.get(error, "failures");
  if (Array.isArray(failures)) carried.push(...(failures.slice(0, 8) as unknown[]));
  return [error, ...carried.flatMap((nested) => nestedErrors(nested, depth - 1))];
}

function nameOf(error: unknown): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, "name") : undefined;
}
