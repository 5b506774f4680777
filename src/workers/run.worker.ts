/** The worker that executes runs. It owns the database's writes and the engine's and encoder's workers. */
import * as Comlink from "comlink";
import { RunService } from "../evaluation/index.ts";
import { RunStore } from "../storage/index.ts";
import { openEncoder } from "./encoder-client.ts";
import { openEngine } from "./engine-client.ts";
import "./error-transfer.ts";

Comlink.expose(new RunService(openEngine, openEncoder, new RunStore()));
