/** The worker that holds the language model. */
import * as Comlink from "comlink";
import { LocalEngine } from "../inference/index.ts";
import "./error-transfer.ts";

Comlink.expose(new LocalEngine());
