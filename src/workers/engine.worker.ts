/** The worker that holds the language model. */
import * as Comlink from "comlink";
import { LocalEngine } from "../inference/index.ts";
import "./error-transfer.ts";
import { reportRequests } from "./request-reports.ts";

reportRequests("the language model");

Comlink.expose(new LocalEngine());
