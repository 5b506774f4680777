/** The worker that recomputes every figure of a run from what is stored. */
import * as Comlink from "comlink";
import { AnalysisService } from "../evaluation/index.ts";
import { RunStore } from "../storage/index.ts";
import "./error-transfer.ts";
import { reportRequests } from "./request-reports.ts";

reportRequests("the analysis");

Comlink.expose(new AnalysisService(new RunStore()));
