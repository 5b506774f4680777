import fc from "fast-check";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnalysisRecord, RunBundle } from "./records.ts";
import { exportRun } from "./run-export.ts";
import { exampleAnalysis, exampleBundle, exampleGeneration, exampleRun } from "./run-fixtures.ts";
import { readRunText, RunFileError } from "./run-file.ts";
import { checkRunFile, importRun, parseRunFile } from "./run-import.ts";
import { RunStore } from "./run-store.ts";
import { sameValue } from "./same-value.ts";

const OPTIONS = { productVersion: "0.1.0" };
const stores: RunStore[] = [];
let store: RunStore;

function newStore(): RunStore {
  const created = new RunStore({ engine: { indexedDB: new IDBFactory(), IDBKeyRange } });
  stores.push(created);
  return created;
}

beforeEach(() => {
  store = newStore();
});

afterEach(() => {
  for (const each of stores.splice(0)) each.close();
});

async function fileOf(bundle: RunBundle, analysis: AnalysisRecord | null = null): Promise<Blob> {
  const source = newStore();
  await source.addBundle(bundle, analysis);
  return exportRun(source, bundle.run.id, OPTIONS);
}

async function membersOf(file: Blob): Promise<Record<string, unknown>> {
  const members: unknown = JSON.parse(await file.text());
  return Object.fromEntries(Object.entries(members ?? {}));
}

function jsonFile(members: unknown): Blob {
  return new Blob([JSON.stringify(members)]);
}

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += 1500) yield text.slice(start, start + 1500);
}

async function problemsOf(file: Blob): Promise<string[]> {
  try {
    await parseRunFile(file);
  } catch (error) {
    if (!(error instanceof RunFileError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

describe("export", () => {
  it("writes JSON that other programs can read, with the analysis in plain sight", async () => {
    const members = await membersOf(await fileOf(exampleBundle(), exampleAnalysis()));
    expect(members).toMatchObject({
      schema: "sago-run-export/1",
      productVersion: "0.1.0",
      byteOrder: "little-endian",
      run: exampleRun(),
      analysis: { axes: { generation: { estimate: 0.25, low: 0.125, high: 0.5, reason: null } } },
      analysisRecord: { key: "analysis-1", runId: "run-1" },
      background: { lastPromptTokenMean: { type: "Float32Array", length: 6 } },
      generations: [{ key: "g1", logProbNats: { type: "Float32Array", length: 2 } }, { key: "g2" }],
    });
    expect(new Date(String(members.exportedAt)).getTime()).toBeGreaterThan(0);
  });

  it("leaves the analysis out where there is none", async () => {
    const members = await membersOf(await fileOf(exampleBundle()));
    expect(members).not.toHaveProperty("analysis");
    expect(members).not.toHaveProperty("analysisRecord");
  });

  it("rejects for a run that is not there", async () => {
    await expect(exportRun(store, "absent", OPTIONS)).rejects.toMatchObject({ code: "missing" });
  });

  it("rejects when the run is deleted while it is being read", async () => {
    await store.addBundle(exampleBundle(), null);
    const snapshot = await store.openSnapshot("run-1");
    await store.deleteRun("run-1");
    await expect(snapshot?.read("generations").next()).rejects.toMatchObject({ code: "missing" });
  });
});

describe("import of an export", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom("\ud83d", "🖋️", "\n", '"', "é"), fc.string({ maxLength: 1 })),
  });
  const bits = (length: number) =>
    fc.uint32Array({ minLength: length, maxLength: length }).map((array) => new Float32Array(array.buffer));
  const ints = (length: number) => fc.int32Array({ minLength: length, maxLength: length });
  const generation = fc.integer({ min: 0, max: 4 }).chain((tokens) =>
    fc.record({
      text,
      tokenIds: ints(tokens),
      logProbNats: bits(tokens),
      entropyNats: bits(tokens),
      topK: fc.constant(2),
      topIds: ints(tokens * 2),
      topLogProbNats: bits(tokens * 2),
      tokenTexts: fc.array(text, { minLength: tokens, maxLength: tokens }),
      elapsedMs: fc.double({ noNaN: true }),
    }),
  );

  it("gives back exactly what was stored, whatever the values are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(generation, { maxLength: 3 }),
        bits(6),
        text,
        async (parts, values, message) => {
          const example = exampleBundle();
          const bundle = {
            ...example,
            run: exampleRun("run-1", { message, elapsedMs: { [message]: -0 } }),
            generations: parts.map((part, index) => exampleGeneration(`g${index}`, part)),
            background: example.background && { ...example.background, promptMeanMean: values },
          };
          await store.deleteEverything();
          await store.addBundle(bundle, exampleAnalysis());
          const parsed = await parseRunFile(await exportRun(store, "run-1", OPTIONS));
          expect(sameValue(parsed, { bundle, analysis: exampleAnalysis() })).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  }, 120_000);

  it("stores a run so that exporting it again gives the same file but for the date", async () => {
    const file = await fileOf(exampleBundle(), exampleAnalysis());
    expect(await importRun(store, file)).toEqual({ outcome: "added", runId: "run-1" });
    expect(await store.loadBundle("run-1")).toStrictEqual({ ...exampleBundle(), broken: [] });
    expect(await store.loadAnalysis("run-1")).toStrictEqual(exampleAnalysis());
    const again = await exportRun(store, "run-1", OPTIONS);
    const undated = async (blob: Blob) => (await blob.text()).replace(/"exportedAt":"[^"]+"/u, "");
    expect(await undated(again)).toBe(await undated(file));
  });

  it.each<[string, Partial<RunBundle>]>([
    ["no background", { background: null }],
    ["no records at all", { background: null, generations: [], activations: [], scores: [], embeddings: [] }],
  ])("reads a run with %s", async (_case, parts) => {
    const bundle = { ...exampleBundle(), ...parts };
    expect(await parseRunFile(await fileOf(bundle))).toStrictEqual({ bundle, analysis: null });
  });

  it("takes a run with and without what newer versions record, and refuses it malformed", async () => {
    const selfTest = {
      positions: 10,
      toleranceNats: 0.02,
      cacheDifferenceNats: 0.001,
      cacheSameTop: 10,
      referenceDifferenceNats: null,
      referenceSameTop: null,
      elapsedMs: 900,
    };
    const thinking = { text: "hm", tokens: 4, closed: true };
    const bundle = exampleBundle();
    expect(bundle.run.selfTest).toBeUndefined();
    expect(await problemsOf(await fileOf(bundle))).toEqual([]);
    const newer = {
      ...bundle,
      run: { ...bundle.run, selfTest },
      generations: bundle.generations.map((record) => ({ ...record, thinking })),
    };
    const file = await fileOf(newer);
    const read = await parseRunFile(file);
    expect(read.bundle.run.selfTest).toEqual(selfTest);
    expect(read.bundle.generations[0]?.thinking).toEqual(thinking);
    const members = await membersOf(file);
    const run = { ...(members["run"] as object), selfTest: { ...selfTest, positions: "ten" } };
    expect((await problemsOf(jsonFile({ ...members, run }))).join()).toContain("run.selfTest.positions");
  });

  it("reads a compressed file", async () => {
    const source = newStore();
    await source.addBundle(exampleBundle(), null);
    const file = await exportRun(source, "run-1", { ...OPTIONS, compress: true });
    expect(file.size).toBeLessThan((await exportRun(source, "run-1", OPTIONS)).size);
    expect((await parseRunFile(file)).bundle).toStrictEqual(exampleBundle());
  });

  it("reads a file that another program laid out differently", async () => {
    const members = await membersOf(await fileOf(exampleBundle(), exampleAnalysis()));
    const texts = [
      JSON.stringify(members),
      `\ufeff${JSON.stringify(members, null, 2).replaceAll("\n", "\r\n")}`,
    ];
    for (const content of texts) {
      const parsed = await parseRunFile(new Blob([content]));
      expect(parsed).toStrictEqual({ bundle: exampleBundle(), analysis: exampleAnalysis() });
    }
  });

  it("reads lines that end as on Windows", async () => {
    const content = (await (await fileOf(exampleBundle())).text()).replaceAll("\n", "\r\n");
    expect((await parseRunFile(new Blob([content]))).bundle).toStrictEqual(exampleBundle());
  });
});

