/**
 * A model hub on loopback: the address layout of the real one (`/{id}/resolve/{revision}/{file}`,
 * `/api/models/{id}/revision/{revision}`), large files behind a redirect to a second origin, byte ranges,
 * gated models, and every way in which a server can fail, once each, on demand.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly code?: string }
  /** Sends so many bytes, then cuts the connection. */
  | { readonly kind: "cut"; readonly after: number }
  /** Sends so many bytes, then nothing, and keeps the connection. */
  | { readonly kind: "stall"; readonly after: number }
  | { readonly kind: "html" }
  | { readonly kind: "text"; readonly text: string }
  /** Sends the whole file although a range was asked for. */
  | { readonly kind: "no-ranges" }
  /** The right length, other bytes. */
  | { readonly kind: "corrupt" }
  /** Says that the file is another one. */
  | { readonly kind: "linked"; readonly size?: number; readonly hash?: string };

export interface Repository {
  readonly files: Readonly<Record<string, Uint8Array | string>>;
  readonly licence?: string;
  readonly pipelineTag?: string;
  /** Files are handed out only with this token; another one is known but may not read. */
  readonly gatedBy?: string;
  /** Without this token the model looks as if it were not there. */
  readonly privateTo?: string;
  /** By path ("" for the description): what goes wrong at the first, second, … request. */
  readonly faults?: Readonly<Record<string, readonly Fault[]>>;
  /** False: the description names no sizes and no hashes. */
  readonly detailed?: boolean;
}

export interface Request {
  readonly path: string;
  readonly range: string | null;
  readonly authorised: boolean;
}

export interface HubServer {
  readonly host: string;
  /** Where large files are redirected to. */
  readonly storeHost: string;
  /** What was asked of the hub itself, in order. */
  readonly asked: Request[];
  /** What was asked of the store of large files. */
  readonly askedOfStore: Request[];
  /** The commit of a repository's files. */
  commitOf(id: string): string;
  put(id: string, repository: Repository): void;
  close(): Promise<void>;
}

const LARGE = /\.onnx(_data.*|\.data)?$/;

export async function startHub(repositories: Readonly<Record<string, Repository>> = {}): Promise<HubServer> {
  const known = new Map(Object.entries(repositories));
  const faults = new Map<string, Fault[]>();
  const asked: Request[] = [];
  const askedOfStore: Request[] = [];
  const nextFault = (id: string, path: string): Fault | undefined => {
    const key = `${id} ${path}`;
    if (!faults.has(key)) faults.set(key, [...(known.get(id)?.faults?.[path] ?? [])]);
    return faults.get(key)?.shift();
  };

  const store = await listen(
    createServer((request, response) => {
      if (preflight(request, response)) return;
      askedOfStore.push(noted(request));
      const url = new URL(request.url ?? "/", "http://localhost");
      const id = url.searchParams.get("id") ?? "";
      const path = url.searchParams.get("path") ?? "";
      sendFile(request, response, contentOf(known.get(id), path), nextFault(id, path));
    }),
  );
  const storeOrigin = originOf(store);

  const hub = await listen(
    createServer((request, response) => {
      if (preflight(request, response)) return;
      asked.push(noted(request));
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      const [, apiId, apiRevision] = /^\/api\/models\/(.+)\/revision\/([^/]+)$/.exec(pathname) ?? [];
      const [, fileId, fileRevision, filePath] = /^\/(.+?)\/resolve\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
      const id = apiId ?? fileId ?? "";
      const repository = known.get(id);
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? null;
      if (!repository || (repository.privateTo !== undefined && repository.privateTo !== token)) {
        return refuse(response, token === null ? 401 : 404, "RepoNotFound");
      }
      const revision = decodeURIComponent(apiRevision ?? fileRevision ?? "");
      if (revision !== "main" && revision !== commitOf(repository))
        return refuse(response, 404, "RevisionNotFound");
      if (apiId !== undefined) {
        return describe(response, id, repository, nextFault(id, ""));
      }
      const path = decodeURIComponent(filePath ?? "");
      const content = contentOf(repository, path);
      if (content === null) return refuse(response, 404, "EntryNotFound");
      if (repository.gatedBy !== undefined && repository.gatedBy !== token) {
        return refuse(response, token === null ? 401 : 403, "GatedRepo");
      }
      if (!LARGE.test(path)) return sendFile(request, response, content, nextFault(id, path));
      const query = new URLSearchParams({ id, path });
      response.writeHead(302, {
        ...CORS,
        location: `${storeOrigin}/blob?${query.toString()}`,
        "x-linked-size": content.byteLength,
        "x-linked-etag": `"${sha256(content)}"`,
      });
      response.end();
    }),
  );

  return {
    host: originOf(hub),
    storeHost: storeOrigin,
    asked,
    askedOfStore,
    commitOf: (id) => {
      const repository = known.get(id);
      if (!repository) throw new Error(`There is no repository ${id}.`);
      return commitOf(repository);
    },
    put: (id, repository) => {
      known.set(id, repository);
      for (const key of [...faults.keys()]) if (key.startsWith(`${id} `)) faults.delete(key);
    },
    close: async () => {
      await Promise.all([close(hub), close(store)]);
    },
  };
}

