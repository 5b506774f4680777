import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface ListedModel {
  readonly id: string;
  readonly license: string;
  readonly source: string;
  readonly files: readonly ListedFile[];
}

const LARGEST_FILE_BYTES = 48_000_000;
const LARGEST_LANGUAGE_MODEL_BYTES = 110_000_000;

const modelsFolder = fileURLToPath(new URL("../../public/models/", import.meta.url));
const models: readonly ListedModel[] = JSON.parse(readFileSync(join(modelsFolder, "models.json"), "utf8"));

function filesOnDisk(id: string): string[] {
  return readdirSync(join(modelsFolder, id), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(modelsFolder, id).length + 1))
    .filter((path) => path !== "README.md")
    .toSorted();
}

describe("the bundled models", () => {
  it("are the language model and the sentence encoder", () => {
    expect(models.map(({ id }) => id)).toEqual(["SmolLM2-135M-Instruct", "all-MiniLM-L6-v2"]);
    const folders = readdirSync(modelsFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(models.map(({ id }) => id).toSorted());
  });

  it("take at most 110 MB for the language model", () => {
    const total = models[0]?.files.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(LARGEST_LANGUAGE_MODEL_BYTES);
  });

  describe.each(models)("$id", ({ id, license, source, files }) => {
    it("names its licence and its source, and carries the licence's text", () => {
      expect(license).toBe("Apache-2.0");
      expect(source).not.toBe("");
      expect(readFileSync(join(modelsFolder, id, "LICENSE"), "utf8")).toContain("Apache License");
    });

    it("lists every file of its folder but the model card", () => {
      expect(files.map(({ path }) => path).toSorted()).toEqual(filesOnDisk(id));
      expect(readFileSync(join(modelsFolder, id, "README.md"), "utf8")).toContain(source.split(",")[0]);
    });

    it.each(files)(
      "has $path with the listed size and checksum, in at most 48 MB",
      ({ path, bytes, sha256 }) => {
        const raw = readFileSync(join(modelsFolder, id, path));
        expect(raw.length).toBe(bytes);
        expect(createHash("sha256").update(raw).digest("hex")).toBe(sha256);
        expect(bytes).toBeLessThanOrEqual(LARGEST_FILE_BYTES);
      },
    );
  });
});
