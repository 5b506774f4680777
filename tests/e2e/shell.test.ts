import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExportedRun } from "./built-page.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sago-shell-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function shell(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["tools/evaluate.mjs", ...args], (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

describe("npm run evaluate", () => {
  it("writes the export of a run over a dataset of one's own", async () => {
    const dataset = join(folder, "own.json");
    const example = (id: string, prompt: string, other: string) => ({
      id,
      prompt,
      gold: ["yes"],
      variants: [{ id: "p1", family: "paraphrase", label: "in other words", prompt: other }],
    });
    await writeFile(
      dataset,
      JSON.stringify({
        schema: "sago-dataset/1",
        id: "own",
        name: "Own",
        description: "Two questions about {braces}.",
        kind: "short-answer",
        license: "CC0-1.0",
        language: "en",
        examples: [
          example("a", "Is snow cold?", "Would you call snow cold?"),
          example("b", "Is fire {hot}?", "Would you call fire {hot}?"),
        ],
      }),
    );
    const out = join(folder, "run.json");
    const { code, stdout, stderr } = await shell(
      ...["--dataset", dataset, "--examples", "2", "--max-new-tokens", "3", "--out", out],
    );
    expect(stderr).toMatch(/questions/);
    expect(stdout).toContain("Written to");
    expect(code).toBe(0);
    const { analysis, run, generations } = JSON.parse(await readFile(out, "utf8")) as ExportedRun;
    expect(run.status).toBe("finished");
    expect(generations.length).toBeGreaterThanOrEqual(10);
    for (const axis of ["generation", "activation", "confidence", "mirroring"] as const) {
      const { estimate, low, high, reason } = analysis.axes[axis];
      // A number, or null with its reason.
      expect(typeof estimate === "number" || typeof reason === "string").toBe(true);
      expect(low === null && high === null ? typeof reason : "number").toBe(
        low === null ? "string" : "number",
      );
    }
  });

  it("exits with 1 and the page's own message for a dataset that cannot be used", async () => {
    const broken = join(folder, "broken.json");
    await writeFile(broken, JSON.stringify({ schema: "sago-dataset/1", id: "x" }));
    const { code, stderr } = await shell("--dataset", broken, "--out", join(folder, "none.json"));
    expect(code).toBe(1);
    expect(stderr).toContain("This dataset cannot be used.");
    expect(stderr).toContain("examples");
  });

  it("names what there is when a dataset or a model does not exist", async () => {
    const unknown = await shell("--dataset", "no-such-set", "--out", join(folder, "none.json"));
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("short-facts");
    const model = await shell("--model", "no-such-model", "--out", join(folder, "none.json"));
    expect(model.code).toBe(1);
    expect(model.stderr).toContain("SmolLM2-135M-Instruct");
  });

  it("exits with 2 and the usage for options that make no sense", async () => {
    for (const args of [
      [],
      ["--examples", "none", "--out", "x"],
      ["--device", "tpu", "--out", "x"],
      ["--nonsense"],
    ]) {
      const { code, stderr } = await shell(...args);
      expect(code).toBe(2);
      expect(stderr).toContain("Usage:");
    }
  });
});
