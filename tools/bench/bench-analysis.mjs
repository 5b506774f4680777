/** `npm run bench:analysis`: how long the analysis of a large run takes here. See analysis-bench.ts. */
import { runTypeScript } from "../run-typescript.mjs";

await runTypeScript("tools/bench/analysis-bench.ts", process.argv.slice(2));
