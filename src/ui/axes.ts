/** How the four axes look and what they are called, in their one fixed order. */
import { AXES, type AxisId } from "./controller.ts";

export type MarkShape = "circle" | "square" | "diamond" | "triangle";

export interface AxisLook {
  readonly id: AxisId;
  readonly name: string;
  readonly letter: string;
  /** What it looks at, in a few words. */
  readonly what: string;
  readonly mark: MarkShape;
  /** A CSS colour: a token that knows light and dark. */
  readonly colour: string;
  /** Said in its row where the common scale does not apply. */
  readonly ownScale: string | null;
  /** The raw distance, in plain words with its unit. */
  readonly unit: string;
}

const looks: Readonly<Record<AxisId, AxisLook>> = {
  generation: {
    id: "generation",
    name: "Generation",
    letter: "G",
    what: "what it says",
    mark: "circle",
    colour: "var(--axis-generation)",
    ownScale: null,
    unit: "1 − cosine of the meaning of two answers",
  },
  activation: {
    id: "activation",
    name: "Activations",
    letter: "A",
    what: "what happens inside",
    mark: "square",
    colour: "var(--axis-activations)",
    ownScale: null,
    unit: "1 − centred cosine of the last prompt token, mean of the layers",
  },
  confidence: {
    id: "confidence",
    name: "Confidence",
    letter: "C",
    what: "how sure it is",
    mark: "diamond",
    colour: "var(--axis-confidence)",
    ownScale: null,
    unit: "√ Jensen–Shannon divergence of the next token, bits",
  },
  mirroring: {
    id: "mirroring",
    name: "Mirroring",
    letter: "M",
    what: "how far it copies the way it was asked",
    mark: "triangle",
    colour: "var(--axis-mirroring)",
    ownScale: "here 1 is a full copy",
    unit: "likeness of style to the own prompt, minus to the other prompts",
  },
};

export const axisLook = (id: AxisId): AxisLook => looks[id];
export const axisLooks: readonly AxisLook[] = AXES.map((id) => looks[id]);
