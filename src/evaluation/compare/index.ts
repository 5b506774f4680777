/** What several analysed runs say together; needs no model. */
export { compareRuns } from "./compare-runs.ts";
export type * from "./comparison.ts";
