import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHub, type Fault, type HubServer, type Repository } from "../../../tests/hub/hub-server.ts";
import { EngineError } from "../engine-error.ts";
import { MemoryStore, type ByteStore } from "./byte-store.ts";
import { fetchHubListing } from "./hub-listing.ts";
import { HubOrigin, type HubSurroundings } from "./hub-origin.ts";

const WEIGHTS = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 251);
const PATH = "onnx/model.onnx";
let hub: HubServer;
let count = 0;

beforeAll(async () => {
  hub = await startHub();
});

afterAll(async () => {
  await hub.close();
});

interface Scene {
  readonly repository?: Partial<Repository>;
  readonly faults?: readonly Fault[];
  readonly token?: string;
  readonly store?: ByteStore;
  readonly surroundings?: Partial<HubSurroundings>;
}

/** An origin on a new repository, whose weights fail in the given ways one after the other. */
async function originOf({ repository, faults = [], token, store, surroundings }: Scene = {}) {
  count += 1;
  const id = `owner/model-${count}`;
  hub.put(id, {
    files: { "config.json": '{"a": 1}', [PATH]: WEIGHTS },
    faults: { [PATH]: faults },
    ...repository,
  });
  const kept = store ?? new MemoryStore();
  const listing = await fetchHubListing(
    { id, revision: "main" },
    { host: hub.host, token: token ?? null, fetch, signal: null, silenceMs: 30_000 },
  );
  const open = (changes: Partial<HubSurroundings> = {}) =>
    new HubOrigin(
      {
        kind: "hub",
        id,
        revision: listing.revision,
        host: hub.host,
        token: token ?? null,
        files: listing.files,
      },
      { store: () => Promise.resolve(kept), ...surroundings, ...changes },
    );
  hub.asked.length = 0;
  hub.askedOfStore.length = 0;
  return { id, origin: open(), open, store: kept };
}
const nothing = () => undefined;
const same = (file: { readonly bytes: Uint8Array } | null) =>
  file !== null && Buffer.from(file.bytes).equals(Buffer.from(WEIGHTS));

