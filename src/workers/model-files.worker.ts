/** The worker that looks models up on a hub, downloads and checks them. */
import * as Comlink from "comlink";
import { LocalModelFiles } from "../inference/index.ts";
import "./error-transfer.ts";
import { reportRequests } from "./request-reports.ts";

reportRequests("the list of models");

Comlink.expose(new LocalModelFiles());
