import { describe, expect, it } from "vitest";
import { variantFamilies } from "../../../variants/index.ts";
import type { ImportMapping, TablePreview } from "../../data-controller.ts";
import {
  allPlaces,
  placeKey,
  placeOf,
  withLayout,
  withOriginal,
  withWording,
  wordingAt,
} from "./mapping-edit.ts";
import { familyChoices, readStrengths, strengthsText } from "./strengths.ts";

const scale = { min: -10, max: 10, step: 1, neutral: 0, unit: "steps", suggested: [-5, 5] };

describe("typed strengths", () => {
  it("are read with either minus, any separator, each once, in order", () => {
    expect(readStrengths(" 5; −10, -10 3 ", scale)).toEqual({ ok: true, strengths: [-10, 3, 5] });
    expect(readStrengths(strengthsText([-10, 5]), scale)).toEqual({ ok: true, strengths: [-10, 5] });
  });

  it.each(["0", "11", "1.5", "x", "5 x"])("refuse %s and say what is allowed", (text) => {
    const read = readStrengths(text, scale);
    expect(read.ok ? "" : read.message).toMatch(/−10 to 10 in steps of 1, without 0/);
  });

  it("need at least one, and one family", () => {
    expect(readStrengths(" ", scale).ok).toBe(false);
    expect(familyChoices(variantFamilies(), new Set(), {}).problem).toMatch(/at least one family/);
  });

  it("are the suggested ones where nothing was typed, and none where a family has no degrees", () => {
    const { choices } = familyChoices(variantFamilies(), new Set(["spacing", "contractions"]), {});
    expect(choices).toEqual([{ family: "spacing", strengths: [20, 50, 100] }, { family: "contractions" }]);
    expect(familyChoices(variantFamilies(), new Set(["spacing"]), { spacing: "200" }).problem).toMatch(
      /^Spacing: “200”/,
    );
  });
});

const table = (file: string, columns: string[]): TablePreview => ({
  file,
  format: "csv",
  columns,
  rows: 1,
  firstRows: [],
});
const tables = [table("a.csv", ["id", "1/0", "p"]), table("b.csv", ["id", "p"])];
const wide: ImportMapping & { layout: "wide" } = {
  ...{ name: "A", kind: "free-text", ids: ["id", "id"], gold: null, layout: "wide" },
  wordings: [{ table: 0, column: "p", family: "original", label: "original" }],
};

describe("the choice of columns", () => {
  it("finds each column again by its key, whatever it is called", () => {
    for (const place of allPlaces(tables)) expect(placeOf(placeKey(place, tables), tables)).toEqual(place);
    expect(placeOf("7/7", tables)).toBeNull();
  });

  it("never has one column twice", () => {
    const two = withWording(wide, { table: 1, column: "p" }, true, "b");
    expect(wordingAt(two, { table: 1, column: "p" })?.label).toBe("b");
    expect(withOriginal(two, { table: 1, column: "p" }).wordings).toHaveLength(1);
    expect(withWording(two, { table: 1, column: "p" }, false, "b").wordings).toEqual(wide.wordings);
  });

  it("keeps the column of the text when the layout changes there and back", () => {
    expect(withLayout(withLayout(wide, "long"), "wide")).toEqual(wide);
  });
});
