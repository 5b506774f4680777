/** The worker that executes runs. It owns the database's writes and the engine's and encoder's workers. */
import * as Comlink from "comlink";
import { RunService } from "../evaluation/index.ts";
import { parseDataset } from "../datasets/index.ts";
import { DatasetStore, RunStore } from "../storage/index.ts";
import { openEncoder } from "./encoder-client.ts";
import { openEngine } from "./engine-client.ts";
import "./error-transfer.ts";
import { reportRequests } from "./request-reports.ts";

reportRequests("the run");

const datasets = new DatasetStore();

Comlink.expose(
  new RunService(openEngine, openEncoder, new RunStore(), async (id) => {
    const parsed = parseDataset(await datasets.content(id));
    if (parsed.ok) return parsed.dataset;
    throw new Error(`The set ${id} is damaged: ${parsed.problems[0]?.message ?? "no details were given"}`);
  }),
);
