import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHub, type HubServer, type Repository } from "../../../tests/hub/hub-server.ts";
import { fetchHubListing, readHubListing } from "./hub-listing.ts";
import type { HubAccess } from "./hub-request.ts";

const repository: Repository = {
  files: { "config.json": "{}", "onnx/model.onnx": new Uint8Array([1, 2, 3]) },
  licence: "apache-2.0",
};
let hub: HubServer;

beforeAll(async () => {
  hub = await startHub({
    "owner/plain": repository,
    "owner/page": { ...repository, faults: { "": [{ kind: "html" }] } },
    "owner/broken": { ...repository, faults: { "": [{ kind: "text", text: '{"sha": "' }] } },
    "owner/other": { ...repository, faults: { "": [{ kind: "text", text: '{"name": "x"}' }] } },
    "owner/busy": { ...repository, faults: { "": [{ kind: "status", status: 503 }] } },
    "owner/often": { ...repository, faults: { "": [{ kind: "status", status: 429 }] } },
    "owner/private": { ...repository, privateTo: "secret" },
    "owner/gated": { ...repository, gatedBy: "secret" },
  });
});

afterAll(async () => {
  await hub.close();
});

function access(token: string | null = null): HubAccess {
  return { host: hub.host, token, fetch, signal: null, silenceMs: 30_000 };
}
const listing = (id: string, token: string | null = null, revision = "main") =>
  fetchHubListing({ id, revision }, access(token));

describe("fetchHubListing", () => {
  it("gives the commit, sizes, hashes and the licence", async () => {
    expect(await listing("owner/plain")).toEqual({
      id: "owner/plain",
      host: hub.host,
      revision: hub.commitOf("owner/plain"),
      askedRevision: "main",
      licence: "apache-2.0",
      gated: false,
      files: [
        // `printf '{}' | git hash-object --stdin`
        {
          path: "config.json",
          bytes: 2,
          digest: { kind: "git-blob", hex: "9e26dfeeb6e641a33dae4961196235bdb965b21b" },
        },
        // `printf '\001\002\003' | sha256sum`
        {
          path: "onnx/model.onnx",
          bytes: 3,
          digest: {
            kind: "sha256",
            hex: "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81",
          },
        },
      ],
    });
  });

  it("takes a commit as the revision", async () => {
    const commit = hub.commitOf("owner/plain");
    expect((await listing("owner/plain", null, commit)).revision).toBe(commit);
  });

  it.each([
    ["owner/page", "hub-answer-invalid", /web page in place of JSON/],
    ["owner/broken", "hub-answer-invalid", /not JSON/],
    ["owner/other", "hub-answer-invalid", /sha/],
    ["owner/busy", "download-failed", /503.*try again later/],
    ["owner/often", "download-failed", /429.*wait a few minutes/],
    ["owner/missing", "access-needed", /no model owner\/missing to everyone \(401\).*spelled/],
    ["owner/private", "access-needed", /access token/],
  ])("explains what %s answers", async (id, code, message) => {
    const failure = expect(listing(id)).rejects;
    await failure.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it("names the revision that is not there, and the model that is not there for a known account", async () => {
    await expect(listing("owner/plain", null, "v9")).rejects.toMatchObject({
      code: "model-missing",
      message: expect.stringMatching(/no revision "v9"/),
    });
    await expect(listing("owner/missing", "secret")).rejects.toMatchObject({ code: "model-missing" });
  });

  it("describes a gated model to everyone, and a private one to who may see it", async () => {
    expect((await listing("owner/gated")).gated).toBe(true);
    expect((await listing("owner/private", "secret")).id).toBe("owner/private");
  });

  it("names what to do when nobody answers", async () => {
    const gone = await startHub();
    const { host } = gone;
    await gone.close();
    await expect(
      fetchHubListing({ id: "owner/name", revision: "main" }, { ...access(), host }),
    ).rejects.toMatchObject({
      code: "download-failed",
      message: expect.stringMatching(/Check the connection/),
    });
  });
});

describe("readHubListing", () => {
  it("reads hashes named oid, a licence in the tags, and leaves unknown what is not said", () => {
    const hash = "a".repeat(64);
    const answer = {
      sha: "b".repeat(40),
      tags: ["onnx", "license:mit"],
      siblings: [{ rfilename: "w.onnx", lfs: { oid: hash, size: 7 } }, { rfilename: "README.md" }],
    };
    expect(
      readHubListing(JSON.stringify(answer), { id: "o/n", revision: "main" }, "https://huggingface.co"),
    ).toMatchObject({
      licence: "mit",
      gated: false,
      files: [
        { path: "w.onnx", bytes: 7, digest: { kind: "sha256", hex: hash } },
        { path: "README.md", bytes: null, digest: null },
      ],
    });
  });

  it("refuses the description of another commit than the one that was asked for", () => {
    const answer = JSON.stringify({ sha: "b".repeat(40), siblings: [] });
    expect(() =>
      readHubListing(answer, { id: "o/n", revision: "c".repeat(40) }, "https://huggingface.co"),
    ).toThrow(/in place of c/);
  });
});
