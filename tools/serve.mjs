/**
 * Serves the built page on this machine only: `node tools/serve.mjs [--port 4173] [--dir dist]`.
 *
 * Sends the headers that cross-origin isolation needs (threads in WebAssembly), the right types, and byte
 * ranges. What is not there is a 404, never a page in its place: a missing model file must look missing.
 */
import { createReadStream } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".jsonl": "application/jsonl; charset=utf-8",
  ".jinja": "text/plain; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-cache",
  "Accept-Ranges": "bytes",
};

const HOST = "127.0.0.1";

/**
 * Starts a server on the loopback interface.
 * @param {{directory: string, port?: number, attempts?: number}} options - the first free port from `port`
 *   on is taken, after at most `attempts`; port 0 is any free one
 * @returns {Promise<{url: string, port: number, close: () => Promise<void>}>}
 */
export async function startServer({ directory, port = 4173, attempts = 20 }) {
  const root = await realpath(resolve(directory));
  const policy = await pagePolicy(root);
  const server = createServer((request, response) => {
    if (policy !== null) response.setHeader("Content-Security-Policy", policy);
    answer(root, request, response).catch((error) => {
      console.error(`${request.method} ${request.url}: ${error.message}`);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "The file could not be read.");
    });
  });
  const taken = await listen(server, port, attempts);
  return {
    url: `http://${HOST}:${taken}/`,
    port: taken,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/**
 * The content security policy that the build wrote into the page. It is sent as a header, too: workers take
 * theirs from the answer that brought them, not from the page. Null where the page has none.
 */
async function pagePolicy(root) {
  const html = await readFile(join(root, "index.html"), "utf8").catch(() => "");
  const [, content] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/u.exec(html) ?? [];
  return content?.replaceAll("&#39;", "'") ?? null;
}

async function listen(server, port, attempts) {
  for (let candidate = port; ; candidate += 1) {
    try {
      await new Promise((done, fail) => {
        server.once("error", fail);
        server.listen(candidate, HOST, () => {
          server.off("error", fail);
          done();
        });
      });
      return server.address().port;
    } catch (error) {
      if (error.code !== "EADDRINUSE" || candidate - port + 1 >= attempts) throw error;
    }
  }
}

async function answer(root, request, response) {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refuse(response, 405, "Only GET and HEAD are answered here.", { Allow: "GET, HEAD" });
  }
  const path = await filePath(root, request.url);
  if (path === null) return refuse(response, 404, "There is no such file.");
  const { size, mtime } = await stat(path);
  const range = byteRange(request.headers.range, size);
  if (range === "unsatisfiable") {
    return refuse(response, 416, "There are no such bytes.", { "Content-Range": `bytes */${size}` });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range === null ? 200 : 206, {
    ...HEADERS,
    "Content-Type": TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
    "Content-Length": end - start + 1,
    "Last-Modified": mtime.toUTCString(),
    ...(range === null ? {} : { "Content-Range": `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === "HEAD" || size === 0) return response.end();
  createReadStream(path, { start, end })
    .on("error", () => response.destroy())
    .pipe(response);
}

/** The file that a URL names, or null where there is none inside the root (links out of it do not count). */
async function filePath(root, url) {
  let name;
  try {
    name = decodeURIComponent(new URL(`http://${HOST}${url}`).pathname);
  } catch {
    return null;
  }
  if (name.includes("\0")) return null;
  const wanted = join(root, name.endsWith("/") ? `${name}index.html` : name);
  try {
    const real = await realpath(wanted);
    const inside = real.startsWith(root.endsWith(sep) ? root : root + sep);
    return inside && (await stat(real)).isFile() ? real : null;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG", "EACCES", "ELOOP"].includes(error.code)) return null;
    throw error;
  }
}

/**
 * One byte range (RFC 9110 §14.2). Several ranges, and what is not a byte range, are ignored, as the RFC
 * allows: null means the whole file.
 */
function byteRange(header, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/u.exec(header ?? "") ?? [];
  if (first === undefined || (first === "" && last === "")) return null;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < start) return null;
  return start > end ? "unsatisfiable" : { start, end };
}

function refuse(response, status, message, headers = {}) {
  const body = `${message}\n`;
  response.writeHead(status, {
    ...HEADERS,
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

async function main() {
  const { values } = parseArgs({
    options: { port: { type: "string" }, dir: { type: "string", default: "dist" } },
  });
  const text = values.port ?? process.env.PORT ?? "4173";
  const port = Number(text);
  if (!/^\d+$/u.test(text) || port > 65_535) throw new Error(`"${text}" is not a port.`);
  const { url } = await startServer({ directory: values.dir, port }).catch((error) => {
    throw error.code === "ENOENT"
      ? new Error(`There is no folder ${values.dir}. Build the page first: npm run build`)
      : error;
  });
  console.log(`Sago is at ${url}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
