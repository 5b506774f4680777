import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { parseDataset } from "../parse-dataset.ts";
import { ImportSession, type ImportMapping } from "./index.ts";
import { readDelimited } from "./read-delimited.ts";
import { readFile } from "./read-file.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const file = (name: string, text: string | Uint8Array) => ({
  name,
  bytes: typeof text === "string" ? encode(text) : text,
});

async function imported(...files: { name: string; bytes: Uint8Array }[]) {
  const session = new ImportSession();
  const preview = await session.open(files);
  const built = preview.mapping === null ? null : session.build(preview.mapping, "own");
  return { preview, built, session, examples: built?.dataset?.examples ?? [] };
}
const promptsOf = (examples: readonly { prompt: string; variants: readonly { prompt: string }[] }[]) =>
  examples.map(({ prompt, variants }) => [prompt, ...variants.map((variant) => variant.prompt)]);

describe("a CSV with all kinds of trouble in it", () => {
  const text =
    "\uFEFFid,prompt,variant_a,answer\r\n" +
    'q1,"Say {this}, ""please"".",Say {this}!,yes|yeah\r\n' +
    "\r\n" +
    'q2,"Two\r\nlines",Two lines,no\r\n' +
    "q3,too,many,cells,here,in it\r\n" +
    "q1,Again?,Twice,no\r\n" +
    ",No id,None,no\r\n" +
    'q4,"never closed,x,no\r\n' +
    "q5,  ,only spaces,no\r\n" +
    "q6,🙂 שלום مرحبا,e\u0301,👍\r\n" +
    "q7,Same text,Same text,ja";

  it("keeps the good rows as they are and names each bad one with its line", async () => {
    const { built, preview } = await imported(file("trouble.csv", text));
    expect(preview.tables[0]).toMatchObject({
      format: "csv",
      columns: ["id", "prompt", "variant_a", "answer"],
    });
    expect(built?.dataset?.examples).toEqual([
      {
        id: "q1",
        prompt: 'Say {this}, "please".',
        gold: ["yes", "yeah"],
        variants: [{ id: "wording-2", family: "imported", label: "variant_a", prompt: "Say {this}!" }],
      },
      {
        id: "q2",
        prompt: "Two\nlines",
        gold: ["no"],
        variants: [{ id: "wording-2", family: "imported", label: "variant_a", prompt: "Two lines" }],
      },
      { id: "q7", prompt: "Same text", gold: ["ja"], variants: [] },
    ]);
    expect(
      built?.problems.map(({ file: name, place, reason }) => `${name} ${place ?? "-"} ${reason}`),
    ).toEqual([
      expect.stringMatching(/^trouble.csv line 6 The row has 6 cells, but there are 4 columns/),
      expect.stringMatching(/^trouble.csv line 9 The quotation marks of a cell do not close/),
      expect.stringMatching(/^trouble.csv line 7 The id “q1” stands in line 2 already/),
      expect.stringMatching(/^trouble.csv line 8 The column “id” with the id is empty/),
      expect.stringMatching(/^trouble.csv line 10 The column “prompt” with the prompt is empty/),
      expect.stringMatching(/^trouble.csv line 11 The gold answer "👍" has no letter or digit/),
      expect.stringMatching(/^trouble.csv line 12 The wording “variant_a” repeats another one/),
    ]);
  });
});

