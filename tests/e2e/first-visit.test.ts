import { once } from "node:events";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBuiltPage, type BuiltPage } from "./built-page.ts";

let built: BuiltPage;

beforeAll(async () => {
  built = await startBuiltPage();
});

afterAll(async () => {
  await built.close();
});

/** A host as many are: it sends files with their types, and no other header. */
async function plainHost(): Promise<{ readonly server: Server; readonly url: string }> {
  const types: Record<string, string> = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://host").pathname.replace(/^\/page\//, "/");
    const file = join("dist", path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("Content-Type", types[extname(file)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/page/` };
}

describe("the first visit", () => {
  it("shows the example run's four axes, marked as such, with no model loaded", async () => {
    const { page, errors, context } = await built.open({ example: true });
    const models: string[] = [];
    page.on("request", (request) => {
      if (/\/models\/(?!models\.json)/.test(request.url())) models.push(request.url());
    });
    await page.getByRole("heading", { name: "Instability on four axes" }).waitFor();
    await page.getByText("A stored run of this model is shown below.").waitFor();
    await page.getByText("comes with the page").first().waitFor();
    // One of its questions opens, with the view that is computed from the stored records.
    await page.getByRole("link", { name: /\?|\./ }).first().click();
    await page.getByRole("heading", { name: /how far each layer moves/ }).waitFor();
    expect(models).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("on a host without headers, in a folder: threads come with a second load, and then no network is needed", async () => {
    const { server, url } = await plainHost();
    const context = await built.browser.newContext();
    context.setDefaultTimeout(240_000);
    const page = await context.newPage();
    try {
      await page.goto(url);
      await page.waitForFunction(() => globalThis.crossOriginIsolated && "sago" in globalThis);
      await page.getByRole("heading", { name: "Instability on four axes" }).waitFor();
    } finally {
      server.closeAllConnections();
      server.close();
    }
    await page.reload();
    await page.getByRole("heading", { name: "Instability on four axes" }).waitFor();
    await page.getByRole("link", { name: "About" }).first().click();
    await page.getByText("this page opens; a model that ran here once runs again").waitFor();
    expect(await page.evaluate(() => globalThis.crossOriginIsolated)).toBe(true);
    await context.close();
  });
});
