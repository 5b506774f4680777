import { productVersion } from "../version.ts";
import { ANALYSIS_SCHEMA, type Analysis } from "./analysis-result.ts";

/**
 * A stored analysis, if this very version of the page made it; else null, and it is computed again: what
 * another version wrote may mean something else.
 */
export function analysisOfThisVersion(stored: unknown): Analysis | null {
  if (typeof stored !== "object" || stored === null) return null;
  const { schema, productVersion: version } = stored as Partial<Analysis>;
  return schema === ANALYSIS_SCHEMA && version === productVersion ? (stored as Analysis) : null;
}
