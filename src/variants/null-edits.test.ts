import fc from "fast-check";
import { expect, it } from "vitest";
import { nullEdits } from "./null-edits.ts";

const squeeze = (text: string) => text.trim().replace(/\n\s*\n/g, "\n");

it("gives at least four edits of any text, even of none, all different from it and from each other", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("", " ", "\n\n", "a\n\nb", "x ")),
      (prompt) => {
        const edits = nullEdits(prompt, 20);
        expect(edits.length).toBeGreaterThanOrEqual(4);
        expect(new Set([prompt, ...edits.map((edit) => edit.text)]).size).toBe(edits.length + 1);
        expect(new Set(edits.map((edit) => edit.id)).size).toBe(edits.length);
        for (const edit of edits) expect(squeeze(edit.text)).toBe(squeeze(prompt));
      },
    ),
  );
});

it("starts with spaces and line breaks at the ends, and gives as many as were asked for", () => {
  const edits = nullEdits("What is {this} 🙂?", 3);
  expect(edits.map((edit) => edit.id)).toEqual([
    "null:trailing-space",
    "null:trailing-newline",
    "null:leading-space",
  ]);
  expect(edits.map((edit) => edit.text)).toEqual([
    "What is {this} 🙂? ",
    "What is {this} 🙂?\n",
    " What is {this} 🙂?",
  ]);
  expect(nullEdits("x", 0)).toEqual([]);
  expect(() => nullEdits("x", -1)).toThrow(RangeError);
  expect(() => nullEdits("x", 1.5)).toThrow(RangeError);
});

it("doubles a blank line only outside code fences", () => {
  const doubled = (prompt: string) =>
    nullEdits(prompt, 20).find((edit) => edit.id === "null:doubled-blank-line")?.text;
  expect(doubled("one\n\ntwo")).toBe("one\n\n\ntwo");
  expect(doubled("one\r\n\r\ntwo")).toBe("one\r\n\r\n\r\ntwo");
  expect(doubled("one\ntwo")).toBeUndefined();
  expect(doubled("Explain:\n```\na\n\nb\n```")).toBeUndefined();
  expect(doubled("Explain.\n\nThis:\n```\na\n\nb\n```")).toBe("Explain.\n\n\nThis:\n```\na\n\nb\n```");
});
