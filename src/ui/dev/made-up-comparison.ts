/** Two made-up models on three made-up datasets, compared by the real comparison. */
import { mean } from "d3-array";
import { compareRuns, type AnalysedRun } from "../../evaluation/index.ts";
import {
  AXES,
  type Analysis,
  type AxisId,
  type AxisIndependence,
  type Comparison,
  type RunRecord,
} from "../controller.ts";
import { madeUpRun, makeAnalysis } from "./made-up-run.ts";
import { clip, normal, seeded } from "./random.ts";

const DATASETS = ["Short facts", "Instructions", "Judgements"] as const;
const MODELS = ["SmolLM2-135M-Instruct", "SmolLM2-360M-Instruct"] as const;
/** How far each model lies from the made-up run, on each dataset. */
const SHIFTS: Readonly<Record<(typeof MODELS)[number], readonly number[]>> = {
  "SmolLM2-135M-Instruct": [0, 0.06, -0.02],
  "SmolLM2-360M-Instruct": [-0.02, -0.08, 0.16],
};

export const madeUpRuns: readonly RunRecord[] = DATASETS.flatMap((dataset, at) =>
  MODELS.map((model): RunRecord => {
    const id = dataset.toLowerCase().replace(" ", "-");
    return {
      ...madeUpRun,
      id: `${id}-${model.slice(8, 12)}`,
      createdAt: `2026-11-0${at + 2}T09:14:00Z`,
      spec: {
        ...madeUpRun.spec,
        model: { ...madeUpRun.spec.model, id: model },
        dataset: { ...madeUpRun.spec.dataset, id, name: dataset, contentHash: id },
      },
    };
  }),
);

export function madeUpComparison(runIds: readonly string[]): Promise<Comparison> {
  const analysed = runIds.map((runId): AnalysedRun => {
    const run = madeUpRuns.find(({ id }) => id === runId) ?? { ...madeUpRun, id: runId };
    return { runId, createdAt: run.createdAt, spec: run.spec, analysis: analysisOf(run) };
  });
  return Promise.resolve(compareRuns(analysed, "made up"));
}

function analysisOf({ id, spec }: RunRecord): Analysis {
  const base = makeAnalysis({ done: 32, runId: id });
  const model = MODELS.find((name) => name === spec.model.id) ?? MODELS[0];
  const place = Math.max(
    0,
    DATASETS.findIndex((name) => name === spec.dataset.name),
  );
  const shift = SHIFTS[model][place] ?? 0;
  const random = seeded(100 + 10 * place + MODELS.indexOf(model));
  const examples = base.examples.map((example) => ({
    ...example,
    composite: clip((example.composite ?? 0) + shift + 0.06 * normal(random)),
  }));
  const composite = mean(examples, (it) => it.composite) ?? 0;
  const moved = (axis: AxisId): Analysis["axes"][AxisId] => {
    const result = base.axes[axis];
    const by = (axis === "mirroring" ? 0.3 : 1.2) * shift + 0.02 * normal(random);
    const at = (value: number | null) => (value === null ? null : clip(value + by));
    return { ...result, estimate: at(result.estimate), low: at(result.low), high: at(result.high) };
  };
  return {
    ...base,
    examples,
    axes: {
      generation: moved("generation"),
      activation: moved("activation"),
      confidence: moved("confidence"),
      mirroring: moved("mirroring"),
    },
    composite: { ...base.composite, estimate: composite, low: composite - 0.03, high: composite + 0.04 },
    beside: {
      ...base.beside,
      accuracyOriginal:
        place === 1
          ? null
          : { correct: 18 + place - 4 * MODELS.indexOf(model), total: 32, low: 0.3, high: 0.7 },
    },
    further: {
      numbers: [],
      geometry: { layers: [], examples: 0, reason: "made up" },
      paper: [],
      dose: { curves: [], breaksMost: [] },
      independence: independence(random),
    },
  };
}

function independence(random: () => number): AxisIndependence {
  const pairs = AXES.flatMap((a, at) =>
    AXES.slice(at + 1).map((b): AxisIndependence["pairs"][number] => {
      const rho = b === "mirroring" ? 0.05 * normal(random) : 0.45 + 0.1 * normal(random);
      const around = (wide: number) => ({ estimate: rho, low: rho - wide, high: rho + wide, reason: null });
      return {
        axes: [a, b],
        correlation: around(0.26),
        givenLength: around(0.28),
        disattenuated: { value: rho * 1.2, reason: null },
        distance: { squared: rho * rho, pValue: 0.02, reason: null },
        verdict: b === "mirroring" ? (random() < 0.5 ? "independent" : "undecided") : "associated",
      };
    }),
  );
  return {
    examples: 32,
    axes: AXES,
    pairs,
    reliability: {},
    participationRatio: { estimate: 3, low: 2.7, high: 3.3, reason: null },
    reason: null,
  };
}
