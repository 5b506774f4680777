/** Times the analysis of a synthetic run as large as the largest that the page promises to analyse. */
import { encodeFloat16 } from "../../src/metrics/index.ts";
import { analyseRun } from "../../src/evaluation/analysis/index.ts";
import { createRandom } from "../../src/statistics/index.ts";
import { syntheticBundle } from "../../tests/fixtures/synthetic-bundle.ts";
import type { RunBundle } from "../../src/storage/index.ts";

interface Size {
  readonly examples: number;
  readonly variants: number;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly tokens: number;
  readonly replications: number;
}

const DEFAULT: Size = {
  examples: 1000,
  variants: 8,
  layers: 30,
  hiddenSize: 576,
  tokens: 24,
  replications: 2000,
};

/** @param args - `name=number` pairs that replace defaults */
export function main(args: readonly string[]): void {
  const size: Record<string, number> = { ...DEFAULT };
  for (const arg of args) {
    const [name = "", value = ""] = arg.split("=");
    if (!(name in size) || !Number.isFinite(Number(value)))
      throw new RangeError(`Expected one of ${Object.keys(size).join(", ")} as name=number, not "${arg}".`);
    size[name] = Number(value);
  }
  const chosen = size as unknown as Size;
  const bundle = largeBundle(chosen);
  const started = process.cpuUsage();
  const wall = performance.now();
  const analysis = analyseRun(bundle, { replications: chosen.replications });
  const cpu = process.cpuUsage(started);
  console.log(
    `${chosen.examples} examples × ${chosen.variants + 1} wordings × ${chosen.layers} layers, B = ${chosen.replications}: ` +
      `${((performance.now() - wall) / 1000).toFixed(1)} s (${((cpu.user + cpu.system) / 1e6).toFixed(1)} s of processor time), ` +
      `generation ${analysis.axes.generation.estimate?.toFixed(3)}`,
  );
}

/** The small vectors of a synthetic run replaced by random ones of full width: what they say does not matter here. */
function largeBundle({ examples, variants, layers, hiddenSize, tokens }: Size): RunBundle {
  const small = withVariants(
    syntheticBundle({ examples: 2, variants: Math.min(variants, 7), layers, tokens }),
    variants,
  );
  const random = createRandom("bench");
  const pool = encodeFloat16(
    Float32Array.from({ length: 4_000_000 }, () => Math.max(-1, Math.min(1, random.normal() / 3))),
  );
  const partitionSize = 128;
  const scorePool = encodeFloat16(
    Float32Array.from({ length: 400 * tokens * partitionSize }, () => -5.5 - 2 * random.uniform()),
  );
  const cut = (from: Uint16Array, length: number) => {
    const start = random.integer(Math.min(2 ** 21, from.length - length));
    return from.slice(start, start + length);
  };
  const vectorPool = Float32Array.from({ length: 100_000 }, () => random.normal() + 0.3);
  const times = <T extends { readonly exampleId: string }>(
    records: readonly T[],
    change: (record: T, at: number) => T,
  ): T[] =>
    Array.from({ length: examples }, (_, at) =>
      records
        .filter(({ exampleId }) => exampleId === "example-0")
        .map((record) => change({ ...record, exampleId: `example-${at}` }, at)),
    ).flat();
  return {
    run: {
      ...small.run,
      prompts: times(small.run.prompts, (it) => it),
      golds: {},
    },
    background: null,
    generations: times(small.generations, (it, at) => ({
      ...it,
      text: it.promptId === "v1" ? `${it.text} ${at}` : it.text,
    })),
    activations: times(small.activations, (it) => ({
      ...it,
      layers,
      hiddenSize,
      values: cut(pool, layers * hiddenSize),
      scales: new Float32Array(layers).fill(1),
    })),
    scores: times(
      small.scores.filter(({ relation }) => relation !== "unrelated"),
      (it) => ({
        ...it,
        promptExampleId: it.exampleId,
        partitionSize,
        partitionLogProbs: cut(scorePool, tokens * partitionSize),
      }),
    ).flatMap((it, at) => {
      // 200 unrelated pairs in all, as a run plans them.
      const prompts = variants + 4;
      if (it.relation !== "original" || at / prompts >= 200) return [it];
      const other = (Math.floor(at / prompts) * 7 + 1) % examples;
      return it.exampleId === `example-${other}`
        ? [it]
        : [
            it,
            {
              ...it,
              relation: "unrelated" as const,
              promptExampleId: `example-${other}`,
              partitionIds: null,
            },
          ];
    }),
    embeddings: times(small.embeddings, (it) => {
      const start = random.integer(vectorPool.length - 384);
      return { ...it, vector: vectorPool.slice(start, start + 384) };
    }),
  };
}

/** The synthetic run has seven wordings at most; further ones repeat the last under another name. */
function withVariants(bundle: RunBundle, variants: number): RunBundle {
  const again = <T extends { readonly promptId: string }>(records: readonly T[]): T[] =>
    records.flatMap((it) =>
      it.promptId === "v7"
        ? [
            it,
            ...Array.from({ length: Math.max(0, variants - 7) }, (_, at) => ({
              ...it,
              promptId: `v${8 + at}`,
            })),
          ]
        : [it],
    );
  return {
    ...bundle,
    run: { ...bundle.run, prompts: again(bundle.run.prompts) },
    generations: again(bundle.generations),
    activations: again(bundle.activations),
    scores: again(bundle.scores),
    embeddings: again(bundle.embeddings),
  };
}
