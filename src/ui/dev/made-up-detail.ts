/** Layers, certainty, style and tokens of one made-up question. */
import { range } from "d3-array";
import type { ExampleDetail, ExampleResult } from "../controller.ts";
import { LAYERS } from "./made-up-run.ts";
import { clip, normal, seeded } from "./random.ts";

const bell = (x: number, middle: number, width: number) =>
  Math.exp(-((x - middle) ** 2) / (2 * width * width));

function tokenise(text: string): string[] {
  return text
    .split(/(?=\s)/)
    .flatMap((word) => (word.length > 9 ? [word.slice(0, 6), word.slice(6)] : [word]));
}

export function makeDetail(example: ExampleResult): ExampleDetail {
  const random = seeded(example.prompt.length * 977 + 5);
  const variants = example.prompts.filter(({ role }) => role === "variant");
  const asked = example.prompts.filter(({ role }) => role !== "null-edit");
  const probability = () => clip(0.99 - random() ** 2.2 * 0.6, 0.3, 0.999);
  const responseTokens = example.prompts.map(({ promptId, response }) => ({
    promptId,
    tokens: response === "" ? [] : tokenise(response).map((text) => ({ text, probability: probability() })),
  }));
  const tokens = responseTokens[0]?.tokens ?? [];
  const key = Math.floor(tokens.length * 0.55);
  const curves = asked.map((prompt, v) => ({
    promptId: prompt.promptId,
    label: prompt.label,
    probability: tokens.map(({ probability: p }, at) =>
      v === 0
        ? p
        : clip(
            p - (0.06 + 0.05 * v) * (at === key ? 2.2 : at === key + 1 ? 1.2 : 0.35) * (0.7 + 0.6 * random()),
            0.01,
            0.995,
          ),
    ),
  }));
  const own = curves[0]?.probability ?? [];
  return {
    exampleId: example.exampleId,
    layerHeat:
      example.axes.activation.instability === null
        ? []
        : [...variants, ...example.prompts.filter(({ role }) => role === "null-edit")].map((prompt, v) => {
            const calibrated = range(LAYERS).map((layer) =>
              clip(
                0.08 +
                  0.02 * v +
                  (v > 3 ? 0.4 : 0.08) * bell(layer, 2, 3) +
                  (0.1 + 0.06 * v) * bell(layer, 23, 4) +
                  0.015 * normal(random),
              ),
            );
            return {
              promptId: prompt.promptId,
              label: prompt.label,
              calibrated,
              raw: calibrated.map((value) => value * 0.9),
            };
          }),
    certainty: {
      tokens: tokens.map(({ text }) => text),
      curves,
      positionDistance: own.map((p, at) => {
        const gaps = curves
          .slice(1)
          .map((curve) => clip(0.05 + Math.sqrt(Math.abs((curve.probability[at] ?? p) - p)) * 0.62));
        return gaps.reduce((sum, gap) => sum + gap, 0) / Math.max(1, gaps.length);
      }),
      coveredMass: 0.97,
    },
    mirroring: {
      features: [
        {
          id: "upper-case",
          label: "Capital letters",
          unit: "% of letters",
          prompts: [3, 3, 4, 3, 5, 100, 6, 3],
          responses: [2, 2, 2, 3, 4, 46, 14, 3],
          slope: 0.46,
          slopeLow: 0.31,
          slopeHigh: 0.58,
        },
        {
          id: "politeness",
          label: "Polite words",
          unit: "per 100 words",
          prompts: [0, 0, 0, 0, 17, 0, 0, 0],
          responses: [0, 0, 0, 0, 17, 0, 0, 0],
          slope: 0.98,
          slopeLow: 0.62,
          slopeHigh: 1.04,
        },
        {
          id: "length",
          label: "Length",
          unit: "words",
          prompts: [9, 14, 9, 20, 20, 9, 11, 9],
          responses: [20, 21, 14, 13, 26, 20, 2, 20],
          slope: 0.52,
          slopeLow: -0.12,
          slopeHigh: 0.94,
        },
        {
          id: "repeated-punctuation",
          label: "Repeated punctuation",
          unit: "per 100 characters",
          prompts: [0, 0, 0, 0, 0, 4.3, 0, 0],
          responses: [0, 0, 0, 0, 0, 0, 0, 0],
          slope: 0,
          slopeLow: 0,
          slopeHigh: 0.11,
        },
        {
          id: "spaces",
          label: "Extra spaces",
          unit: "per 100 characters",
          prompts: [0, 0, 0, 0, 0, 0, 0, 31],
          responses: [0, 0, 0, 0, 0, 0, 0, 0],
          slope: 0,
          slopeLow: 0,
          slopeHigh: 0.08,
        },
        {
          id: "contractions",
          label: "Contractions",
          unit: "per 100 words",
          prompts: [0, 0, 0, 0, 0, 0, 0, 0],
          responses: [0, 0, 0, 0, 0, 0, 0, 0],
          slope: null,
          slopeLow: null,
          slopeHigh: null,
        },
      ],
      promptIds: asked.map(({ promptId }) => promptId),
      matched: example.axes.mirroring.B,
      mismatched: example.axes.mirroring.C,
      expectedByChance: 0.03,
      pValue: 0.0004,
    },
    responseTokens,
  };
}
