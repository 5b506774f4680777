/** The worker that writes tables of stored runs. */
import * as Comlink from "comlink";
import { RunStore } from "../storage/index.ts";
import "./error-transfer.ts";
import { ExportService } from "./export-service.ts";
import { reportRequests } from "./request-reports.ts";

reportRequests("the export");

Comlink.expose(new ExportService(new RunStore()));
