import type { Failure } from "../ui/controller.ts";

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
  const next =
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