describe("a file of a hub", () => {
  it("comes through the redirect to the store of large files, with progress up to its size", async () => {
    const { origin } = await originOf();
    const seen: number[] = [];
    const file = await origin.read(PATH, (loaded) => seen.push(loaded));
    expect(same(file)).toBe(true);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(WEIGHTS.length);
    expect(hub.askedOfStore).toHaveLength(1);
  });

  it("is not there where the listing does not have it, and the hub is not asked", async () => {
    const { origin } = await originOf();
    expect(await origin.read("generation_config.json", nothing)).toBeNull();
    expect(await origin.size("generation_config.json")).toBeNull();
    expect(await origin.size(PATH)).toBe(WEIGHTS.length);
    expect(hub.asked).toEqual([]);
  });

  it("is read from what is kept the next time, and the hub is not asked", async () => {
    const { origin, open } = await originOf();
    await origin.keep(PATH, nothing);
    expect(await origin.kept(PATH)).toEqual({ bytes: WEIGHTS.length, checked: true });
    hub.asked.length = 0;
    expect(same(await open().read(PATH, nothing))).toBe(true);
    expect(hub.asked).toEqual([]);
  });

  it("goes on where the connection broke, within one call", async () => {
    const { origin } = await originOf({ faults: [{ kind: "cut", after: 100_000 }] });
    await origin.keep(PATH, nothing);
    expect(hub.askedOfStore).toHaveLength(2);
    const from = Number(/^bytes=(\d+)-$/.exec(hub.askedOfStore[1]?.range ?? "")?.[1]);
    expect(from).toBeGreaterThan(0);
    expect(from).toBeLessThanOrEqual(100_000);
    expect(same(await origin.read(PATH, nothing))).toBe(true);
  });

  it("keeps what came before a stop, and goes on from there on the next call", async () => {
    const { open } = await originOf({ faults: [{ kind: "stall", after: 120_000 }] });
    const stop = new AbortController();
    const stopped = open({ signal: stop.signal }).keep(PATH, (loaded) => {
      if (loaded >= 60_000) stop.abort(new DOMException("Stopped.", "AbortError"));
    });
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    const { bytes, checked } = await open().kept(PATH);
    expect(bytes).toBeGreaterThanOrEqual(60_000);
    expect(checked).toBe(false);
    await open().keep(PATH, nothing);
    expect(hub.askedOfStore.at(-1)?.range).toBe(`bytes=${bytes}-`);
    expect(await open().kept(PATH)).toEqual({ bytes: WEIGHTS.length, checked: true });
  });

  it("starts again where the server ignores ranges", async () => {
    const { origin } = await originOf({ faults: [{ kind: "cut", after: 90_000 }, { kind: "no-ranges" }] });
    expect(same(await origin.read(PATH, nothing))).toBe(true);
  });

  it("is given up when the server falls silent, and what came is kept", async () => {
    const { origin } = await originOf({
      faults: [{ kind: "stall", after: 50_000 }],
      surroundings: { silenceMs: 300 },
    });
    await expect(origin.keep(PATH, nothing)).rejects.toMatchObject({
      code: "download-failed",
      message: expect.stringMatching(/onnx\/model\.onnx.*sent nothing.*kept/),
    });
    expect((await origin.kept(PATH)).bytes).toBe(50_000);
  });

  it("is named when the connection breaks again and again without a byte", async () => {
    const { origin } = await originOf({
      faults: Array.from({ length: 9 }, () => ({ kind: "cut", after: 0 })),
    });
    await expect(origin.keep(PATH, nothing)).rejects.toMatchObject({
      details: expect.objectContaining({ file: PATH }),
      message: expect.stringMatching(/onnx\/model\.onnx/),
    });
  });

  it("is thrown away and named when its hash is another one, and can be downloaded again", async () => {
    const { origin } = await originOf({ faults: [{ kind: "corrupt" }] });
    await expect(origin.keep(PATH, nothing)).rejects.toMatchObject({
      code: "file-corrupt",
      message: expect.stringMatching(/onnx\/model\.onnx.*hash.*thrown away/s),
    });
    expect(await origin.kept(PATH)).toEqual({ bytes: 0, checked: false });
    await origin.keep(PATH, nothing);
    expect((await origin.kept(PATH)).checked).toBe(true);
  });

  it("is checked by git's hash where it is small", async () => {
    const { origin } = await originOf({ repository: { faults: { "config.json": [{ kind: "corrupt" }] } } });
    await expect(origin.read("config.json", nothing)).rejects.toMatchObject({ code: "file-corrupt" });
    expect((await origin.read("config.json", nothing))?.bytes).toHaveLength(8);
  });

  it("is refused when a web page comes in its place", async () => {
    const { origin } = await originOf({ faults: [{ kind: "html" }] });
    await expect(origin.keep(PATH, nothing)).rejects.toMatchObject({
      code: "file-not-json",
      message: expect.stringMatching(/web page in place of onnx\/model\.onnx/),
    });
    expect((await origin.kept(PATH)).bytes).toBe(0);
  });

  it.each([
    ["size", { kind: "linked", size: 5 }],
    ["hash", { kind: "linked", hash: "0".repeat(64) }],
  ] as const)("is refused when the server names another %s than the listing", async (_, fault) => {
    const { origin } = await originOf({ faults: [fault] });
    await expect(origin.keep(PATH, nothing)).rejects.toMatchObject({ code: "file-changed" });
  });

  it.each([404, 500])("is named when the server answers %i for it", async (status) => {
    const { origin } = await originOf({ faults: [{ kind: "status", status }] });
    await expect(origin.keep(PATH, nothing)).rejects.toThrow(new RegExp(`${status}.*`));
  });

  it("comes without sizes and hashes too", async () => {
    const { origin } = await originOf({ repository: { detailed: false } });
    expect(same(await origin.read(PATH, nothing))).toBe(true);
    await origin.keep(PATH, nothing);
    expect((await origin.kept(PATH)).checked).toBe(true);
  });

  it("is downloaded again when what is kept has spoilt", async () => {
    const { origin, open, store } = await originOf();
    await origin.keep(PATH, nothing);
    const address = (await store.addresses()).find((one) => one.includes("sago-part=0")) ?? "";
    await store.put(
      address,
      WEIGHTS.map((byte) => byte ^ 1),
    );
    expect(same(await open().read(PATH, nothing))).toBe(true);
  });
});

describe("a gated model", () => {
  it("says what to do without a token, with a wrong one, and works with the right one", async () => {
    const repository = { gatedBy: "right" };
    const without = await originOf({ repository });
    await expect(without.origin.keep(PATH, nothing)).rejects.toMatchObject({
      code: "access-needed",
      message: expect.stringMatching(/\(401\).*Accept the model’s terms at http.*token/s),
    });
    const wrong = await originOf({ repository, token: "wrong" });
    await expect(wrong.origin.keep(PATH, nothing)).rejects.toMatchObject({
      code: "access-needed",
      message: expect.stringMatching(/may not read.*\(403\).*Ask for access/s),
    });
    const right = await originOf({ repository, token: "right" });
    expect(same(await right.origin.read(PATH, nothing))).toBe(true);
    expect(hub.asked.every(({ authorised }) => authorised)).toBe(true);
    expect(hub.askedOfStore.some(({ authorised }) => authorised)).toBe(false);
  });
});

describe("a browser that keeps nothing more", () => {
  class FullStore extends MemoryStore {
    override put(): Promise<void> {
      return Promise.reject(new EngineError("storage-full", "The browser did not keep more."));
    }
  }

  it("still loads a model, but does not claim to have kept it", async () => {
    const { origin } = await originOf({ store: new FullStore() });
    expect(same(await origin.read(PATH, nothing))).toBe(true);
    await expect(origin.keep(PATH, nothing)).rejects.toMatchObject({ code: "storage-full" });
    expect((await origin.kept(PATH)).checked).toBe(false);
  });
});
