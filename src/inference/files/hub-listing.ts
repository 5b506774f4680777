/** What a hub says about a model at one revision: its commit, its files with sizes and hashes, its licence. */
import * as v from "valibot";
import { EngineError, messageOf } from "../engine-error.ts";
import type { FileDigest, HubFile } from "../types.ts";
import { hostName, hubInfoUrl, isCommit, type HubReference } from "./hub-address.ts";
import { askHub, SilenceWatch, type HubAccess } from "./hub-request.ts";

const text = v.fallback(v.nullish(v.string()), null);
const size = v.fallback(v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0))), null);
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const sha1 = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/));

/** Only what is used. The large file's hash is `sha256` here and `oid` in the listing of a folder. */
const infoSchema = v.looseObject({
  sha: sha1,
  gated: v.fallback(v.nullish(v.union([v.boolean(), v.string()])), null),
  pipeline_tag: text,
  tags: v.fallback(v.nullish(v.array(v.string())), null),
  cardData: v.fallback(
    v.nullish(
      v.looseObject({
        license: v.fallback(v.nullish(v.union([v.string(), v.array(v.string())])), null),
        license_name: text,
      }),
    ),
    null,
  ),
  siblings: v.array(
    v.looseObject({
      rfilename: v.pipe(v.string(), v.nonEmpty()),
      size,
      blobId: v.fallback(v.nullish(sha1), null),
      lfs: v.fallback(
        v.nullish(
          v.looseObject({
            sha256: v.fallback(v.nullish(sha256), null),
            oid: v.fallback(v.nullish(sha256), null),
            size,
          }),
        ),
        null,
      ),
    }),
  ),
});

export interface HubListing {
  readonly id: string;
  readonly host: string;
  /** The commit that the asked revision stands for now. */
  readonly revision: string;
  readonly askedRevision: string;
  /** As the model's card says, such as `apache-2.0`; null where it does not. */
  readonly licence: string | null;
  /** Terms must be accepted before files are handed out. */
  readonly gated: boolean;
  readonly files: readonly HubFile[];
}

/** A listing is a few hundred kilobytes for the largest repositories. */
const MOST_BYTES = 32_000_000;

/**
 * Asks a hub for a model.
 *
 * @throws {EngineError} `model-missing`, `access-needed`, `download-failed`, or `hub-answer-invalid` where the
 *   answer is no description of a model (a web page, broken JSON)
 */
export async function fetchHubListing(reference: HubReference, access: HubAccess): Promise<HubListing> {
  const url = hubInfoUrl(access.host, reference);
  const silence = new SilenceWatch(access);
  try {
    const response = await askHub(access, { ...reference, url, file: null }, silence);
    const answer = await response.text();
    return readHubListing(answer, reference, access.host);
  } catch (error) {
    throw silence.explain(error, `The description of ${reference.id}`, reference.id);
  } finally {
    silence.done();
  }
}

/** @throws {EngineError} `hub-answer-invalid` */
export function readHubListing(answer: string, reference: HubReference, host: string): HubListing {
  const invalid = (reason: string, cause?: unknown): EngineError =>
    new EngineError(
      "hub-answer-invalid",
      `${hostName(host)} did not describe ${reference.id}: ${reason}. Check the connection (a sign-in page of the network?), then try again.`,
      { model: reference.id },
      cause,
    );
  if (answer.length > MOST_BYTES) throw invalid("its answer is too long");
  if (/^\s*<(!doctype|html)/i.test(answer)) throw invalid("it answered with a web page in place of JSON");
  let json: unknown;
  try {
    json = JSON.parse(answer);
  } catch (error) {
    throw invalid(`its answer is not JSON (${messageOf(error)})`, error);
  }
  const parsed = v.safeParse(infoSchema, json);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw invalid(`${v.getDotPath(issue) ?? "the answer"}: ${issue.message}`);
  }
  const info = parsed.output;
  if (isCommit(reference.revision) && reference.revision !== info.sha) {
    throw invalid(`it described the commit ${info.sha} in place of ${reference.revision}`);
  }
  return {
    id: reference.id,
    host,
    revision: info.sha,
    askedRevision: reference.revision,
    licence: licenceOf(info),
    gated: info.gated !== null && info.gated !== undefined && info.gated !== false,
    files: info.siblings.map((entry) => ({
      path: entry.rfilename,
      bytes: entry.lfs?.size ?? entry.size ?? null,
      digest: digestOf(entry.lfs?.sha256 ?? entry.lfs?.oid, entry.lfs ? null : entry.blobId),
    })),
  };
}

function digestOf(large: string | null | undefined, blob: string | null | undefined): FileDigest | null {
  if (large) return { kind: "sha256", hex: large };
  return blob ? { kind: "git-blob", hex: blob } : null;
}

function licenceOf({ cardData, tags }: v.InferOutput<typeof infoSchema>): string | null {
  const named = cardData?.license;
  const licence = Array.isArray(named) ? named.join(", ") : named;
  if (licence === "other" && cardData?.license_name) return cardData.license_name;
  return licence ?? tags?.find((tag) => tag.startsWith("license:"))?.slice("license:".length) ?? null;
}
