/** `npm run simulate [-- REPLICATIONS] [-- --fresh]`: continues where it was stopped; see simulation.ts. */
import { runTypeScript } from "../run-typescript.mjs";

await runTypeScript("tools/simulate/simulation.ts", process.argv.slice(2));
