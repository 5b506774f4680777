import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { markdownSections } from "../../tools/markdown-sections.mjs";

describe("markdownSections", () => {
  it("makes title, lede and sections, formulas as text and tables that scroll by themselves", () => {
    const text = [
      "# Title",
      "Before _all_.",
      "## First, of two",
      "```formula",
      "I = (B − W) / (C − W) < 1",
      "```",
      "| a | b |",
      "| - | - |",
      "| 1 | `x<y` |",
      "## Second",
      "See [this](https://arxiv.org/abs/2610.01428).",
    ].join("\n\n");
    const table = text.replace("| a | b |\n\n| - | - |\n\n| 1", "| a | b |\n| - | - |\n| 1");
    const fenced = table.replaceAll("```formula\n\n", "```formula\n").replaceAll("\n\n```\n", "\n```\n");
    const { title, lede, sections } = markdownSections(fenced);
    expect(title).toBe("Title");
    expect(lede.trim()).toBe("<p>Before <em>all</em>.</p>");
    expect(sections.map(({ id, title: name }) => [id, name])).toEqual([
      ["first-of-two", "First, of two"],
      ["second", "Second"],
    ]);
    expect(sections[0]?.html).toContain('<p class="formula">I = (B − W) / (C − W) &lt; 1</p>');
    expect(sections[0]?.html).toMatch(/<div class="wide"[^>]*><table>[\s\S]*x&lt;y[\s\S]*<\/table><\/div>/);
    expect(sections[1]?.html).toContain('href="https://arxiv.org/abs/2610.01428"');
  });

  it.each([
    ["markup", "<script>alert(1)</script>"],
    ["markup in a line", "a <b>c</b>"],
    ["a link to a script", "[a](javascript:alert(1))"],
    ["an image", "![a](https://example.org/a.png)"],
  ])("refuses %s", (_, text) => {
    expect(() => markdownSections(text)).toThrow("This text may not");
  });

  it("can make the page of methods, with a section for each axis and each part of the results", () => {
    const { sections } = markdownSections(readFileSync("docs/METHODS.md", "utf8"));
    const titles = sections.map(({ title }) => title).join("\n");
    for (const name of ["calibrated scale", "floor", "generation", "activations", "confidence", "mirroring"])
      expect(titles).toContain(name);
    for (const name of ["Intervals", "More numbers: answers", "three findings", "Paper mode", "cannot say"])
      expect(titles).toContain(name);
    expect(new Set(sections.map(({ id }) => id)).size).toBe(sections.length);
  });
});
