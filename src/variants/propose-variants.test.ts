import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formOf, questionAsCommand } from "./english-sentence.ts";
import { proposeVariants } from "./propose-variants.ts";

const textOf = (prompt: string, id: string) =>
  Array.from(
    { length: 30 },
    (_, seed) => proposeVariants(prompt, seed).find((it) => it.id === `rule:${id}`)?.text,
  ).find((it) => it !== undefined);

describe("proposeVariants", () => {
  it("offers at least six different rewordings of any text, and none of nothing", () => {
    expect(proposeVariants("", 1)).toEqual([]);
    expect(proposeVariants(" \n\t", 1)).toEqual([]);
    const texts = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => text.trim() !== ""),
      fc.constantFrom(
        "What is {name}'s favourite colour?",
        "🙂🙃",
        "ما هي عاصمة فرنسا؟",
        "日本の首都はどこですか？",
        "```js\nconst a = 1;\n```",
        "Explain this:\n```\nif (a) {\n  b();\n}\n```\nKeep it short.",
        "?",
        "---",
      ),
    );
    fc.assert(
      fc.property(texts, fc.integer(), (prompt, seed) => {
        const variants = proposeVariants(prompt, seed);
        expect(variants.length).toBeGreaterThanOrEqual(6);
        const all = [prompt, ...variants.map(({ text }) => text)].map((text) => text.trim());
        expect(new Set(all).size).toBe(all.length);
        expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
        expect(variants.every(({ label, text }) => label !== "" && text.trim() !== "")).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("covers three families for an English prompt, and repeats itself for the same seed only", () => {
    const prompt = "What is the capital of France?";
    const families = new Set(proposeVariants(prompt, 3).map(({ family }) => family));
    expect([...families]).toEqual(["paraphrase", "style", "format"]);
    expect(proposeVariants(prompt, 3)).toEqual(proposeVariants(prompt, 3));
    const others = Array.from({ length: 10 }, (_, seed) => JSON.stringify(proposeVariants(prompt, seed)));
    expect(new Set(others).size).toBeGreaterThan(3);
  });

  it("keeps code, placeholders, tags and addresses letter by letter", () => {
    const prompt = "Fill in {Name} and <b>Bold</b>, see https://example.org/Path and run `Make All` now.";
    expect(textOf(prompt, "capitals")).toBe(
      "FILL IN {Name} AND <b>BOLD</b>, SEE https://example.org/Path AND RUN `Make All` NOW.",
    );
    const fenced = "Explain what this does.\n```js\nconst  x = {A};\n```";
    for (let seed = 0; seed < 20; seed += 1) {
      for (const { id, text } of proposeVariants(fenced, seed)) {
        if (id !== "rule:block-quote") expect(text).toContain("```js\nconst  x = {A};\n```");
      }
    }
  });

  it("gives a text that is not English frames and letters only", () => {
    for (const prompt of [
      "ما هي عاصمة فرنسا؟",
      "Quelle heure est-il maintenant à Lyon ?",
      "日本の首都はどこですか？",
    ]) {
      expect(proposeVariants(prompt, 1).some(({ family }) => family === "paraphrase")).toBe(false);
    }
  });
});

describe("questionAsCommand", () => {
  it.each([
    ["What is the capital of France?", "Tell me what the capital of France is."],
    ["What is the square root of 144?", "Tell me what the square root of 144 is."],
    ["Who was the first man on the Moon?", "Tell me who the first man on the Moon was."],
    ["Where can I find good bread?", "Tell me where I can find good bread."],
    ["How many eggs do you need?", "Tell me how many eggs you need."],
    ["Is it true that bats are blind?", "Tell me whether it is true that bats are blind."],
    ["Who wrote the play Hamlet?", "Tell me who wrote the play Hamlet."],
    ["Which country has Canberra as its capital?", "Tell me which country has Canberra as its capital."],
    ["Is it true? Give a reason.", "Tell me whether it is true. Give a reason."],
    ["Which planet is closest to the sun?", "Tell me which planet is closest to the sun."],
  ])("turns %s", (question, command) => {
    expect(questionAsCommand(question, "Tell me")).toBe(command);
  });

  it.each([
    "What is a baby kangaroo called?",
    "What is the man doing?",
    "What is the house made of?",
    "What do bees collect from flowers?",
    "How many sides does a hexagon have?",
    "Is the sky blue?",
    "Is this opinion good or bad? I gave up after thirty pages.",
    "What happened in 1969?",
  ])("leaves %s alone rather than turn it wrongly", (question) => {
    expect(questionAsCommand(question, "Tell me")).toBeNull();
  });
});

it("turns commands into questions and keeps what follows them", () => {
  expect(formOf("Name a river in Egypt.")).toBe("command");
  expect(textOf("Explain rain. Use simple words.", "question")).toMatch(
    /^(Can|Could|Will) you explain rain\? Use simple words\.$/,
  );
  expect(textOf("Translate into French: good morning", "wish")).toMatch(
    /^I (would like|want|need) you to translate into French: good morning/,
  );
});
