import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { NodeRuntime, PLAIN_SURROUNDINGS } from "../../../tests/inference-in-node.ts";
import { readOnnxGraph } from "../../onnx/index.ts";
import type { GraphSession, HostTensor, ResidentTensor, SessionRequest } from "../runtime/tensor.ts";
import { ModelFolder } from "../files/model-folder.ts";
import { loadDecoder, type LoadedDecoder } from "../load-decoder.ts";
import { ModelTokenizer } from "../text/tokenizer.ts";
import reference from "./bundled-reference.json";
import { SELF_TEST_STEPS, SELF_TEST_TEXTS, selfTestSequences } from "./sequences.ts";

vi.setConfig({ testTimeout: 120_000 });
const FIXTURE = "tests/fixtures/decoders/llama-optimum";
const runtime = new NodeRuntime();

type Feeds = ReadonlyMap<string, HostTensor | ResidentTensor>;

/** The fixture with its graph changed, or with what its session is fed changed. */
function loadLlama(
  change: { readonly graph?: (bytes: Uint8Array) => void; readonly feeds?: (feeds: Feeds) => Feeds } = {},
): Promise<LoadedDecoder> {
  const open = async (device: unknown, request: SessionRequest): Promise<GraphSession> => {
    const session = await runtime.open(device, request);
    const { feeds } = change;
    if (!feeds) return session;
    return {
      inputs: session.inputs,
      outputs: session.outputs,
      run: (given, wanted) => session.run(feeds(given), wanted),
      packRows: (rows, time) => session.packRows(rows, time),
      heldBytes: () => session.heldBytes(),
      dispose: () => session.dispose(),
    };
  };
  return loadDecoder(
    changedFolder(change.graph ?? (() => undefined)),
    { source: { kind: "bundled", id: "llama-optimum", baseUrl: "" }, device: "wasm", dtype: null },
    PLAIN_SURROUNDINGS,
    { open },
    "test",
    () => undefined,
  );
}

function changedFolder(change: (bytes: Uint8Array) => void): ModelFolder {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const path of ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"]) {
    files.set(path, new Uint8Array(readFileSync(`${FIXTURE}/${path}`)));
  }
  const graph = new Uint8Array(readFileSync(`${FIXTURE}/onnx/model.onnx`));
  change(graph);
  files.set("onnx/model.onnx", graph);
  return new ModelFolder("llama-optimum", {
    read: (path) => {
      const bytes = files.get(path);
      return Promise.resolve(bytes ? { bytes, contentType: null } : null);
    },
    size: (path) => Promise.resolve(files.get(path)?.length ?? null),
  });
}

/** The bytes of the head's float32 values, in the file; an untied head, so that nothing else uses them. */
function weightsOfHead(bytes: Uint8Array): Uint8Array {
  const graph = readOnnxGraph(bytes);
  const last = graph.nodes.findLast(({ op }) => op === "MatMul");
  const name = last?.inputs[1] ?? "";
  const size = (graph.initialisers.get(name)?.dims ?? []).reduce((product, dim) => product * dim, 4);
  // TensorProto: name (field 8), at once followed by raw_data (field 9) and its length in two bytes.
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = file.indexOf(Buffer.concat([Buffer.from(name), Buffer.from([0x4a])]));
  if (name === "" || found < 0) throw new Error("The fixture's head has no weights in the file.");
  const start = found + Buffer.byteLength(name) + 3;
  return bytes.subarray(start, start + size);
}

