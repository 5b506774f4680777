/** Times a model on WASM in Node, one thread, with its quantised weights folded and through the runtime's kernel. */
import { LocalEngine, type GenerateResult } from "../../src/inference/index.ts";
import { diskFolder, NodeRuntime, PLAIN_SURROUNDINGS } from "../../tests/inference-in-node.ts";

const PROMPT_TOKENS = 40;
const STEPS = 8;

/** @param args - the model's folder, and its format (default: q4) */
export async function main([path, dtype = "q4"]: readonly string[]): Promise<void> {
  if (path === undefined) throw new RangeError("Name a model's folder.");
  const answers: string[] = [];
  for (const [name, mostWeightBytes] of [
    ["folded", undefined],
    ["kernel", 0],
  ] as const) {
    const engine = new LocalEngine({
      device: { ...PLAIN_SURROUNDINGS, ...(mostWeightBytes === undefined ? {} : { mostWeightBytes }) },
      openFolder: () => diskFolder(path),
      runtime: new NodeRuntime(),
    });
    const started = performance.now();
    const source = { kind: "bundled", id: path, baseUrl: "" } as const;
    const model = await engine.load({ source, device: "wasm", dtype }, () => undefined);
    const loaded = performance.now();
    const prompt = await timed(engine, 1);
    const longer = await timed(engine, 1 + STEPS);
    answers.push(longer.result.text);
    console.log(
      `${name}: loaded in ${seconds(loaded - started)}, a prompt of ${PROMPT_TOKENS} tokens ${seconds(prompt.ms)}, ` +
        `a step ${seconds((longer.ms - prompt.ms) / STEPS)}; self-test ${model.selfTest.cacheDifferenceNats.toExponential(1)} nats`,
    );
    console.log(`  ${model.device.runtime}. ${model.device.reason}`);
    await engine.dispose();
  }
  console.log(answers[0] === answers[1] ? "The same answer." : `Two answers: ${JSON.stringify(answers)}`);
}

async function timed(
  engine: LocalEngine,
  maxNewTokens: number,
): Promise<{ readonly ms: number; readonly result: GenerateResult }> {
  const started = performance.now();
  let result: GenerateResult | null = null;
  await engine.generate(
    [
      {
        key: "bench",
        promptTokenIds: Int32Array.from({ length: PROMPT_TOKENS }, (_, i) => 1000 + i),
        contentRange: null,
        decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens, repeats: 1 },
        stream: { seed: 1, exampleId: "e", promptId: "p", repeat: 0 },
      },
    ],
    (one) => void (result = one),
    () => undefined,
  );
  if (result === null) throw new Error("There was no answer.");
  return { ms: performance.now() - started, result };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;
