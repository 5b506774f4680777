import type { AxisId } from "../../storage/index.ts";

/** The axes as they stand within a sentence. */
export const AXIS_NAMES: Readonly<Record<AxisId, string>> = {
  generation: "generation",
  activation: "activations",
  confidence: "confidence",
  mirroring: "mirroring",
};
