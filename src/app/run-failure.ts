import { EngineError, type EngineErrorCode } from "../inference/index.ts";
import type { Failure } from "../ui/controller.ts";

/** What comes after a message about a hub's files, which itself says what is wrong. */
const HUB: Readonly<Partial<Record<EngineErrorCode, string>>> = {
  "access-needed": "Give an access token on the page Models, then run again.",
  "download-failed": "The next try goes on from what came.",
  "file-truncated": "The next try goes on from what came.",
  "file-corrupt": "Another model can be run meanwhile.",
  "file-changed": "Look the model up again on the page Models.",
  "hub-answer-invalid": "Another model can be run meanwhile.",
};

const KNOWN: readonly { readonly pattern: RegExp; readonly next: string }[] = [
  {
    pattern: /quota|storage is full/i,
    next: "Delete runs that you no longer need below, or free disk space, then continue.",
  },
  {
    pattern: /another tab/i,
    next: "Close the other tab, then continue here.",
  },
  {
    pattern: /device (was )?lost|graphics processor/i,
    next: "Continue tries WebGPU again. WASM would need a run of its own, since the two are never mixed.",
  },
  {
    pattern: /memory|allocation|out of bounds/i,
    next: "Close other tabs, or choose fewer new tokens, then continue.",
  },
  {
    pattern: /fetch|network|download|answered [45]\d\d/i,
    next: "Check that the page's server is still running, then try again.",
  },
];

/** An error as the page's three parts: what happened, what is safe, what to do. */
export function describeFailure(
  error: unknown,
  stored: { readonly runId: string | null; readonly examplesDone: number; readonly examples: number },
): Failure {
  const title =
    error instanceof Error && error.message ? error.message : "Something failed without a message.";
  // Errors about the page's own files name no model, and their advice is the page's server.
  const ofHub = error instanceof EngineError && "model" in error.details ? HUB[error.code] : undefined;
  const next =
    ofHub ??
    KNOWN.find(({ pattern }) => pattern.test(title))?.next ??
    (stored.runId
      ? "Continue tries again from the next missing piece."
      : "Try again, or choose another device.");
  const safe =
    stored.runId === null
      ? "No run had begun, so nothing is lost."
      : `Everything computed so far is stored: ${stored.examplesDone} of ${stored.examples} questions.`;
  return { kind: "failed", title, safe, next, canContinue: stored.runId !== null };
}
