import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHub, type HubServer } from "../../../tests/hub/hub-server.ts";
import { tinyDecoder, tinyEncoder, type Files } from "../../../tests/hub/tiny-models.ts";
import { MemoryStore } from "./byte-store.ts";
import { LocalModelFiles } from "./local-model-files.ts";

let hub: HubServer;

beforeAll(async () => {
  hub = await startHub({
    "owner/tiny": { files: tinyDecoder(), licence: "cc0-1.0" },
    "owner/encoder": { files: tinyEncoder() },
    "owner/torch": { files: { "config.json": config(), "tokenizer.json": "{}", "model.safetensors": "x" } },
    "owner/gated": { files: tinyDecoder(), gatedBy: "secret" },
    "owner/spoilt": { files: tinyDecoder(), faults: { "onnx/model.onnx": [{ kind: "corrupt" }] } },
  });
});

afterAll(async () => {
  await hub.close();
});

function config(): string {
  return JSON.stringify({ num_hidden_layers: 2, hidden_size: 8 });
}
/** As the Cache API: what is kept is there on the next visit. */
class LastingStore extends MemoryStore {
  override readonly lasting = true;
}
function filesOf(store = new LastingStore()) {
  return new LocalModelFiles({ store: () => Promise.resolve(store), silenceMs: 30_000 });
}
const access = (token: string | null = null) => ({ host: hub.host, token });
const blobs = (files: Files, top = "") =>
  Object.entries(files).map(([path, content]) => ({
    path: top + path,
    file: new Blob([typeof content === "string" ? content : new Uint8Array(content)]),
  }));
const sizeOf = (files: Files, paths: readonly string[]) =>
  blobs(files).reduce((sum, { path, file }) => (paths.includes(path) ? sum + file.size : sum), 0);

describe("looking a model up", () => {
  it("gives its commit, licence, role, shape, and the size of each format before it is downloaded", async () => {
    const model = await filesOf().lookUp("owner/tiny", access());
    const [format] = model.description.formats;
    expect(model).toMatchObject({
      revision: hub.commitOf("owner/tiny"),
      licence: "cc0-1.0",
      description: { role: "language", layers: 3, hiddenSize: 32, ownDtype: null },
    });
    expect(model.description.formats).toHaveLength(1);
    expect(format?.dtype).toBe("fp32");
    expect(format?.bytes).toBe(sizeOf(tinyDecoder(), format?.files ?? []));
    expect(format?.files).not.toContain("README.md");
  });

  it("tells a sentence encoder from a language model", async () => {
    expect((await filesOf().lookUp("owner/encoder", access())).description.role).toBe("encoder");
  });

  it("names what is missing, and says what weights without a graph need", async () => {
    await expect(filesOf().lookUp("owner/torch", access())).rejects.toMatchObject({
      code: "file-missing",
      message: expect.stringMatching(/lacks tokenizer_config\.json, onnx\/model\.onnx\..*ONNX export/s),
    });
  });

  it("asks for a token where the model is gated", async () => {
    await expect(filesOf().lookUp("owner/gated", access())).rejects.toMatchObject({ code: "access-needed" });
    expect((await filesOf().lookUp("owner/gated", access("secret"))).gated).toBe(true);
  });

  it("is remembered on the next visit, without the token", async () => {
    const store = new LastingStore();
    await filesOf(store).lookUp("owner/gated", access("secret"));
    expect((await filesOf(store).remembered()).map(({ id }) => id)).toEqual(["owner/gated"]);
    for (const address of await store.addresses()) {
      const bytes = await (await store.get(address))?.read();
      expect(address + new TextDecoder().decode(bytes)).not.toContain("secret");
    }
  });
});

