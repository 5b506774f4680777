/** The worker that looks models up on a hub, downloads and checks them. */
import * as Comlink from "comlink";
import { LocalModelFiles } from "../inference/index.ts";
import "./error-transfer.ts";

Comlink.expose(new LocalModelFiles());
