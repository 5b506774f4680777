/** What can go wrong in inference, told apart by code so that the page can say what to do. */
export const ENGINE_ERROR_CODES = [
  "file-missing",
  "file-not-json",
  "file-truncated",
  "file-unreadable",
  "file-changed",
  "file-corrupt",
  "download-failed",
  "access-needed",
  "model-missing",
  "reference-invalid",
  "hub-answer-invalid",
  "storage-full",
  "config-invalid",
  "graph-unsupported",
  "session-failed",
  "runtime-failed",
  "out-of-memory",
  "device-unavailable",
  "prompt-too-long",
  "prompt-empty",
  "system-prompt-unsupported",
  "template-failed",
  "not-loaded",
  "numbers-invalid",
  "self-test-failed",
  "worker-failed",
  "worker-silent",
] as const;
export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

/**
 * An error of the inference room. The message says what happened, where, and what to do; `details` holds
 * the values (file names, sizes, status codes) as plain data that survives a worker boundary.
 */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: EngineErrorCode;
  readonly details: Readonly<Record<string, string | number | null>>;

  constructor(
    code: EngineErrorCode,
    message: string,
    details: Readonly<Record<string, string | number | null>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** The text of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === "string" ? thrown : "an error without a message";
}

/** The error with which a cancelled call rejects. */
export function abortError(message = "The computation was stopped."): DOMException {
  return new DOMException(message, "AbortError");
}

export function isAbortError(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === "AbortError";
}
