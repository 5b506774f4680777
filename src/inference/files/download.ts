/** Downloads one file of a hub into its kept parts, going on where an earlier download broke off. */
import { EngineError, messageOf } from "../engine-error.ts";
import type { HubFile } from "../types.ts";
import { hubFileUrl, hostName, type HubReference } from "./hub-address.ts";
import { askHub, SilenceWatch, type HubAccess } from "./hub-request.ts";
import type { KeptFile } from "./kept-file.ts";

export interface Download {
  readonly access: HubAccess;
  readonly reference: HubReference;
  readonly file: HubFile;
  readonly kept: KeptFile;
  readonly onBytes: (loaded: number, total: number | null) => void;
}

/** Bytes that are kept at a time: what a broken connection can cost. */
const PART_BYTES = 8 * 1024 * 1024;
/** A connection that breaks is taken up again as often as this, as long as each time some bytes came. */
const MOST_CONTINUATIONS = 5;

/**
 * Brings the file to its full length. Its content is not checked here.
 *
 * @throws {EngineError} `file-truncated`, `file-not-json` (a web page in its place), `file-changed`,
 *   `storage-full`, and what `askHub` throws; AbortError. What came is kept.
 */
export async function download(order: Download): Promise<void> {
  for (let continuation = 0; ; continuation += 1) {
    const before = await order.kept.length();
    if (order.file.bytes !== null && before >= order.file.bytes && (before > 0 || continuation > 0)) return;
    try {
      await fetchRest(order, before);
      return;
    } catch (error) {
      const broke = error instanceof EngineError && error.code === "file-truncated";
      const progress = (await order.kept.length()) > before;
      if (!broke || !progress || continuation >= MOST_CONTINUATIONS) throw error;
    }
  }
}

async function fetchRest(order: Download, from: number): Promise<void> {
  const { access, file, reference, kept } = order;
  const url = hubFileUrl(access.host, reference, file.path);
  const silence = new SilenceWatch(access);
  try {
    const target = { ...reference, url, file: file.path };
    const response = await askHub(access, target, silence, from > 0 ? { range: `bytes=${from}-` } : {});
    if (response.status === 416) {
      // More is kept than there is: what is kept belongs to another file.
      await kept.forget();
      throw broken(order, from, file.bytes, "the server has no such bytes");
    }
    assertThisFile(order, response);
    const start = response.status === 206 ? from : 0;
    const sent = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1];
    if (sent !== undefined && Number(sent) !== start) {
      await response.body?.cancel();
      throw changed(order, `the server sent bytes from ${sent} on where ${start} was asked for`);
    }
    // A server that ignores ranges sends everything again.
    if (start !== from) await kept.forget();
    const total = file.bytes ?? expectedTotal(response, start);
    await keepBody(order, response, start, total, silence);
  } catch (error) {
    throw silence.explain(error, `${file.path} of ${reference.id}`, reference.id);
  } finally {
    silence.done();
  }
}

async function keepBody(
  order: Download,
  response: Response,
  start: number,
  total: number | null,
  silence: SilenceWatch,
): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) throw broken(order, start, total, "the answer has no body");
  let loaded = start;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  const flush = async (): Promise<void> => {
    if (pendingBytes === 0) return;
    const part = new Uint8Array(pendingBytes);
    let at = 0;
    for (const piece of pending) {
      part.set(piece, at);
      at += piece.byteLength;
    }
    pending = [];
    pendingBytes = 0;
    await order.kept.append(part);
  };
  try {
    for (;;) {
      const { done, value } = await readNext(reader, order, () => loaded, total, silence);
      if (done) break;
      silence.heard();
      pending.push(value);
      pendingBytes += value.byteLength;
      loaded += value.byteLength;
      if (total !== null && loaded > total) {
        await reader.cancel();
        throw changed(order, `it is longer than the ${total} bytes that were listed`);
      }
      if (pendingBytes >= PART_BYTES) await flush();
      order.onBytes(loaded, total);
    }
  } catch (error) {
    if (!(error instanceof EngineError && (error.code === "file-changed" || error.code === "storage-full"))) {
      await flush();
    }
    throw error;
  }
  await flush();
  if (total !== null && loaded < total) throw broken(order, loaded, total, "the connection ended early");
}

async function readNext(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  order: Download,
  loaded: () => number,
  total: number | null,
  silence: SilenceWatch,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch (error) {
    if (silence.signal.aborted) throw error;
    throw broken(order, loaded(), total, messageOf(error), error);
  }
}

/** @throws {EngineError} if the answer is a web page, or says itself that it is another file */
function assertThisFile(order: Download, response: Response): void {
  const { file, reference, access } = order;
  const html = response.headers.get("content-type")?.startsWith("text/html") === true;
  if (html && !/\.html?$/i.test(file.path)) {
    throw new EngineError(
      "file-not-json",
      `${hostName(access.host)} sent a web page in place of ${file.path} of ${reference.id}. Check the connection (a sign-in page of the network?), then try again.`,
      { file: file.path, model: reference.id },
    );
  }
  const linkedSize = response.headers.get("x-linked-size");
  if (linkedSize !== null && file.bytes !== null && Number(linkedSize) !== file.bytes) {
    throw changed(order, `the server names ${linkedSize} bytes, its list ${file.bytes}`);
  }
  const linkedHash = /^(?:W\/)?"?([0-9a-f]{64})"?$/.exec(response.headers.get("x-linked-etag") ?? "")?.[1];
  if (linkedHash !== undefined && file.digest?.kind === "sha256" && linkedHash !== file.digest.hex) {
    throw changed(order, `the server names the hash ${linkedHash}, its list ${file.digest.hex}`);
  }
}

function expectedTotal(response: Response, start: number): number | null {
  const linked = response.headers.get("x-linked-size");
  if (linked !== null) return Number(linked);
  const length = response.headers.get("content-length");
  return length === null || response.headers.has("content-encoding") ? null : start + Number(length);
}

function broken(
  { file, reference }: Download,
  received: number,
  expected: number | null,
  reason: string,
  cause?: unknown,
): EngineError {
  const of = expected === null ? "" : ` of ${expected}`;
  return new EngineError(
    "file-truncated",
    `The download of ${file.path} of ${reference.id} broke off after ${received}${of} bytes: ${reason}. What came is kept; try again to go on from there.`,
    { file: file.path, model: reference.id, received, expected },
    cause,
  );
}

function changed({ file, reference }: Download, reason: string): EngineError {
  return new EngineError(
    "file-changed",
    `${file.path} of ${reference.id} is not the file that was listed: ${reason}. Look the model up again.`,
    { file: file.path, model: reference.id },
  );
}
