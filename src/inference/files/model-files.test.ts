import { describe, expect, it } from "vitest";
import { BlobOrigin } from "./blob-origin.ts";
import { externalFiles, graphCandidates } from "./graph-file.ts";
import { readModelConfig } from "./model-config.ts";
import { ModelFolder } from "./model-folder.ts";
import { sha256Hex } from "./sha256.ts";
import { WebOrigin } from "./web-origin.ts";

const BASE = "https://models.example/tiny/";
type Reply = { readonly status?: number; readonly body?: string; readonly headers?: Record<string, string> };

/** A server of a few files; counts what is asked of it. */
function server(files: Readonly<Record<string, Reply>>) {
  const asked: string[] = [];
  const answer: typeof fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    asked.push(`${init?.method ?? "GET"} ${url.slice(BASE.length)}`);
    const reply = files[url.slice(BASE.length)] ?? { status: 404 };
    const headers = { "content-length": String((reply.body ?? "").length), ...reply.headers };
    const body = init?.method === "HEAD" ? null : (reply.body ?? "");
    return Promise.resolve(new Response(body, { status: reply.status ?? 200, headers }));
  };
  return { asked, answer };
}

function folderOf(files: Readonly<Record<string, Reply>>, caches: CacheStorage | null = null) {
  const { answer, asked } = server(files);
  return {
    folder: new ModelFolder("tiny", new WebOrigin({ baseUrl: BASE, fetch: answer, caches })),
    asked,
  };
}

/** As much of the Cache API as is used; Node has none. */
class FakeCaches implements CacheStorage {
  readonly kept = new Map<string, Response>();
  refuses = false;

  open(): Promise<Cache> {
    const cache = {
      match: (url: string) => Promise.resolve(this.kept.get(url)?.clone()),
      put: (url: string, response: Response) => {
        if (this.refuses) return Promise.reject(new DOMException("full", "QuotaExceededError"));
        this.kept.set(url, response);
        return Promise.resolve();
      },
    };
    // @ts-expect-error only the two methods above are used
    return Promise.resolve(cache);
  }

  delete = (): Promise<boolean> => Promise.resolve(false);
  has = (): Promise<boolean> => Promise.resolve(true);
  keys = (): Promise<string[]> => Promise.resolve([]);
  match = (): Promise<Response | undefined> => Promise.resolve(undefined);
}

