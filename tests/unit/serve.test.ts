import { mkdtemp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../tools/serve.mjs";

let folder: string;
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sago-serve-"));
  const site = join(folder, "site");
  await mkdir(join(site, "models"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "secret");
  await writeFile(join(site, "index.html"), "<!doctype html><title>Sago</title>");
  await writeFile(join(site, "models", "tiny.onnx"), Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
  await writeFile(join(site, "models", "empty.onnx_data"), "");
  await writeFile(join(site, "run.wasm"), "wasm");
  await writeFile(join(site, "a b é.json"), "{}");
  await symlink(join(folder, "secret.txt"), join(site, "link.txt"));
  server = await startServer({ directory: site, port: 0 });
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Sends the path as it is: `fetch` would tidy it up. */
function get(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port: server.port, path, method, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) });
      });
    })
      .on("error", reject)
      .end();
  });
}

describe("the static server", () => {
  it.each([
    ["/", "text/html; charset=utf-8"],
    ["/index.html?model=tiny", "text/html; charset=utf-8"],
    ["/models/tiny.onnx", "application/octet-stream"],
    ["/models/empty.onnx_data", "application/octet-stream"],
    ["/run.wasm", "application/wasm"],
    ["/a%20b%20%C3%A9.json", "application/json; charset=utf-8"],
  ])("serves %s as %s, isolated from other origins", async (path, type) => {
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": type,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "same-origin",
    });
  });

  it.each([
    "/absent",
    "/absent.json",
    "/models",
    "/models/",
    "/models/tiny.onnx/",
    "/index.html/x",
    "/link.txt",
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/models/..%2f..%2fsecret.txt",
    "/..%5csecret.txt",
    "//secret.txt",
    "/%00",
    "/%",
    `/${"a".repeat(4000)}`,
  ])("answers %s with 404 and no page", async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(404);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(body.toString()).toBe("There is no such file.\n");
  });

  it.each<[string, number[], string]>([
    ["bytes=2-4", [2, 3, 4], "bytes 2-4/10"],
    ["bytes=7-", [7, 8, 9], "bytes 7-9/10"],
    ["bytes=-2", [8, 9], "bytes 8-9/10"],
    ["bytes=8-100", [8, 9], "bytes 8-9/10"],
    ["bytes=-100", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "bytes 0-9/10"],
  ])("serves the range %s", async (range, bytes, contentRange) => {
    const { status, headers, body } = await get("/models/tiny.onnx", { range });
    expect(status).toBe(206);
    expect([...body]).toEqual(bytes);
    expect(headers).toMatchObject({ "content-range": contentRange, "content-length": String(bytes.length) });
  });

  it.each(["bytes=10-", "bytes=-0"])("refuses the range %s", async (range) => {
    const { status, headers } = await get("/models/tiny.onnx", { range });
    expect(status).toBe(416);
    expect(headers["content-range"]).toBe("bytes */10");
  });

  it.each(["bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=-"])("ignores the range %s", async (range) => {
    const { status, body } = await get("/models/tiny.onnx", { range });
    expect([status, body.length]).toEqual([200, 10]);
  });

  it("answers HEAD without a body, and no other method", async () => {
    const head = await get("/models/tiny.onnx", {}, "HEAD");
    expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, "10", 0]);
    expect((await get("/", {}, "POST")).status).toBe(405);
  });

  it("takes the next free port where the wanted one is taken", async () => {
    const second = await startServer({ directory: folder, port: server.port });
    expect(second.port).toBeGreaterThan(server.port);
    await second.close();
    await expect(startServer({ directory: folder, port: server.port, attempts: 1 })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  it("closes although a browser keeps its connection open", async () => {
    const closing = await startServer({ directory: folder, port: 0 });
    const socket = connect(closing.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await closing.close();
    await ended;
  });

  it("rejects where there is no folder to serve", async () => {
    await expect(startServer({ directory: join(folder, "absent"), port: 0 })).rejects.toMatchObject({
      code: "ENOENT",
    });
  });
});