describe("import of a run that is here already", () => {
  it("recognises the same run, and takes over only an analysis that was missing", async () => {
    await store.addBundle(exampleBundle(), null);
    const file = await fileOf(exampleBundle(), exampleAnalysis());
    expect(await importRun(store, file)).toEqual({ outcome: "recognised", runId: "run-1" });
    expect(await store.loadAnalysis("run-1")).toStrictEqual(exampleAnalysis());
    await store.saveAnalysis(exampleAnalysis("run-1", "newer"));
    expect(await importRun(store, file)).toEqual({ outcome: "recognised", runId: "run-1" });
    expect((await store.loadAnalysis("run-1"))?.key).toBe("newer");
    expect((await store.listRuns()).length).toBe(1);
  });

  it("adds a different run of the same id as a copy, which it recognises the next time", async () => {
    const file = await fileOf(exampleBundle(), exampleAnalysis());
    const local = { ...exampleBundle(), generations: [] };
    await store.addBundle(local, null);
    expect(await importRun(store, file)).toEqual({ outcome: "copied", runId: "run-1~2" });
    expect(await importRun(store, file)).toEqual({ outcome: "recognised", runId: "run-1~2" });
    expect(await store.loadBundle("run-1")).toStrictEqual({ ...local, broken: [] });
    const copy = await store.loadBundle("run-1~2");
    expect(copy?.run.id).toBe("run-1~2");
    expect(copy?.generations).toStrictEqual(
      exampleBundle().generations.map((record) => ({ ...record, runId: "run-1~2" })),
    );
    expect(await store.loadAnalysis("run-1~2")).toMatchObject({ analysis: { runId: "run-1~2" } });
  });

  it("tells runs apart by a single bit of an array", async () => {
    const file = await fileOf(exampleBundle());
    const generations = exampleBundle().generations.map((record) => ({
      ...record,
      logProbNats: Float32Array.of(-0.25, -1.5000001192092896),
    }));
    await store.addBundle({ ...exampleBundle(), generations }, null);
    expect((await importRun(store, file)).outcome).toBe("copied");
  });
});

