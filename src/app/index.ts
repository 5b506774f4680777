/** The application: composes storage, workers and evaluation into the one controller of the interface. */
import { RunStore } from "../storage/index.ts";
import { AnalysisClient, DataClient, RunClient } from "../workers/index.ts";
import { Automation } from "./automation.ts";
import { loadCatalogue } from "./catalogue.ts";
import { RunController } from "./controller.ts";

/**
 * @param base - the page's own folder, as an absolute URL
 * @throws {Error} with a message for the reader if the page's own files cannot be read
 */
export async function openApp(
  base: string,
): Promise<{ readonly controller: RunController; readonly automation: Automation }> {
  const controller = new RunController({
    runs: new RunClient(),
    analyses: new AnalysisClient(),
    store: new RunStore(),
    data: new DataClient(),
    models: await loadCatalogue(base),
    base,
  });
  await controller.open();
  return { controller, automation: new Automation(controller) };
}
