import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateVariants, variantFamilies, type FamilyId, type GeneratedVariant } from "./index.ts";
import { freeText, protectedTexts } from "./protected-text.ts";

const families = variantFamilies();
const everything = families.map(({ id }) => ({ family: id }));

/** The wordings of one family, by form. */
function made(prompt: string, family: FamilyId, strengths?: number[], seed = 7): GeneratedVariant[] {
  const choice = strengths === undefined ? { family } : { family, strengths };
  return generateVariants(prompt, [choice], { seed, labels: ["positive", "negative"] });
}
const textsOf = (variants: readonly GeneratedVariant[]) =>
  variants.flatMap(({ text }) => (text === null ? [] : [text]));
const reasonsOf = (variants: readonly GeneratedVariant[]) =>
  variants.flatMap(({ reason }) => (reason === null ? [] : [reason]));

/** Prompts as people write them, with all that must not change among the words. */
const words = fc.constantFrom(
  ..."what is the of river name please explain Paris why does not write short poem about moon and don't".split(
    " ",
  ),
  ..."three 12 20000 1,500 {name} {{place}} `a  b` <b>Bold</b> https://example.org/A?b=1 me@example.org".split(
    " ",
  ),
  '"Red Hats"',
  "“Sehr  Gut”",
  "snake_case",
  "$x^2$",
  "naïve",
  "e\u0301tude",
  "שלום",
  "مدينة",
  "👩‍👩‍👧‍👦",
  "🇫🇷",
  "東京",
  "%s",
);
const marks = fc.constantFrom(" ", " ", " ", " ", ", ", "? ", ". ", "\n", "\n\n", ": ");
const written = fc
  .array(fc.tuple(words, marks), { minLength: 1, maxLength: 25 })
  .map((parts) => parts.flat().join("").trim())
  .filter((text) => text !== "");
const prompts = fc.oneof(
  { arbitrary: written, weight: 3 },
  {
    arbitrary: fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .filter((text) => text.trim() !== ""),
    weight: 1,
  },
  {
    arbitrary: fc
      .string({ unit: "binary", minLength: 1, maxLength: 60 })
      .filter((text) => text.trim() !== ""),
    weight: 1,
  },
);

/** Every strength of a scale, but for the neutral one. */
const choices = fc.array(
  fc.constantFrom(...families).chain(({ id, scale }) => {
    if (scale === null) return fc.constant({ family: id });
    const steps = Math.round((scale.max - scale.min) / scale.step);
    return fc
      .array(
        fc
          .integer({ min: 0, max: steps })
          .map((step) => scale.min + step * scale.step)
          .filter((strength) => strength !== scale.neutral),
        { maxLength: 4 },
      )
      .map((strengths) => ({ family: id, strengths }));
  }),
  { minLength: 1, maxLength: 6 },
);

const squeezed = (text: string) => text.replace(/\s+/gu, " ").trim();

