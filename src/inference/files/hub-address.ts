/** Addresses on a model hub: `{host}/{id}/resolve/{revision}/{file}` and its interface under `/api/models`. */
import { EngineError } from "../engine-error.ts";

/** A model and the version of it that is meant: a branch, a tag or a commit. */
export interface HubReference {
  readonly id: string;
  readonly revision: string;
}

export const DEFAULT_REVISION = "main";

const PART = String.raw`[\w][\w.-]*`;
const ID = new RegExp(`^${PART}(/${PART})?$`);
const REVISION = /^[\w][\w./-]*$/;
const COMMIT = /^[0-9a-f]{40}$/;

export function isCommit(revision: string): boolean {
  return COMMIT.test(revision);
}

/**
 * Reads what a person types or pastes: `owner/name`, `owner/name@revision`, or the address of a model's page.
 *
 * @param host - origin of the hub; an address elsewhere is refused, and nothing is asked of it
 * @throws {EngineError} `reference-invalid`
 */
export function parseHubReference(text: string, host: string): HubReference {
  const typed = text.trim();
  const { id, revision } = /^[a-z]+:\/\//i.test(typed) ? fromAddress(typed, host) : fromName(typed);
  if (!ID.test(id) || id.includes("..") || id.length > 200) {
    throw new EngineError(
      "reference-invalid",
      `"${typed}" is not a model’s name. Write owner/name or owner/name@revision, as on ${hostName(host)}.`,
    );
  }
  if (!REVISION.test(revision) || revision.includes("..")) {
    throw new EngineError(
      "reference-invalid",
      `"${revision}" is not a revision. Write a branch, a tag or a commit behind the @, or leave it out.`,
    );
  }
  return { id, revision };
}

function fromName(text: string): HubReference {
  const at = text.indexOf("@");
  return at < 0
    ? { id: text, revision: DEFAULT_REVISION }
    : { id: text.slice(0, at), revision: text.slice(at + 1) };
}

function fromAddress(text: string, host: string): HubReference {
  if (!URL.canParse(text) || new URL(text).origin !== new URL(host).origin) {
    throw new EngineError(
      "reference-invalid",
      `Models are fetched from ${hostName(host)} only; ${text} is somewhere else, and nothing was asked of it. Download it and open its folder instead.`,
    );
  }
  const [owner = "", name = "", kind = "", ...rest] = new URL(text).pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const id = name === "" ? owner : `${owner}/${name}`;
  // A page of one file (`/blob/main/config.json`) names more than the revision; a branch with a slash is typed as owner/name@branch.
  return { id, revision: ["tree", "blob", "resolve"].includes(kind) ? (rest[0] ?? "") : DEFAULT_REVISION };
}

/** Where a file's content is. */
export function hubFileUrl(host: string, { id, revision }: HubReference, path: string): string {
  const parts = path.split("/").map(encodeURIComponent).join("/");
  return new URL(`/${id}/resolve/${encodeURIComponent(revision)}/${parts}`, host).href;
}

/** Where the hub describes a model at a revision, with its files' sizes and hashes. */
export function hubInfoUrl(host: string, { id, revision }: HubReference): string {
  return new URL(`/api/models/${id}/revision/${encodeURIComponent(revision)}?blobs=true`, host).href;
}

/** The page on which a person reads about a model, and accepts its terms. */
export function hubPageUrl(host: string, id: string): string {
  return new URL(`/${id}`, host).href;
}

/** The host as a person reads it: `huggingface.co`. */
export function hostName(host: string): string {
  return new URL(host).host;
}
