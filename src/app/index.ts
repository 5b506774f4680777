/** The application: composes storage, workers and evaluation into the one controller of the interface. */
import { RunStore } from "../storage/index.ts";
import { AnalysisClient, DataClient, ExportClient, ModelFilesClient, RunClient } from "../workers/index.ts";
import { Automation } from "./automation.ts";
import { loadCatalogue } from "./catalogue.ts";
import { RunController } from "./controller.ts";
import { findDeviceAbilities } from "./device-abilities.ts";
import { hubHost } from "./hub-host.ts";
import { Library } from "./model-library.ts";
import { RequestLog } from "./request-log.ts";

/**
 * @param base - the page's own folder, as an absolute URL
 * @throws {Error} with a message for the reader if the page's own files cannot be read
 */
export async function openApp(
  base: string,
): Promise<{ readonly controller: RunController; readonly automation: Automation }> {
  const requests = new RequestLog();
  requests.open();
  const library = new Library({
    files: new ModelFilesClient(),
    bundled: await loadCatalogue(base),
    host: hubHost(globalThis.location.search, import.meta.env["VITE_SAGO_HUB"] as string | undefined),
    abilities: await findDeviceAbilities(),
  });
  await library.open();
  const controller = new RunController({
    runs: new RunClient(),
    analyses: new AnalysisClient(),
    exports: new ExportClient(),
    store: new RunStore(),
    data: new DataClient(),
    library,
    requests: requests.state,
    base,
  });
  await controller.open();
  if (import.meta.env.PROD) void controller.prepareOffline();
  // Not awaited: the page is there first. `?example=none` leaves it out, for scripts and tests.
  if (new URL(globalThis.location.href).searchParams.get("example") !== "none")
    void controller.openExampleRun();
  return { controller, automation: new Automation(controller) };
}
