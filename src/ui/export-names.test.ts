import { expect, it } from "vitest";
import { XSS_CORPUS } from "../../tests/xss-corpus.ts";
import { exampleRun } from "../storage/run-fixtures.ts";
import { exportName } from "./export-names.ts";

it("names a file by dataset, model, format, day, run and content", () => {
  expect(exportName(exampleRun("0123456789abcdef"), "answers", "csv")).toBe(
    "sago-facts-tiny-q4-2026-01-02-01234567-answers.csv",
  );
});

it.each(XSS_CORPUS)("leaves nothing in a name that a file system could take for more: $name", ({ text }) => {
  const run = exampleRun();
  const name = exportName(
    { ...run, spec: { ...run.spec, model: { ...run.spec.model, id: `../${text}` } } },
    "run",
    "json",
  );
  expect(name).toMatch(/^sago-facts-[\p{L}\p{N}._-]+\.json$/u);
  expect(name).not.toMatch(/(^|-)\./);
  expect(name.length).toBeLessThan(200);
});