describe("a model folder on a server", () => {
  it("names the file that is missing", async () => {
    await expect(folderOf({}).folder.requiredJson("config.json")).rejects.toMatchObject({
      code: "file-missing",
      details: { file: "config.json" },
    });
  });

  it("names the file in whose place a web page was served", async () => {
    const page = { body: "<!DOCTYPE html><p>Not found", headers: { "content-type": "text/html" } };
    const { folder } = folderOf({ "config.json": page, "onnx/model.onnx": page });
    await expect(folder.requiredJson("config.json")).rejects.toMatchObject({ code: "file-not-json" });
    await expect(folder.binaries(["onnx/model.onnx"], () => undefined)).rejects.toMatchObject({
      code: "file-missing",
    });
    expect(await folder.json("config.json")).toBeNull();
    expect(await folder.has("onnx/model.onnx")).toBe(false);
  });

  it("names the file that is not JSON", async () => {
    const { folder } = folderOf({ "config.json": { body: '{"a": ' } });
    await expect(folder.requiredJson("config.json")).rejects.toMatchObject({ code: "file-not-json" });
  });

  it("names the file that broke off", async () => {
    const { folder } = folderOf({ "w.bin": { body: "1234", headers: { "content-length": "10" } } });
    await expect(folder.binaries(["w.bin"], () => undefined)).rejects.toMatchObject({
      code: "file-truncated",
      details: { file: "w.bin", received: 4, expected: 10 },
    });
  });

  it("tells a refusal from a missing file", async () => {
    const { folder } = folderOf({ "config.json": { status: 403 } });
    await expect(folder.requiredJson("config.json")).rejects.toThrow(/403/);
  });

  it("says that the connection failed", async () => {
    const failing: typeof fetch = () => Promise.reject(new TypeError("network down"));
    const folder = new ModelFolder("tiny", new WebOrigin({ baseUrl: BASE, fetch: failing, caches: null }));
    await expect(folder.requiredJson("config.json")).rejects.toMatchObject({ code: "download-failed" });
  });

  it("reports bytes over all files, rising to the total", async () => {
    const { folder } = folderOf({ a: { body: "12345" }, b: { body: "123" } });
    const seen: number[] = [];
    let total = 0;
    await folder.binaries(["a", "b"], ({ loadedBytes, totalBytes }) => {
      seen.push(loadedBytes);
      total = totalBytes;
    });
    expect(seen).toEqual([...seen].sort((x, y) => x - y));
    expect(seen.at(-1)).toBe(8);
    expect(total).toBe(8);
  });

  it("hashes paths and contents of what was read, in any order", async () => {
    const files = { a: { body: "1" }, b: { body: "2" } };
    const one = folderOf(files).folder;
    await one.binaries(["a", "b"], () => undefined);
    const two = folderOf(files).folder;
    await two.binaries(["b", "a"], () => undefined);
    const other = folderOf({ a: { body: "1" }, b: { body: "3" } }).folder;
    await other.binaries(["a", "b"], () => undefined);
    expect(await one.filesHash()).toBe(await two.filesHash());
    expect(await one.filesHash()).not.toBe(await other.filesHash());
  });
});

describe("the cache of model files", () => {
  const etag = (tag: string): Reply => ({ body: "weights", headers: { etag: tag } });

  it("serves a file again without downloading it, while the server's version is the same", async () => {
    const caches = new FakeCaches();
    await folderOf({ w: etag("1") }, caches).folder.binaries(["w"], () => undefined);
    const again = folderOf({ w: etag("1") }, caches);
    await again.folder.binaries(["w"], () => undefined);
    expect(again.asked.filter((request) => request.startsWith("GET"))).toEqual([]);
  });

  it("downloads a file again when the server has another version", async () => {
    const caches = new FakeCaches();
    await folderOf({ w: etag("1") }, caches).folder.binaries(["w"], () => undefined);
    const again = folderOf({ w: etag("2") }, caches);
    await again.folder.binaries(["w"], () => undefined);
    expect(again.asked).toContain("GET w");
  });

  it("serves the file when the server cannot be reached", async () => {
    const caches = new FakeCaches();
    await folderOf({ w: etag("1") }, caches).folder.binaries(["w"], () => undefined);
    const offline: typeof fetch = () => Promise.reject(new TypeError("offline"));
    const folder = new ModelFolder("tiny", new WebOrigin({ baseUrl: BASE, fetch: offline, caches }));
    expect(await folder.binaries(["w"], () => undefined)).toHaveLength(1);
  });

  it("does without when the quota is full", async () => {
    const caches = new FakeCaches();
    caches.refuses = true;
    expect(await folderOf({ w: etag("1") }, caches).folder.binaries(["w"], () => undefined)).toHaveLength(1);
  });
});

describe("a folder that a person picked", () => {
  it("is read without its own name", async () => {
    const folder = new ModelFolder(
      "mine",
      new BlobOrigin([{ path: "mine/config.json", file: new Blob(['{"a":1}']) }]),
    );
    expect(await folder.requiredJson("config.json")).toEqual({ a: 1 });
  });

  it("is read as it is where the files have no common folder", async () => {
    const files = ["config.json", "onnx/model.onnx"].map((path) => ({ path, file: new Blob(["{}"]) }));
    expect(await new ModelFolder("mine", new BlobOrigin(files)).has("onnx/model.onnx")).toBe(true);
  });
});