const CORS = {
  // A client that keeps connections would meet the ones that were cut on purpose.
  connection: "close",
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "authorization, range",
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-expose-headers":
    "X-Error-Code, X-Linked-Size, X-Linked-Etag, ETag, Content-Range, Accept-Ranges, Content-Length",
};

function preflight(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== "OPTIONS") return false;
  response.writeHead(204, CORS).end();
  return true;
}

function noted(request: IncomingMessage): Request {
  return {
    path: request.url ?? "",
    range: request.headers.range ?? null,
    authorised: request.headers.authorization !== undefined,
  };
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { ...CORS, "content-type": "application/json", "x-error-code": code });
  response.end(JSON.stringify({ error: code }));
}

function describe(
  response: ServerResponse,
  id: string,
  repository: Repository,
  fault: Fault | undefined,
): void {
  if (fault?.kind === "status") return refuse(response, fault.status, fault.code ?? "");
  if (fault?.kind === "html") return sendPage(response);
  const headers = { ...CORS, "content-type": "application/json" };
  if (fault?.kind === "text") {
    response.writeHead(200, headers).end(fault.text);
    return;
  }
  const detailed = repository.detailed ?? true;
  const siblings = Object.keys(repository.files).map((path) => {
    const content = contentOf(repository, path) ?? new Uint8Array();
    const size = content.byteLength;
    if (!detailed) return { rfilename: path };
    return LARGE.test(path)
      ? { rfilename: path, size, blobId: "0".repeat(40), lfs: { sha256: sha256(content), size } }
      : { rfilename: path, size, blobId: gitBlob(content) };
  });
  const { licence, gatedBy, pipelineTag } = repository;
  response.writeHead(200, headers);
  response.end(
    JSON.stringify({
      id,
      sha: commitOf(repository),
      gated: gatedBy === undefined ? false : "manual",
      ...(pipelineTag === undefined ? {} : { pipeline_tag: pipelineTag }),
      tags: licence === undefined ? [] : [`license:${licence}`],
      cardData: licence === undefined ? {} : { license: licence },
      siblings,
    }),
  );
}

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  content: Uint8Array | null,
  fault: Fault | undefined,
): void {
  if (content === null) return refuse(response, 404, "EntryNotFound");
  if (fault?.kind === "status") return refuse(response, fault.status, fault.code ?? "");
  if (fault?.kind === "html") return sendPage(response);
  const bytes = fault?.kind === "corrupt" ? content.map((byte) => byte ^ 255) : content;
  const first = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
  const start = first === undefined || fault?.kind === "no-ranges" ? 0 : Number(first);
  if (start > 0 && start >= bytes.byteLength) {
    response.writeHead(416, { ...CORS, "content-range": `bytes */${bytes.byteLength}` }).end();
    return;
  }
  const part = bytes.subarray(start);
  response.writeHead(start > 0 ? 206 : 200, {
    ...CORS,
    "content-type": "application/octet-stream",
    "content-length": part.byteLength,
    "accept-ranges": "bytes",
    etag: `"${sha256(bytes)}"`,
    ...(start > 0 ? { "content-range": `bytes ${start}-${bytes.byteLength - 1}/${bytes.byteLength}` } : {}),
    ...(fault?.kind === "linked" && fault.size !== undefined ? { "x-linked-size": fault.size } : {}),
    ...(fault?.kind === "linked" && fault.hash !== undefined ? { "x-linked-etag": `"${fault.hash}"` } : {}),
  });
  if (fault?.kind === "cut" || fault?.kind === "stall") {
    response.write(part.subarray(0, fault.after), () => {
      if (fault.kind === "cut") response.socket?.end(() => response.destroy());
    });
    return;
  }
  response.end(part);
}

function sendPage(response: ServerResponse): void {
  response.writeHead(200, { ...CORS, "content-type": "text/html; charset=utf-8" });
  response.end("<!DOCTYPE html><title>Sign in</title><p>Sign in to use this network.");
}

function contentOf(repository: Repository | undefined, path: string): Uint8Array | null {
  const content = repository?.files[path];
  if (content === undefined) return null;
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

function commitOf(repository: Repository): string {
  const hash = createHash("sha1");
  for (const path of Object.keys(repository.files).sort()) {
    hash.update(path).update(contentOf(repository, path) ?? "");
  }
  return hash.digest("hex");
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function gitBlob(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.byteLength}\0`).update(content).digest("hex");
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
