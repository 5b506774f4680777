/** transformers.js on the same files, one prompt at a time, on the fastest settings that it offers for them. */
import {
  AutoModelForCausalLM,
  AutoTokenizer,
  env,
  Tensor,
  type PreTrainedModel,
} from "@huggingface/transformers";
import moduleUrl from "../../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.asyncify.mjs?url";
import wasmUrl from "../../../node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.asyncify.wasm?url";
import { timed, type BenchPrompt, type Timing } from "./timing.ts";

let model: PreTrainedModel;

const int64 = (values: readonly number[]): Tensor =>
  new Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
const ones = (length: number): number[] => new Array<number>(length).fill(1);

export const transformersSide = {
  async load(root: string, id: string, threads: number): Promise<string> {
    readFrom(root);
    const { wasm } = env.backends.onnx;
    if (wasm === undefined) throw new Error("transformers.js has no WASM backend here.");
    wasm.wasmPaths = {
      mjs: new URL(moduleUrl, location.href).href,
      wasm: new URL(wasmUrl, location.href).href,
    };
    wasm.numThreads = threads;
    model = await AutoModelForCausalLM.from_pretrained(id, {
      dtype: "q4",
      device: "wasm",
      // Without this the quantised weights are computed anew at each step; with it they are folded, as for Sago.
      session_options: { graphOptimizationLevel: "all", extra: { session: { disable_quant_qdq: "1" } } },
    });
    return `transformers.js ${env.version}, ${threads} threads`;
  },

  /** The templated prompts as text, with their special tokens, for peers that read text. */
  async texts(root: string, id: string, prompts: readonly (readonly number[])[]): Promise<string[]> {
    readFrom(root);
    const tokenizer = await AutoTokenizer.from_pretrained(id);
    return prompts.map((ids) => tokenizer.decode([...ids], { skip_special_tokens: false }));
  },

  /** Nothing is captured but the tokens. */
  generate(prompts: readonly BenchPrompt[], maxNewTokens: number): Promise<Timing> {
    return timed(async () => {
      let tokens = 0;
      for (const { tokenIds } of prompts) {
        const written = await answer(tokenIds, maxNewTokens);
        tokens += written.length - tokenIds.length;
      }
      return tokens;
    });
  },

  /**
   * The axes by hand: answers, a pass for each prompt to read hidden states (its cost: a pass; this graph does not
   * hand them out), and a pass with all logits for each pair of a prompt and an answer that a run scores.
   * @param pairs - [prompt, whose answer] by place
   */
  naiveAxes(
    prompts: readonly BenchPrompt[],
    pairs: readonly (readonly [number, number])[],
    maxNewTokens: number,
  ): Promise<Timing> {
    return timed(async () => {
      const answers: number[][] = [];
      for (const { tokenIds } of prompts) {
        const written = await answer(tokenIds, maxNewTokens);
        answers.push(written.slice(tokenIds.length));
        await logits(tokenIds);
      }
      let sum = 0;
      for (const [prompt, whose] of pairs) {
        const read = prompts[prompt]?.tokenIds ?? [];
        const said = answers[whose] ?? [];
        sum += logProbability(await logits([...read, ...said]), read.length, said);
      }
      if (Number.isNaN(sum)) throw new Error("A log-probability is not a number.");
      return answers.reduce((count, { length }) => count + length, 0);
    });
  },
};

/** From the folder beside this page, and from nowhere else. */
function readFrom(root: string): void {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = new URL(root, location.href).pathname;
  env.useBrowserCache = false;
  env.useWasmCache = false;
}

async function answer(tokenIds: readonly number[], maxNewTokens: number): Promise<number[]> {
  const output = await model.generate({
    inputs: int64(tokenIds),
    attention_mask: int64(ones(tokenIds.length)),
    max_new_tokens: maxNewTokens,
    do_sample: false,
  });
  if (!(output instanceof Tensor)) throw new Error("transformers.js gave no tensor.");
  return Array.from(output.data as BigInt64Array, Number);
}

async function logits(tokenIds: readonly number[]): Promise<Tensor> {
  const output = (await model({
    input_ids: int64(tokenIds),
    attention_mask: int64(ones(tokenIds.length)),
  })) as { logits: Tensor };
  return output.logits;
}

/** Sum of the answer's log-probabilities, nats, by the log-sum-exp over each position's row. */
function logProbability({ data, dims }: Tensor, start: number, said: readonly number[]): number {
  const width = dims[2] ?? 0;
  const values = data as Float32Array;
  let total = 0;
  said.forEach((token, at) => {
    const from = (start + at - 1) * width;
    const row = values.subarray(from, from + width);
    let most = -Infinity;
    for (const value of row) if (value > most) most = value;
    let sum = 0;
    for (const value of row) sum += Math.exp(value - most);
    total += (row[token] ?? NaN) - most - Math.log(sum);
  });
  return total;
}
