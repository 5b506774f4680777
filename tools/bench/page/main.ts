/** The page that is timed: Sago's engine and its peers, asked by `tools/bench/bench.mjs` through `globalThis.bench`. */
import { engineSide } from "./engine-side.ts";
import { stepsSide } from "./steps-side.ts";
import { transformersSide } from "./transformers-side.ts";
import { wllamaSide } from "./wllama-side.ts";

const bench = { engine: engineSide, transformers: transformersSide, wllama: wllamaSide, steps: stepsSide };

declare global {
  var bench: unknown;
}
globalThis.bench = bench;