describe("downloading", () => {
  it("claims a format only after all its files were read back, and needs the hub no more", async () => {
    const store = new LastingStore();
    const files = filesOf(store);
    const model = await files.lookUp("owner/tiny", access());
    expect((await files.kept(model))["fp32"]).toEqual({ bytes: 0, checked: false });
    const seen: number[] = [];
    await files.download(model, null, "fp32", ({ loadedBytes, totalBytes }) => {
      seen.push(loadedBytes);
      expect(totalBytes).toBe(model.description.formats[0]?.bytes);
    });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(model.description.formats[0]?.bytes);
    expect(await filesOf(store).kept(model)).toEqual({
      fp32: { bytes: model.description.formats[0]?.bytes, checked: true },
    });
    hub.asked.length = 0;
    await files.download(model, null, "fp32", () => undefined);
    expect(hub.asked).toEqual([]);
  });

  it("claims nothing where what is kept is lost with the tab", async () => {
    const files = new LocalModelFiles({ store: () => Promise.resolve(memory) });
    const memory = new MemoryStore();
    const model = await files.lookUp("owner/tiny", access());
    await files.download(model, null, "fp32", () => undefined);
    expect((await files.kept(model))["fp32"]?.checked).toBe(false);
  });

  it("claims nothing after a file came with other bytes", async () => {
    const files = filesOf();
    const model = await files.lookUp("owner/spoilt", access());
    await expect(files.download(model, null, "fp32", () => undefined)).rejects.toMatchObject({
      code: "file-corrupt",
      message: expect.stringContaining("onnx/model.onnx"),
    });
    expect((await files.kept(model))["fp32"]?.checked).toBe(false);
  });

  it("rejects with AbortError when it is stopped", async () => {
    const files = filesOf();
    const model = await files.lookUp("owner/tiny", access());
    const stopped = files.download(model, null, "fp32", () => files.stop());
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  });

  it("leaves nothing behind when the model is removed", async () => {
    const store = new LastingStore();
    const files = filesOf(store);
    const model = await files.lookUp("owner/tiny", access());
    await files.download(model, null, "fp32", () => undefined);
    await files.remove(model);
    expect(await store.addresses()).toEqual([]);
  });
});

describe("a folder that a person opens", () => {
  it("is found inside the folder around it, with its licence", async () => {
    const model = await filesOf().inspectFolder("tiny", blobs(tinyDecoder(), "backup/tiny/"));
    expect(model).toMatchObject({ id: "tiny", licence: "cc0-1.0", description: { role: "language" } });
    expect(model.source.files.map(({ path }) => path)).toContain("onnx/model.onnx");
  });

  it("may be flat", async () => {
    const { "onnx/model.onnx": graph = "", ...rest } = tinyDecoder();
    const model = await filesOf().inspectFolder("flat", blobs({ ...rest, "model_q4.onnx": graph }));
    expect(model.description.formats.map(({ dtype }) => dtype)).toEqual(["q4"]);
  });

  it("counts the chunks of external weights", async () => {
    const { "onnx/model.onnx": graph = "", ...rest } = tinyDecoder();
    const chunks = { "onnx/model_q4.onnx_data": "12345", "onnx/model_q4.onnx_data_1": "678" };
    const model = await filesOf().inspectFolder(
      "chunks",
      blobs({ ...rest, "onnx/model_q4.onnx": graph, ...chunks }),
    );
    expect(model.description.formats[0]?.files).toEqual(expect.arrayContaining(Object.keys(chunks)));
  });

  it("is refused with the names of what is missing", async () => {
    const { "tokenizer.json": _tokenizer, "onnx/model.onnx": _graph, ...rest } = tinyDecoder();
    await expect(filesOf().inspectFolder("half", blobs(rest))).rejects.toMatchObject({
      code: "file-missing",
      message: expect.stringMatching(/half.*lacks tokenizer\.json, onnx\/model\.onnx/),
    });
    await expect(filesOf().inspectFolder("photos", blobs({ "a.jpg": "x" }))).rejects.toThrow(
      /photos has no config\.json/,
    );
    await expect(
      filesOf().inspectFolder("both", [
        ...blobs(tinyDecoder(), "both/a/"),
        ...blobs(tinyDecoder(), "both/b/"),
      ]),
    ).rejects.toThrow(/several models: both\/a, both\/b/);
  });

  it("is refused when weights that the graph names are missing", async () => {
    const bundled = "public/models/SmolLM2-135M-Instruct";
    const { readFileSync } = await import("node:fs");
    const names = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model_q4.onnx"];
    const files = Object.fromEntries(
      names.map((name) => [name, new Uint8Array(readFileSync(`${bundled}/${name}`))]),
    );
    await expect(filesOf().inspectFolder("smol", blobs(files))).rejects.toMatchObject({
      code: "file-missing",
      message: expect.stringContaining("onnx/model_q4.onnx_data"),
    });
  });
});