describe("sha256Hex", () => {
  it("agrees with FIPS 180-4's example", async () => {
    expect(await sha256Hex(new TextEncoder().encode("abc"))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});

describe("readModelConfig", () => {
  const llama = {
    num_hidden_layers: 2,
    hidden_size: 8,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    vocab_size: 50,
  };

  it("reads Llama's and GPT-2's names", () => {
    expect(readModelConfig(llama, null)).toMatchObject({
      layers: 2,
      hiddenSize: 8,
      keyValueHeads: 2,
      headSize: 2,
    });
    expect(readModelConfig({ n_layer: 3, n_embd: 6, n_head: 2, n_positions: 64 }, null)).toMatchObject({
      layers: 3,
      hiddenSize: 6,
      keyValueHeads: 2,
      contextLength: 64,
    });
  });

  it("prefers the end tokens of generation_config.json", () => {
    expect(readModelConfig({ ...llama, eos_token_id: 1 }, { eos_token_id: [2, 3] }).endTokenIds).toEqual([
      2, 3,
    ]);
    expect(readModelConfig({ ...llama, eos_token_id: 1 }, null).endTokenIds).toEqual([1]);
    expect(readModelConfig(llama, null).endTokenIds).toEqual([]);
  });

  it("says which key is wrong, or that it is no text-generation model", () => {
    expect(() => readModelConfig({ ...llama, num_hidden_layers: "two" }, null)).toThrow(/num_hidden_layers/);
    expect(() => readModelConfig({ model_type: "vit" }, null)).toThrow(/number of layers/);
  });
});

describe("graph files", () => {
  const config = readModelConfig({ num_hidden_layers: 2, hidden_size: 8 }, null);

  it("follow transformers.js's suffixes in the hub's layout, then in the flat one", () => {
    expect(graphCandidates(config, "wasm", "q4f16").map(({ path }) => path)).toEqual([
      "onnx/model_q4f16.onnx",
      "model_q4f16.onnx",
    ]);
    expect(graphCandidates(config, "webgpu", "q8")[0]?.path).toBe("onnx/model_quantized.onnx");
    expect(graphCandidates(config, "webgpu", "fp32")[0]?.path).toBe("onnx/model.onnx");
  });

  it("refuse a number format that is not known", () => {
    expect(() => graphCandidates(config, "wasm", "q3")).toThrow(/q3/);
  });

  it("take a model's own choice of graph and options for each device", () => {
    const own = readModelConfig(
      {
        num_hidden_layers: 2,
        hidden_size: 8,
        "transformers.js_config": {
          dtype: "q4",
          sago: {
            graphs: {
              wasm: {
                file: "onnx/a.onnx",
                sessionOptions: { extra: { session: { disable_quant_qdq: "1" } } },
              },
            },
          },
        },
      },
      null,
    );
    expect(graphCandidates(own, "wasm", null)).toEqual([
      {
        dtype: "q4",
        path: "onnx/a.onnx",
        graphOptimizationLevel: "all",
        configEntries: { "session.disable_quant_qdq": "1" },
      },
    ]);
    expect(graphCandidates(own, "webgpu", null)[0]?.path).toBe("onnx/model_q4.onnx");
  });

  it("bring their external data by the names that the graph uses, else by the configured number", () => {
    expect(externalFiles("onnx/model.onnx", ["./w.bin"], false)).toEqual([
      { path: "onnx/w.bin", location: "./w.bin" },
    ]);
    expect(externalFiles("onnx/model_q4.onnx", [], { "model_q4.onnx": 2 }).map(({ path }) => path)).toEqual([
      "onnx/model_q4.onnx_data",
      "onnx/model_q4.onnx_data_1",
    ]);
    expect(externalFiles("model.onnx", [], true).map(({ path }) => path)).toEqual(["model.onnx_data"]);
    expect(externalFiles("model.onnx", [], false)).toEqual([]);
  });
});
