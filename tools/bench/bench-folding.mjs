/** `node tools/bench/bench-folding.mjs FOLDER [FORMAT]`: what folding quantised weights gains. See folding-bench.ts. */
import { runTypeScript } from "../run-typescript.mjs";

await runTypeScript("tools/bench/folding-bench.ts", process.argv.slice(2));