describe("the test after loading", () => {
  it("passes a sound model, far below what it allows", async () => {
    const { description, decoder } = await loadLlama();
    const { selfTest } = description;
    expect(selfTest).toMatchObject({ positions: 10, cacheSameTop: 10, referenceDifferenceNats: null });
    expect(selfTest.cacheDifferenceNats).toBeLessThan(1e-4);
    expect(selfTest.toleranceNats).toBe(0.02);
    await decoder.session.dispose();
  });

  it("turns away weights that are not numbers", async () => {
    await expect(
      loadLlama({ graph: (bytes) => weightsOfHead(bytes).set([0, 0, 0xc0, 0x7f]) }),
    ).rejects.toMatchObject({ code: "self-test-failed", details: { fault: "not-finite" } });
  });

  it("turns away a head that says the same whatever it reads, and says what to choose", async () => {
    await expect(loadLlama({ graph: (bytes) => weightsOfHead(bytes).fill(0) })).rejects.toMatchObject({
      code: "self-test-failed",
      details: { fault: "constant" },
      message: expect.stringMatching(/fp32 on WASM\. This model has no other format/),
    });
  });

  it("turns away positions that are counted anew behind a cache", async () => {
    const counted = (feeds: Feeds): Feeds => {
      const changed = new Map(feeds);
      const positions = feeds.get("position_ids");
      if (positions && positions.dims[1] === 1 && "data" in positions && positions.type === "int64") {
        changed.set("position_ids", { ...positions, data: positions.data.map(() => 0n) });
      }
      return changed;
    };
    await expect(loadLlama({ feeds: counted })).rejects.toMatchObject({ details: { fault: "cache" } });
  });

  it("turns away a cache whose tensors are confused", async () => {
    const confused = (feeds: Feeds): Feeds => {
      const [key, value] = [feeds.get("past_key_values.1.key"), feeds.get("past_key_values.1.value")];
      if (!key || !value) throw new Error("The fixture has another cache.");
      return new Map(feeds).set("past_key_values.1.key", value).set("past_key_values.1.value", key);
    };
    await expect(loadLlama({ feeds: confused })).rejects.toMatchObject({ details: { fault: "cache" } });
  });

  it("turns away a model that looks at nothing but the last token", async () => {
    const blind = (feeds: Feeds): Feeds => {
      const mask = feeds.get("attention_mask");
      if (!mask || !("data" in mask) || mask.type !== "int64") throw new Error("The fixture has no mask.");
      const time = mask.dims[1] ?? 0;
      const data = mask.data.map((one, at) => ((at + 1) % time === 0 ? one : 0n));
      return new Map(feeds).set("attention_mask", { ...mask, data });
    };
    await expect(loadLlama({ feeds: blind })).rejects.toMatchObject({ code: "self-test-failed" });
  });
});

describe("the sequences of the test", () => {
  const folder = "public/models/SmolLM2-135M-Instruct";
  const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
  const tokenizer = new ModelTokenizer(
    json(`${folder}/tokenizer.json`),
    json(`${folder}/tokenizer_config.json`),
  );

  it("are for the bundled model the ids that PyTorch was given, with its answers", () => {
    const bundled = { id: "SmolLM2-135M-Instruct", source: "bundled" } as const;
    const sequences = selfTestSequences(bundled, tokenizer, 49152);
    expect(reference.sequences.map(({ text }) => text)).toEqual(SELF_TEST_TEXTS);
    expect(sequences.map(({ tokenIds }) => [...tokenIds])).toEqual(reference.sequences.map(({ ids }) => ids));
    for (const { reference: rows } of sequences) expect(rows?.topIds).toHaveLength(SELF_TEST_STEPS + 1);
  });

  it("have no reference for a model of that name from elsewhere", () => {
    const other = selfTestSequences({ id: "SmolLM2-135M-Instruct", source: "hub" }, tokenizer, 49152);
    expect(other.map((one) => one.reference)).toEqual([null, null]);
  });

  it("are spread over the vocabulary where the tokenizer knows too few words, and end alike", () => {
    const few = new ModelTokenizer(
      json(`${FIXTURE}/tokenizer.json`),
      json(`${FIXTURE}/tokenizer_config.json`),
    );
    const [one, other] = selfTestSequences({ id: "tiny", source: "folder" }, few, 112);
    for (const { tokenIds } of [one, other]) {
      expect(new Set(tokenIds).size).toBeGreaterThanOrEqual(8);
      expect(tokenIds.every((id) => id >= 7 && id < 112)).toBe(true);
    }
    expect(one.tokenIds.at(-1)).toBe(other.tokenIds.at(-1));
    expect([...one.tokenIds]).not.toEqual([...other.tokenIds]);
  });
});
