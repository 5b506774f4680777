/** The worker that holds the sentence encoder. */
import * as Comlink from "comlink";
import { LocalEncoder } from "../inference/index.ts";
import "./error-transfer.ts";
import { reportRequests } from "./request-reports.ts";

reportRequests("the sentence encoder");

Comlink.expose(new LocalEncoder());
