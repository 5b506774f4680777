import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decoderTable, replaceTable, type DecoderRow } from "../../tools/decoder-table.mjs";
import { parseDecoderReference } from "../decoders/decoder-reference.ts";

const rows: readonly DecoderRow[] = JSON.parse(readFileSync("docs/decoders.json", "utf8"));
const page = readFileSync("docs/decoders.md", "utf8");
const fixtures = readdirSync("tests/fixtures/decoders");

describe("docs/decoders.json", () => {
  it("has one row for each fixture, and no other", () => {
    const named = rows.map((row) => `${row.architecture}-${row.export}`).toSorted();
    expect(named).toEqual(fixtures.toSorted());
  });

  it("names as many layers as the references have, and no error that the tests would not pass", () => {
    for (const row of rows) {
      const path = `tests/fixtures/decoders/${row.architecture}-${row.export}/reference.json`;
      const { layers } = parseDecoderReference(JSON.parse(readFileSync(path, "utf8")));
      expect(row).toMatchObject({ layersExpected: layers, layersFound: layers, status: "ok" });
      expect(row.maxRelativeError).toBeGreaterThan(0);
      expect(row.maxRelativeError).toBeLessThan(1e-4);
    }
  });
});

describe("docs/decoders.md", () => {
  it("holds the table of these rows", () => {
    expect(replaceTable(page, decoderTable(rows))).toBe(page);
  });

  it("names only tests that exist", () => {
    const named = [...page.matchAll(/`((?:src|tests)\/[^`]+\.test\.ts)`: “([^”]+)”/g)];
    expect(named.length).toBeGreaterThan(10);
    for (const [, path = "", title = ""] of named) expect(readFileSync(path, "utf8")).toContain(title);
  });
});
