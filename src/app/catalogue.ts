import * as v from "valibot";
import type { ModelSource } from "../inference/index.ts";

const modelsSchema = v.array(
  v.object({
    id: v.string(),
    license: v.string(),
    source: v.string(),
    files: v.array(v.object({ path: v.string(), bytes: v.number(), sha256: v.string() })),
  }),
);

/** A model that comes with the page. */
export interface CatalogueModel {
  readonly id: string;
  readonly role: "language" | "encoder";
  readonly dtype: string;
  readonly licence: string;
  readonly sizeBytes: number;
  readonly source: Extract<ModelSource, { kind: "bundled" }>;
}

/** The sentence encoder that comes with the page. */
export const ENCODER_ID = "all-MiniLM-L6-v2";

/**
 * The models that come with the page.
 *
 * @param base - the page's own folder, as an absolute URL
 * @throws {Error} with a message for the reader if the list cannot be read
 */
export async function loadCatalogue(base: string): Promise<CatalogueModel[]> {
  const url = new URL("models/models.json", base);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The list of models (${url.pathname}) answered ${response.status}.`);
  const parsed = v.safeParse(modelsSchema, await response.json());
  if (!parsed.success) {
    throw new Error(`The list of models (${url.pathname}) cannot be read: ${parsed.issues[0].message}`);
  }
  return parsed.output.map(({ id, license, files }) => ({
    id,
    role: id === ENCODER_ID ? "encoder" : "language",
    dtype: id === ENCODER_ID ? "q8" : "q4",
    licence: license,
    sizeBytes: files.reduce((sum, file) => sum + file.bytes, 0),
    source: {
      kind: "bundled",
      id,
      baseUrl: new URL(`models/${encodeURIComponent(id)}/`, base).href,
      files: files.map(({ path }) => path),
    },
  }));
}
