/** The worker that reads imported files and keeps the reader's own sets. */
import * as Comlink from "comlink";
import { DatasetStore } from "../storage/index.ts";
import { DataService } from "./data-service.ts";
import { openEncoder } from "./encoder-client.ts";
import "./error-transfer.ts";
import { reportRequests } from "./request-reports.ts";

reportRequests("the data page");

Comlink.expose(new DataService(new DatasetStore(), openEncoder));