describe("any format", () => {
  const rows = fc.array(
    fc.record({
      prompt: fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
        .filter((text) => text.trim() !== ""),
      other: fc.oneof(
        fc.string({ unit: "binary", maxLength: 20 }),
        fc.constantFrom('"', ",", "a\nb", "{x}", "\t"),
      ),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const clean = (text: string) => text.replace(/\r\n?/gu, "\n");

  it("brings back what was written as CSV, TSV, JSON and JSON lines", async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom("\n", "\r\n"), fc.boolean(), async (entries, newline, bom) => {
        const records = entries.map(({ prompt, other }, at) => ({ id: `r${at}`, prompt, rewording: other }));
        const mark = bom ? "\uFEFF" : "";
        const files = [
          file("a.csv", mark + Papa.unparse(records, { newline, quotes: true })),
          file("a.tsv", mark + Papa.unparse(records, { newline, delimiter: "\t", quotes: true })),
          file("a.json", mark + JSON.stringify(records)),
          file("a.jsonl", mark + records.map((record) => JSON.stringify(record)).join(newline)),
        ];
        for (const one of files) {
          const asWritten = one.name.includes("json") ? (text: string) => text : clean;
          const read = await readFile(one);
          if (read.kind !== "table") throw new Error("not a table");
          expect(read.table.problems).toEqual([]);
          expect(read.table.rows.map(({ cells }) => [cells["prompt"], cells["rewording"] ?? ""])).toEqual(
            entries.map(({ prompt, other }) => [asWritten(prompt), asWritten(other)]),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  it("turns any bytes into rows, problems or a named refusal, and whatever it builds is a valid dataset", async () => {
    const bits = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(
          fc.oneof(
            fc.constantFrom(
              '"',
              ",",
              "\n",
              "\r\n",
              "\t",
              ";",
              "id",
              "prompt",
              "{",
              "}",
              "[",
              "]",
              ":",
              "\uFEFF",
              "PAR1",
              "null",
            ),
            fc.constantFrom('{"id":1,"prompt":"a"}', "id,prompt\n", '"a"', "__proto__", "constructor"),
            fc.string({ unit: "grapheme", maxLength: 4 }),
          ),
          { maxLength: 40 },
        )
        .map((parts) => encode(parts.join(""))),
    );
    const names = fc.constantFrom("a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet", "pasted text", "a");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, bits), { minLength: 1, maxLength: 3 }), async (files) => {
        const { preview, built } = await imported(...files.map(([name, bytes]) => file(name, bytes)));
        for (const { file: name, reason } of [...preview.problems, ...(built?.problems ?? [])]) {
          expect(names).toBeDefined();
          expect(name).not.toBe("");
          expect(reason).toMatch(/[.?)]$/u);
        }
        if (built?.dataset) expect(parseDataset(built.dataset)).toEqual({ ok: true, dataset: built.dataset });
        else expect(preview.problems.length + (built?.problems.length ?? 0)).toBeGreaterThan(0);
      }),
      { numRuns: 1500 },
    );
  });

  it("reads nested JSON, and names entries and lines that are not objects", async () => {
    const nested = await imported(
      file(
        "n.jsonl",
        '{"question_id":"a","turns":[{"content":"Hi {x}"}]}\n\nnot json\n[1]\n{"question_id":"b","turns":[{"content":"Ho"}]}',
      ),
    );
    expect(promptsOf(nested.examples)).toEqual([["Hi {x}"], ["Ho"]]);
    expect(nested.preview.problems.map(({ place }) => place)).toEqual(["line 3", "line 4"]);
    const wrapped = await imported(file("w.json", '{"data":[{"q":1,"text":"One?"},7]}'));
    expect(promptsOf(wrapped.examples)).toEqual([["One?"]]);
    expect(wrapped.preview.problems[0]?.place).toBe("entry 2");
    const cut = await imported(file("c.json", '[{"a":\n1},\n{"b"'));
    expect(cut.preview.problems[0]?.reason).toMatch(/not complete JSON/);
  });

  it("says which encoding it had to guess, and reads UTF-16 with its mark", async () => {
    const latin = await imported(file("l.csv", Uint8Array.of(...encode("prompt\ncaf"), 0xe9)));
    expect(promptsOf(latin.examples)).toEqual([["café"]]);
    expect(latin.preview.problems[0]?.reason).toMatch(/Windows-1252/);
    const wide = Uint8Array.from([
      0xff,
      0xfe,
      ...[..."prompt\nhé"].flatMap((letter) => [letter.charCodeAt(0), 0]),
    ]);
    expect(promptsOf((await imported(file("u.csv", wide))).examples)).toEqual([["hé"]]);
  });
});

describe("several files of the same prompts", () => {
  it("are joined by id, whatever their order, and name what has no counterpart", async () => {
    const { examples, built } = await imported(
      file(
        "v1.json",
        '[{"others":{"index":"A"},"question":"One?"},{"others":{"index":"B"},"question":"Two?"}]',
      ),
      file("v2.json", '[{"others":{"index":"B"},"question":"2?"},{"others":{"index":"C"},"question":"3?"}]'),
    );
    expect(examples).toEqual([
      { id: "A", prompt: "One?", variants: [] },
      {
        id: "B",
        prompt: "Two?",
        variants: [{ id: "wording-2", family: "paraphrase", label: "v2", prompt: "2?" }],
      },
    ]);
    expect(built?.problems.map(({ file: name, reason }) => `${name}: ${reason}`)).toEqual([
      "v2.json: There is no row with the id “A”, which v1.json has.",
      "v2.json: No row of v1.json has the id “C”, so this wording belongs to nothing.",
    ]);
  });
});

it("reads one row a wording, with family and strength", async () => {
  const { examples, preview } = await imported(
    file(
      "long.csv",
      "id,family,level,prompt\n1,original,,Hi?\n1,politeness,−3,Hi you?\n1,politeness,high,Hi there?\n2,original,,Ho?",
    ),
  );
  expect(preview.mapping?.layout).toBe("long");
  expect(examples[0]?.variants).toEqual([
    { id: "wording-2", family: "politeness", label: "wording 2", prompt: "Hi you?", strength: -3 },
    { id: "wording-3", family: "politeness", label: "wording 3", prompt: "Hi there?" },
  ]);
  expect(examples).toHaveLength(2);
});

describe("a classification", () => {
  const text = `prompt,answer\n${Array.from({ length: 30 }, (_, at) => `Is it ${at}?,${at % 2 === 0 ? "Yes" : "no"}`).join("\n")}`;

  it("takes its labels from the answers, and is refused with too many of them", async () => {
    const { session, preview } = await imported(file("c.csv", text));
    const mapping: ImportMapping = { ...(preview.mapping as ImportMapping), kind: "classification" };
    expect(session.build(mapping, "own").dataset?.labels).toEqual(["Yes", "no"]);
    await session.open([
      file(
        "c.csv",
        text.replaceAll(/,(?:Yes|no)\n/gu, (_match, at: number) => `,word${at}\n`),
      ),
    ]);
    const refused = session.build(mapping, "own");
    expect(refused.dataset).toBeNull();
    expect(refused.problems.at(-1)?.reason).toMatch(/too many for labels/);
  });
});

it("takes a dataset in its own format as it is", async () => {
  const own = {
    ...{
      schema: "sago-dataset/1",
      id: "tea",
      name: "Tea",
      description: "",
      kind: "free-text",
      license: "CC0-1.0",
    },
    language: "en",
    examples: [{ id: "1", prompt: "Tea?", variants: [] }],
  };
  expect((await imported(file("own.json", JSON.stringify(own)))).preview.datasets).toEqual([own]);
  const broken = await imported(file("own.json", JSON.stringify({ ...own, kind: "poem" })));
  expect(broken.preview.problems[0]?.reason).toMatch(/kind must be/);
});

it("reads 100,000 rows and finds the two broken ones by their lines", () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `${at},"Question, number ${at}?"`);
  lines[49_998] = "x";
  // Nothing but the marks of later rows ends this one.
  lines[99_998] = '7,"open';
  const { rows, problems } = readDelimited("big.csv", `id,prompt\n${lines.join("\n")}`, "csv");
  expect(rows).toHaveLength(99_998);
  expect(rows.at(-1)?.place).toBe("line 100001");
  expect(problems.map(({ place }) => place)).toEqual(["line 50000", "line 100000"]);
});
