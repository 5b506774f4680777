/**
 * Errors across worker boundaries. Comlink by itself keeps an error's message only; here its kind, code and
 * details survive, so that the page can say what to do. Importing this file on both sides is enough.
 */
import * as Comlink from "comlink";
import * as v from "valibot";
import { abortError, ENGINE_ERROR_CODES, EngineError, isAbortError, messageOf } from "../inference/index.ts";

const plainErrorSchema = v.variant("kind", [
  v.object({ kind: v.literal("abort"), message: v.string() }),
  v.object({
    kind: v.literal("engine"),
    code: v.picklist(ENGINE_ERROR_CODES),
    message: v.string(),
    details: v.record(v.string(), v.nullable(v.union([v.string(), v.number()]))),
    cause: v.nullable(v.string()),
  }),
  v.object({
    kind: v.literal("other"),
    name: v.string(),
    message: v.string(),
    stack: v.nullable(v.string()),
  }),
]);

/** An error as plain data. */
export type PlainError = v.InferOutput<typeof plainErrorSchema>;

export function plainError(thrown: unknown): PlainError {
  if (isAbortError(thrown)) return { kind: "abort", message: messageOf(thrown) };
  if (thrown instanceof EngineError) {
    const { code, message, details, cause } = thrown;
    return {
      kind: "engine",
      code,
      message,
      details: { ...details },
      cause: cause === undefined ? null : messageOf(cause),
    };
  }
  const error = thrown instanceof Error ? thrown : null;
  return {
    kind: "other",
    name: error?.name ?? "Error",
    message: messageOf(thrown),
    stack: error?.stack ?? null,
  };
}

/** The error that `plainError` described. */
export function rebuiltError(plain: unknown): Error {
  const parsed = v.safeParse(plainErrorSchema, plain);
  if (!parsed.success)
    return new EngineError("worker-failed", "A worker failed in a way that it could not describe.");
  const error = parsed.output;
  switch (error.kind) {
    case "abort":
      return abortError(error.message);
    case "engine":
      return new EngineError(error.code, error.message, error.details, error.cause ?? undefined);
    case "other": {
      const rebuilt = new Error(error.message);
      rebuilt.name = error.name;
      if (error.stack !== null) rebuilt.stack = error.stack;
      return rebuilt;
    }
  }
}

/** Comlink marks what was thrown by wrapping it as `{ value }` under this handler's name. */
const THROWN = "throw";

function install(): void {
  const original = Comlink.transferHandlers.get(THROWN);
  if (!original) throw new Error("Comlink has changed how it hands on errors.");
  Comlink.transferHandlers.set(THROWN, {
    canHandle: original.canHandle,
    serialize: (wrapped: unknown): [unknown, Transferable[]] => {
      const thrown: unknown =
        typeof wrapped === "object" && wrapped !== null && "value" in wrapped ? wrapped.value : wrapped;
      return [plainError(thrown), []];
    },
    deserialize: (plain: unknown): never => {
      throw rebuiltError(plain);
    },
  });
}

install();
