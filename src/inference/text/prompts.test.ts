import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import fixture from "../../../tests/fixtures/chat-template-ids.json";
import { ChatTemplate } from "./chat-template.ts";
import { chatPrompt, rawPrompt } from "./prompts.ts";
import { tokenRangeByBytes, tokenRangeByContext } from "./token-range.ts";
import { ModelTokenizer } from "./tokenizer.ts";

/** Property tests take long where many test files share the cores. */
vi.setConfig({ testTimeout: 120_000 });
const FOLDER = "public/models/SmolLM2-135M-Instruct";
const tokenizer = new ModelTokenizer(
  JSON.parse(readFileSync(`${FOLDER}/tokenizer.json`, "utf8")),
  JSON.parse(readFileSync(`${FOLDER}/tokenizer_config.json`, "utf8")),
);
const template = new ChatTemplate(tokenizer.chatTemplate ?? "", tokenizer.specialTokens);

describe("the bundled model's chat template", () => {
  it.each(fixture.cases.map((one, index) => ({ ...one, index })))(
    "gives Python's text and token ids for conversation $index",
    ({ messages, addGenerationPrompt, text, ids }) => {
      const rendered = template.render(messages, addGenerationPrompt);
      expect(rendered).toBe(text);
      expect([...tokenizer.encode(rendered, false).ids]).toEqual(ids);
    },
  );

  it("is known by its default system prompt", () => {
    expect(template.defaultSystemPrompt).toBe(
      "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
    );
  });
});

describe("chatPrompt", () => {
  it("finds exactly the tokens of the user's words", () => {
    const { tokenIds, contentRange } = chatPrompt(
      tokenizer,
      template,
      "What is the capital of France?",
      null,
    );
    expect(tokenizer.decode([...tokenIds.slice(...(contentRange ?? []))])).toBe(
      "What is the capital of France?",
    );
  });

  it("finds a token range that covers the user's words and at most touches what is around them", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), (content) => {
        fc.pre(!content.includes("<|"));
        const { tokenIds, contentRange } = chatPrompt(tokenizer, template, content, null);
        expect(contentRange).not.toBeNull();
        const [start, end] = contentRange ?? [0, 0];
        const covered = tokenizer.decode([...tokenIds.slice(start, end)]);
        expect(covered).toContain(content);
        expect(covered.length - content.length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 100 },
    );
  });

  it("puts another system prompt in the default's place", () => {
    const { text } = chatPrompt(tokenizer, template, "Hello", "Answer in French.");
    expect(text).toContain("Answer in French.");
    expect(text).not.toContain("SmolLM");
  });

  it("refuses where the model has no template", () => {
    expect(() => chatPrompt(tokenizer, null, "Hello", null)).toThrow(/no chat template/);
  });

  it("has no range for an empty question", () => {
    expect(chatPrompt(tokenizer, template, "", null).contentRange).toBeNull();
  });
});

describe("a tokenizer that begins every text with a special token", () => {
  const words = ["<pad>", "<s>", "</s>", "user:", "hello", "there"];
  const special = (id: number) => ({
    id,
    content: words[id],
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  });
  const beginning = new ModelTokenizer(
    {
      version: "1.0",
      added_tokens: [special(0), special(1), special(2)],
      normalizer: null,
      pre_tokenizer: { type: "WhitespaceSplit" },
      post_processor: {
        type: "TemplateProcessing",
        single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
        pair: [],
        special_tokens: { "<s>": { id: "<s>", ids: [1], tokens: ["<s>"] } },
      },
      decoder: null,
      model: {
        type: "WordLevel",
        vocab: Object.fromEntries(words.map((word, id) => [word, id])),
        unk_token: "<pad>",
      },
    },
    { bos_token: "<s>", eos_token: "</s>", tokenizer_class: "PreTrainedTokenizerFast" },
  );

  it("has it once where the template writes it too, and once in a raw prompt", () => {
    const writing = new ChatTemplate(
      "{{ bos_token }}user: {{ messages[-1].content }}",
      beginning.specialTokens,
    );
    expect([...chatPrompt(beginning, writing, "hello there", null).tokenIds]).toEqual([1, 3, 4, 5]);
    expect([...rawPrompt(beginning, "hello there").tokenIds]).toEqual([1, 4, 5]);
    expect(rawPrompt(beginning, "hello there").contentRange).toEqual([1, 3]);
  });
});

describe("ChatTemplate", () => {
  const tokens = { bos_token: "<s>", eos_token: "</s>" };

  it("keeps the range right where the template trims the words", () => {
    const trimming = new ChatTemplate("{{ bos_token }}[{{ messages[-1].content | trim }}]", tokens);
    const { text, range } = trimming.question("  hi there ", null);
    expect(text).toBe("<s>[hi there]");
    expect(range && text.slice(...range)).toBe("hi there");
  });

  it("has no range where the template says the words twice", () => {
    const twice = new ChatTemplate("{{ messages[-1].content }}/{{ messages[-1].content }}", tokens);
    expect(twice.question("hi", null).range).toBeNull();
  });

  it("says so where the template refuses a system prompt, and has no default", () => {
    const refusing = new ChatTemplate(
      "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}{{ messages[0].content }}",
      tokens,
    );
    expect(refusing.defaultSystemPrompt).toBeNull();
    expect(() => refusing.question("hi", "Be brief.")).toThrow(/no system role/);
  });

  it("says so where the template ignores a system prompt", () => {
    const ignoring = new ChatTemplate("{{ messages[-1].content }}", tokens);
    expect(() => ignoring.question("hi", "Be brief.")).toThrow(/ignores/);
  });

  it("has no default system prompt where the template says nothing of its own", () => {
    const silent = new ChatTemplate(
      "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}",
      tokens,
    );
    expect(silent.defaultSystemPrompt).toBeNull();
  });

  it("refuses a template that cannot be read", () => {
    expect(() => new ChatTemplate("{% for %}", tokens)).toThrow(/chat template/);
  });
});

describe("rawPrompt", () => {
  it("holds the text and nothing else for a tokenizer that adds nothing", () => {
    const { tokenIds, contentRange, text } = rawPrompt(tokenizer, "Once upon a time");
    expect(text).toBe("Once upon a time");
    expect(contentRange).toEqual([0, tokenIds.length]);
  });
});

describe("token ranges", () => {
  it("count by bytes, so that a token that reaches over the border belongs to the part", () => {
    // "Ċ" spells a newline, "Ġ" a blank.
    expect(tokenRangeByBytes(["a", "ĊĊ", "b"], () => false, "a\n\nb", 2, 4)).toEqual([1, 3]);
  });

  it("are unknown where the tokens do not spell the text", () => {
    expect(tokenRangeByBytes(["▁a"], () => false, "a", 0, 1)).toBeNull();
    expect(tokenRangeByBytes(["a"], () => false, "ab", 0, 1)).toBeNull();
  });

  it("by context need the very same ids on both sides", () => {
    expect(tokenRangeByContext([1, 2, 3, 4], [1], [4])).toEqual([1, 3]);
    expect(tokenRangeByContext([1, 2, 3, 4], [9], [4])).toBeNull();
    expect(tokenRangeByContext([1, 4], [1], [4])).toBeNull();
  });
});
