/** One request to a hub: with its token, with a limit to silence, and with every refusal explained. */
import { EngineError, isAbortError, messageOf } from "../engine-error.ts";
import { hostName, hubPageUrl, type HubReference } from "./hub-address.ts";

export interface HubAccess {
  /** Origin of the hub. */
  readonly host: string;
  /** Sent to that origin only: browsers drop it where the hub redirects to another one. */
  readonly token: string | null;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal | null;
  /** A server that sends nothing for so long is given up. */
  readonly silenceMs: number;
}

/** Long enough for a hub that fetches a cold file from its store. */
export const SILENCE_MS = 60_000;

export interface HubTarget extends HubReference {
  readonly url: string;
  /** The file that is asked for; null for the description of the model. */
  readonly file: string | null;
}

/**
 * @returns a response that is `ok`; one that the caller must read or cancel
 * @throws {EngineError} `access-needed`, `model-missing`, `file-missing` or `download-failed`; AbortError
 */
export async function askHub(
  access: HubAccess,
  target: HubTarget,
  silence: SilenceWatch,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  let response: Response;
  try {
    response = await access.fetch(target.url, {
      headers: {
        ...headers,
        ...(access.token === null ? {} : { authorization: `Bearer ${access.token}` }),
      },
      credentials: "omit",
      signal: silence.signal,
    });
  } catch (error) {
    throw silence.explain(error, what(target), target.id);
  }
  if (response.ok || response.status === 416) return response;
  await response.body?.cancel();
  throw refusal(access, target, response);
}

function what({ file, id }: HubTarget): string {
  return file === null ? `The description of ${id}` : `${file} of ${id}`;
}

function refusal(access: HubAccess, target: HubTarget, response: Response): EngineError {
  const { id, revision, file, url } = target;
  const { status } = response;
  const host = hostName(access.host);
  const code = response.headers.get("x-error-code");
  const details = { model: id, file, url, status };
  const page = hubPageUrl(access.host, id);
  if (code === "RevisionNotFound") {
    return new EngineError(
      "model-missing",
      `${id} has no revision "${revision}" on ${host}. Leave the revision out for its main branch, or copy one from ${page}.`,
      details,
    );
  }
  if (status === 404 || status === 410) {
    return file === null
      ? new EngineError(
          "model-missing",
          `${host} has no model ${id} (${status}). Check how it is spelled there.`,
          details,
        )
      : new EngineError(
          "file-missing",
          `${host} lists ${file} of ${id} but answers ${status} for it. Look the model up again.`,
          details,
        );
  }
  if (status === 401 || status === 403) {
    return new EngineError("access-needed", accessMessage(access, target, status, host, page), details);
  }
  const advice =
    status === 429
      ? "It asks for fewer requests: wait a few minutes, then try again."
      : status >= 500
        ? "That is the server’s own trouble: try again later. What is downloaded is kept."
        : "Check the model’s name and revision.";
  return new EngineError(
    "download-failed",
    `${host} answered ${status} for ${what(target)}. ${advice}`,
    details,
  );
}

function accessMessage(
  access: HubAccess,
  { id, file }: HubTarget,
  status: number,
  host: string,
  page: string,
): string {
  // The hub does not tell strangers whether a private model exists.
  if (file === null && access.token === null) {
    return `${host} shows no model ${id} to everyone (${status}). Check how it is spelled; if it is private, give an access token.`;
  }
  const thing = file === null ? id : `${file} of ${id}`;
  if (access.token === null) {
    return `${host} does not hand out ${thing} without an access token (${status}). Accept the model’s terms at ${page}, then give a token of your account.`;
  }
  return status === 401
    ? `${host} did not accept the access token for ${thing} (401). Check that it was copied whole and has not expired.`
    : `The account of the access token may not read ${thing} (403). Ask for access at ${page}, or give a token with the right to read it.`;
}

/**
 * Ends a request whose server falls silent, or that a person stopped, and tells the two apart.
 * Call `heard` at every byte and `done` at the end.
 */
export class SilenceWatch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | null;
  readonly #silenceMs: number;
  readonly #onOuter = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #silent = false;

  constructor({ signal, silenceMs }: Pick<HubAccess, "signal" | "silenceMs">) {
    this.#outer = signal;
    this.#silenceMs = silenceMs;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", this.#onOuter, { once: true });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#silent = true;
      this.#controller.abort();
    }, this.#silenceMs);
  }

  done(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#onOuter);
  }

  /** What was thrown, as the reader should see it. A stop stays an `AbortError`. */
  explain(thrown: unknown, subject: string, model: string): unknown {
    if (this.#silent) {
      return new EngineError(
        "download-failed",
        `${subject} stopped coming: the server sent nothing for ${Math.round(this.#silenceMs / 1000)} seconds. What came is kept; try again to go on from there.`,
        { model, silenceMs: this.#silenceMs },
        thrown,
      );
    }
    if (this.#outer?.aborted === true || isAbortError(thrown) || thrown instanceof EngineError) return thrown;
    return new EngineError(
      "download-failed",
      `${subject} could not be fetched: ${messageOf(thrown)}. Check the connection, then try again. What came is kept.`,
      { model },
      thrown,
    );
  }
}
