/** The worker that reads imported files and keeps the reader's own sets. */
import * as Comlink from "comlink";
import { DatasetStore } from "../storage/index.ts";
import { DataService } from "./data-service.ts";
import { openEncoder } from "./encoder-client.ts";
import "./error-transfer.ts";

Comlink.expose(new DataService(new DatasetStore(), openEncoder));