describe("generateVariants", () => {
  it("gives the same for the same seed, never the original, never one twice, and a text or a reason", () => {
    fc.assert(
      fc.property(prompts, choices, fc.integer(), (prompt, chosen, seed) => {
        const variants = generateVariants(prompt, chosen, { seed });
        expect(generateVariants(prompt, chosen, { seed })).toEqual(variants);
        const texts = textsOf(variants).map((text) => text.trim());
        expect(texts).not.toContain(prompt.trim());
        expect(new Set(texts).size).toBe(texts.length);
        expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
        for (const { text, reason, label } of variants) {
          expect((text === null) !== (reason === null)).toBe(true);
          expect(`${text ?? ""}${reason ?? ""}`.trim()).not.toBe("");
          expect(label.trim()).not.toBe("");
        }
      }),
      { numRuns: 400 },
    );
  });

  it("keeps code, quotations, addresses, placeholders and numbers letter by letter, and breaks no character", () => {
    fc.assert(
      fc.property(prompts, fc.integer(), (prompt, seed) => {
        const guarded = protectedTexts(prompt.trim());
        for (const { text, family } of generateVariants(prompt, everything, { seed })) {
          if (text === null) continue;
          for (const part of guarded) {
            if (family === "number-format" && /\p{Nd}/u.test(part)) continue;
            expect(text).toContain(part);
          }
          // A family emoji or a letter with its mark taken apart would leave one of these alone at an end.
          expect(/\p{Surrogate}/u.test(text)).toBe(/\p{Surrogate}/u.test(prompt));
          expect((text.match(/\u{200d}/gu) ?? []).length).toBe(
            (prompt.trim().match(/\u{200d}/gu) ?? []).length,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it("changes nothing but what the family is about", () => {
    /** What is left of a text when the family's own change is taken back. */
    const without: Partial<Record<FamilyId, (text: string) => string>> = {
      spacing: squeezed,
      "white-space": squeezed,
      punctuation: (text) => text.trim().replace(/([.,;:!?…。、，？！؟،؛।])\1*/gu, "$1"),
      "letter-case": (text) => text.trim().toLowerCase(),
      "small-letters": (text) => text.trim().toUpperCase(),
      "option-order": (text) => text.split("\n").sort().join("\n").trim(),
    };
    fc.assert(
      fc.property(written, fc.integer(), (prompt, seed) => {
        for (const { text, family } of generateVariants(prompt, everything, { seed })) {
          const back = without[family];
          if (text !== null && back !== undefined) expect(back(text)).toBe(back(prompt));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("contains the weaker change in the stronger one", () => {
    fc.assert(
      fc.property(written, fc.integer(), (prompt, seed) => {
        const extra = (text: string) => text.length;
        for (const family of ["spacing", "punctuation"] as const) {
          const lengths = textsOf(made(prompt, family, [5, 10, 15, 20], seed)).map(extra);
          expect([...lengths].sort((a, b) => a - b)).toEqual(lengths);
        }
        const scattered = [20, 40, 60, 80].flatMap((strength) =>
          made(prompt, "letter-case", [strength], seed).filter(({ id }) => id.includes("global")),
        );
        let capitals = new Set<number>();
        for (const text of textsOf(scattered)) {
          const now = new Set([...text].flatMap((letter, at) => (/\p{Lu}/u.test(letter) ? [at] : [])));
          expect([...capitals].filter((at) => !now.has(at))).toEqual([]);
          capitals = now;
        }
      }),
      { numRuns: 150 },
    );
  });

  it("gives different choices for different seeds", () => {
    const prompt = "Explain in a few words why the moon looks larger near the horizon.";
    for (const family of ["spacing", "letter-case", "typos", "template", "length"] as const) {
      const texts = Array.from({ length: 8 }, (_, seed) =>
        JSON.stringify(textsOf(made(prompt, family, undefined, seed))),
      );
      expect(new Set(texts).size, family).toBeGreaterThan(3);
    }
  });

  it("refuses strengths that a scale does not have, and the one that changes nothing", () => {
    expect(() => made("Name a river.", "politeness", [11])).toThrow(/no strength 11/);
    expect(() => made("Name a river.", "politeness", [0])).toThrow(RangeError);
    expect(() => made("Name a river.", "politeness", [1.5])).toThrow(RangeError);
    expect(() => made("Name a river.", "length", [1])).toThrow(RangeError);
  });

  it("makes nothing of nothing", () => {
    expect(generateVariants(" \n ", everything, { seed: 1 })).toEqual([]);
  });
});

describe("politeness", () => {
  it("leaves the request itself alone at every strength, from −10 to 10", () => {
    const strengths = Array.from({ length: 21 }, (_, at) => at - 10).filter((strength) => strength !== 0);
    const variants = made("What is the capital of France?", "politeness", strengths);
    expect(textsOf(variants)).toHaveLength(20);
    for (const text of textsOf(variants)) expect(text).toContain("What is the capital of France?");
    expect(variants.map(({ strength }) => strength)).toEqual(strengths);
  });

  it("opens a command with please, and says that it knows English only", () => {
    expect(textsOf(made("Name a river.", "politeness", [1]))).toEqual(["Please name a river."]);
    expect(reasonsOf(made("ما هي عاصمة فرنسا؟", "politeness", [3]))[0]).toMatch(/English/);
  });
});

describe("sentence form", () => {
  it("turns what it can and says why it cannot turn the rest", () => {
    const ofQuestion = made("What is the capital of France?", "sentence-form");
    expect(textsOf(ofQuestion)[0]).toMatch(/what the capital of France is\.$/);
    expect(reasonsOf(ofQuestion)).toEqual(["The text is a question already."]);
    expect(textsOf(made("Name a river.", "sentence-form"))[0]).toMatch(
      /^(?:Can|Could|Will) you name a river\?$/,
    );
    expect(reasonsOf(made("What happened to the dog in the end?", "sentence-form"))).toContainEqual(
      expect.stringMatching(/cannot be turned by rule/),
    );
    expect(reasonsOf(made("The dog and the cat.", "sentence-form"))[0]).toMatch(
      /neither a question nor a command/,
    );
  });

  it("does not take a mark inside a quotation for the end of the sentence", () => {
    expect(
      textsOf(made('What is the meaning of "Who goes? Nobody."? Be short.', "sentence-form")),
    ).toContainEqual(expect.stringMatching(/what the meaning of "Who goes\? Nobody\." is\. Be short\.$/));
  });
});

it("lengthens by what was asked, within a quarter, and refuses to shorten what has nothing to spare", () => {
  const prompt = "Explain in a few words why the moon looks larger near the horizon.";
  for (const strength of [1.5, 2, 2.5, 3]) {
    const [text = ""] = textsOf(made(prompt, "length", [strength]));
    expect(text).toContain(prompt);
    expect(Math.abs(text.length / prompt.length / strength - 1)).toBeLessThanOrEqual(0.25);
  }
  expect(reasonsOf(made(prompt, "length", [0.5]))[0]).toMatch(/more would change what is asked/);
  expect(textsOf(made("Could you please name a river? Thank you!", "length", [0.5]))).toEqual([
    "Could you name a river?",
  ]);
});

it("misspells neither names nor labels nor words that could turn the request around", () => {
  const prompt = "Which review about Lisbon is positive, never without reasons except jokes?";
  for (let seed = 0; seed < 30; seed += 1) {
    for (const text of textsOf(made(prompt, "typos", [100], seed))) {
      for (const word of ["Which", "Lisbon", "positive", "never", "without", "except"])
        expect(text).toContain(word);
      expect(text).not.toContain("review about");
    }
  }
});

describe("contractions", () => {
  it.each([
    ["What is the reason that I do not sleep?", "What's the reason that I don't sleep?"],
    ["They are not sure that you will come.", "They aren't sure that you'll come."],
  ])("contracts %s", (full, short) => {
    expect(textsOf(made(full, "contractions"))[0]).toBe(short);
  });

  it.each([
    ["Don't say it's the end.", "Do not say it is the end."],
    ["I’m sure they won’t.", "I am sure they will not."],
  ])("writes %s in full", (short, full) => {
    expect(textsOf(made(short, "contractions")).at(-1)).toBe(full);
  });

  it("leaves alone what is ambiguous or would end a clause", () => {
    expect(
      textsOf(made("The dog's bone and where it's been: tell me who they are.", "contractions")),
    ).toEqual([]);
  });
});

describe("number formats", () => {
  it.each([
    ["Name 12 rivers.", "Name twelve rivers."],
    ["Name twelve rivers.", "Name 12 rivers."],
    ["It has 20000 people.", "It has 20,000 people."],
    ["It has 20,000 people.", "It has 20000 people."],
    ["What are the names of the 45 towns?", "What are the names of the forty-five towns?"],
  ])("writes %s the other way", (from, to) => {
    expect(textsOf(made(from, "number-format"))).toContain(to);
  });

  it.each([
    "What is 12 + 30?",
    "Who wrote Apollo 13?",
    "What happened on 4 July?",
    "It weighs 12 kg.",
    "Is 50% the most?",
    "Call 0123456.",
    "What happened in 1969?",
    'Spell "12 apples".',
    "Watch Seven Samurai with me.",
  ])("leaves %s as it is", (prompt) => {
    expect(textsOf(made(prompt, "number-format"))).toEqual([]);
  });
});

describe("the order of options", () => {
  it("moves each option with its own letter, so that the right letter stays right", () => {
    const prompt = "Which is a planet?\nA) Mars\nB) Moss\nC) Milk\nAnswer with a letter.";
    expect(textsOf(made(prompt, "option-order"))[0]).toBe(
      "Which is a planet?\nC) Milk\nB) Moss\nA) Mars\nAnswer with a letter.",
    );
  });

  it("swaps two labels, and refuses where an option points at others or lines are steps", () => {
    expect(textsOf(made("Is it positive or negative? Fine.", "option-order"))).toEqual([
      "Is it negative or positive? Fine.",
    ]);
    expect(reasonsOf(made("Which?\nA) Mars\nB) All of the above", "option-order"))[0]).toMatch(
      /order carries meaning/,
    );
    expect(reasonsOf(made("Do this:\n1. Boil water.\n2. Add tea.", "option-order"))).toHaveLength(1);
  });
});

it("writes the fields that a text has in another way, or puts fields around it", () => {
  const fields = "Passage: It rained.\nQuestion: Was it wet?\nAnswer:";
  for (const text of textsOf(made(fields, "template"))) {
    expect(text).toMatch(/passage[^]*It rained\.[^]*question[^]*Was it wet\?[^]*answer/i);
  }
  expect(textsOf(made("Was it wet?", "template"))).toHaveLength(6);
});

it("tells protected text from free text", () => {
  expect(
    protectedTexts(
      "Say 'Bad Dog' at 12:30, don't use the dogs' `x`, see (https://a.example/b). It's 5\" tall.",
    ),
  ).toEqual(["'Bad Dog'", "12:30", "`x`", "https://a.example/b", "5"]);
  expect(freeText("A {b} c").trim()).toBe("A   c");
});
