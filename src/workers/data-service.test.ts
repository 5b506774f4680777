import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeEncoder } from "../../tests/fixtures/fake-engine.ts";
import { parseDataset } from "../datasets/index.ts";
import { DatasetStore } from "../storage/index.ts";
import { DataService } from "./data-service.ts";

let service: DataService;
let terminated = 0;
let loads = 0;
let failLoading = false;

beforeEach(() => {
  [terminated, loads, failLoading] = [0, 0, false];
  const store = new DatasetStore({ engine: { indexedDB: new IDBFactory(), IDBKeyRange } });
  const encoder = new FakeEncoder();
  const load = () => {
    loads += 1;
    return failLoading ? Promise.reject(new Error("The file is missing.")) : encoder.load();
  };
  service = new DataService(store, () => ({
    api: {
      load,
      embed: (texts) => encoder.embed(texts),
      embedTokens: (texts) => encoder.embedTokens(texts),
      dispose: () => encoder.dispose(),
    },
    terminate: () => (terminated += 1),
  }));
});

const csv = (rows: number, name = "Kitchen_questions.csv") => ({
  name,
  blob: new Blob([
    `id,prompt,variant\n${Array.from({ length: rows }, (_, at) => `${at},Is tea number ${at} hot?,Hot tea ${at}?`).join("\n")}`,
  ]),
});

async function importCsv(rows: number): Promise<string> {
  const { mapping } = await service.openFiles([csv(rows)]);
  if (mapping === null) throw new Error("no mapping");
  return service.saveImport(mapping);
}

const source = { kind: "bundled", id: "fake", baseUrl: "https://example.org/" } as const;

describe("own sets", () => {
  it("are imported, listed, read in pages, exported as valid JSON, and removed", async () => {
    const id = await importCsv(12);
    expect(id).toBe("kitchen-questions");
    expect(await service.list()).toMatchObject([
      { id, name: "Kitchen questions", examples: 12, variants: 12 },
    ]);
    const { examples, total } = await service.page(id, "NUMBER 1", 1, 2);
    expect(total).toBe(3);
    expect(examples.map(({ prompt }) => prompt)).toEqual(["Is tea number 10 hot?", "Is tea number 11 hot?"]);
    expect(parseDataset(JSON.parse(await (await service.exportJson(id)).text())).ok).toBe(true);
    await service.remove(id);
    expect(await service.list()).toEqual([]);
    await expect(service.load(id)).rejects.toThrow(/removed in another tab/);
  });

  it("get an id of their own each, also copies of built-in sets", async () => {
    expect([await importCsv(2), await importCsv(2)]).toEqual(["kitchen-questions", "kitchen-questions-2"]);
    const copy = await service.copy("short-facts");
    expect((await service.load(copy)).examples).toHaveLength(64);
    expect((await service.load("short-facts")).id).toBe("short-facts");
  });

  it("keep a changed question, and refuse a change that breaks the set", async () => {
    const id = await importCsv(3);
    const [first] = (await service.load(id)).examples;
    if (first === undefined) throw new Error("no example");
    await service.saveExample(id, first.id, { ...first, prompt: "Is {tea} hot? 🙂" });
    expect((await service.load(id)).examples[0]?.prompt).toBe("Is {tea} hot? 🙂");
    const broken = { ...first, variants: [{ ...first.variants[0], prompt: first.prompt }] } as typeof first;
    await expect(service.saveExample(id, first.id, broken)).rejects.toThrow(/same as that of the original/);
    expect((await service.load(id)).examples[0]?.prompt).toBe("Is {tea} hot? 🙂");
  });

  it("get generated wordings with their strengths, once", async () => {
    const id = await importCsv(3);
    const choices = [
      { family: "politeness", strengths: [-5, 5] } as const,
      { family: "contractions" } as const,
    ];
    expect(await service.generateForAll(id, choices, 7)).toEqual({ added: 6, refused: 6 });
    expect((await service.load(id)).examples[0]?.variants.map(({ strength }) => strength)).toEqual([
      undefined,
      -5,
      5,
    ]);
    expect((await service.generateForAll(id, choices, 7)).added).toBe(0);
    expect(await service.list()).toMatchObject([{ variants: 9 }]);
  });
});

describe("the meaning gate as a preview", () => {
  it("gives each wording its similarity, and one with the very same text 1", async () => {
    const id = await importCsv(20);
    const check = await service.checkMeaning(
      id,
      "Is tea number 0 hot?",
      ["Is tea number 0 hot?", "Else"],
      source,
    );
    expect(check.results[0]?.similarity).toBeCloseTo(1, 5);
    expect(check.threshold).toBeGreaterThan(0);
    expect(check.results[1]?.reason === null).toBe(
      (check.results[1]?.similarity ?? 0) >= (check.threshold ?? 2),
    );
    await service.checkMeaning(id, "a", ["b"], source);
    expect(loads).toBe(1);
  });

  it("starts with a new encoder after one that could not be loaded", async () => {
    const id = await importCsv(20);
    failLoading = true;
    await expect(service.checkMeaning(id, "a", ["b"], source)).rejects.toThrow("The file is missing.");
    expect(terminated).toBe(1);
    failLoading = false;
    expect((await service.checkMeaning(id, "a", ["b"], source)).results).toHaveLength(1);
  });
});
