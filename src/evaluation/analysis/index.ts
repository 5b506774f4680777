/** What the records of a run amount to; needs no model. */
export { analyseRun, type AnalysisOptions } from "./analyse-run.ts";
export { exampleDetail } from "./example-detail.ts";
export { furtherAnalysis } from "./further/further.ts";