describe("a file that is not a valid run", () => {
  it.each<[string, string, string]>([
    ["an empty file", "", ": it is not complete JSON"],
    ["a web page", "<!doctype html><title>404</title>", ": it is a web page"],
    ["a list", "[1,2]", ": it holds no JSON object"],
    ["a number", "1", ": it holds no JSON object"],
    ["other JSON", '{"schema":"other/1"}', 'schema: expected "sago-run-export/1"'],
    ["no schema", "{}", 'schema: expected "sago-run-export/1"'],
    [
      "a newer format",
      '{"schema":"sago-run-export/2","productVersion":"3.0.0","run":{}}',
      "schema: the file was written by a newer version (Sago 3.0.0), in format 2",
    ],
  ])("says what is wrong with %s", async (_case, content, problem) => {
    expect((await problemsOf(new Blob([content])))[0]).toContain(problem);
  });

  it("says that a file cut off anywhere is not complete", async () => {
    const content = await (await fileOf(exampleBundle(), exampleAnalysis())).text();
    for (const share of [0.1, 0.5, 0.9, 0.999]) {
      const cut = content.slice(0, Math.floor((content.length - 2) * share));
      expect(await problemsOf(new Blob([cut]))).toEqual([expect.stringContaining("cut off")]);
    }
  });

  it("says that a compressed file cut off anywhere could not be read", async () => {
    await store.addBundle(exampleBundle(), null);
    const file = await exportRun(store, "run-1", { ...OPTIONS, compress: true });
    const problems = await problemsOf(file.slice(0, file.size - 20));
    expect(problems).toEqual([expect.stringContaining("could not be read")]);
  });

  it.each<[string, (members: Record<string, unknown>) => void, string]>([
    ["a missing run", (file) => delete file.run, "run: "],
    ["a missing list", (file) => delete file.scores, "scores: the list is missing"],
    [
      "a field of the wrong type",
      (file) => (file.generations = [{ ...exampleGeneration("g1"), text: 5 }]),
      "generations[0].text: expected string, found 5",
    ],
    [
      "a damaged array",
      (file) => (file.background = { values: { type: "Float32Array", length: 3, base64: "AAAA" } }),
      "background.values: a Float32Array says that it has 3 entries but holds 3 bytes at 4 a number",
    ],
    [
      "arrays that do not fit each other",
      (file) =>
        (file.activations = [
          {
            ...{ key: "a", runId: "run-1", exampleId: "e", promptId: "p", pooling: "prompt-mean" },
            ...{ layers: 1, hiddenSize: 1 },
            values: { type: "Uint16Array", length: 0, base64: "" },
            scales: { type: "Float32Array", length: 0, base64: "" },
          },
        ]),
      "activations[0].values: expected 1 entries (layers × hiddenSize), found 0",
    ],
    [
      "a newer run inside",
      (file) => (file.run = { ...exampleRun(), spec: { ...exampleRun().spec, schema: "sago-run/2" } }),
      'run.spec.schema: expected "sago-run/1", found "sago-run/2"',
    ],
    [
      "a record of another run",
      (file) => (file.embeddings = [{ ...exampleBundle().embeddings[1], runId: "other" }]),
      'embeddings[0].runId: the record belongs to run "other", not "run-1"',
    ],
    [
      "the same key twice",
      (file) => {
        const [, embedding] = exampleBundle().embeddings;
        file.embeddings = [embedding, embedding];
      },
      'embeddings: the key "m2" occurs more than once',
    ],
    [
      "an analysis without its record",
      (file) => (file.analysis = { axes: {} }),
      "analysisRecord: expected Object, found undefined",
    ],
  ])("names the place of %s", async (_case, damage, problem) => {
    const members = await membersOf(await fileOf(exampleBundle()));
    damage(members);
    expect(await problemsOf(jsonFile(members))).toContainEqual(expect.stringContaining(problem));
    await expect(importRun(store, jsonFile(members))).rejects.toThrow("nothing was changed");
    expect(await store.listRuns()).toEqual([]);
  });

  it("never fails in another way, whatever is changed in a file", async () => {
    const content = await (await fileOf(exampleBundle(), exampleAnalysis())).text();
    const mutation = fc.record({
      at: fc.integer({ min: 0, max: content.length - 1 }),
      remove: fc.integer({ min: 0, max: 40 }),
      insert: fc.oneof(
        fc.constantFrom("", '"', "]", "}", "null", "-1", "1e999", ",", "\n", "A=="),
        fc.string(),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const changed = mutations.reduce(
          (result, { at, remove, insert }) => result.slice(0, at) + insert + result.slice(at + remove),
          content,
        );
        const read = async () => checkRunFile(await readRunText(() => inPieces(changed)));
        await read().catch((error: unknown) => expect(error).toBeInstanceOf(RunFileError));
      }),
      { numRuns: 10_000 },
    );
  }, 300_000);
});
