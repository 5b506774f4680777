/** The worker that holds the sentence encoder. */
import * as Comlink from "comlink";
import { LocalEncoder } from "../inference/index.ts";
import "./error-transfer.ts";

Comlink.expose(new LocalEncoder());
