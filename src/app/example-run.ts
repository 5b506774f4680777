/** The run that comes with the page: stored results of the bundled model, to look at before anything is loaded. */
import * as v from "valibot";
import type { RunStore } from "../storage/index.ts";
import type { AnalysisClient } from "../workers/index.ts";

const indexSchema = v.object({
  runId: v.string(),
  /** Beside the index. */
  file: v.string(),
  bytes: v.number(),
});

/**
 * Puts the example run into the browser's storage, unless this very run is there already. An example of an
 * earlier version of the page makes room for it.
 *
 * Only its results are stored; every figure is computed from them in this browser, as for any other run.
 *
 * @param base - the page's own folder, as an absolute URL
 * @returns the id of the run
 * @throws {Error} with a sentence for the reader if the page's files cannot be read or stored
 */
export async function ensureExampleRun(
  store: RunStore,
  analyses: Pick<AnalysisClient, "importFile">,
  base: string,
): Promise<string> {
  const indexUrl = new URL("example/index.json", base);
  const index = v.safeParse(indexSchema, await (await fetched(indexUrl)).json().catch(() => null));
  if (!index.success) throw new Error(`${indexUrl.pathname} does not describe an example run.`);
  const { runId, file } = index.output;
  const stored = (await store.listRuns()).filter((run) => run.stored === true);
  if (stored.some(({ id }) => id === runId)) return runId;
  const response = await fetched(new URL(file, indexUrl));
  await analyses.importFile(await response.blob());
  for (const { id } of stored) await store.deleteRun(id);
  return runId;
}

async function fetched(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}.`);
  return response;
}
