/** llama.cpp in WebAssembly (wllama) on the GGUF file that the bundled model was made of. */
import { LoggerWithoutDebug, Wllama } from "@wllama/wllama";
import wasmUrl from "@wllama/wllama/esm/wasm/wllama.wasm?url";
import { timed, type BenchPrompt, type Timing } from "./timing.ts";

const wllama = new Wllama({ default: new URL(wasmUrl, location.href).href }, { logger: LoggerWithoutDebug });

export const wllamaSide = {
  async load(path: string, threads: number, parallel: number): Promise<string> {
    const response = await fetch(new URL(path, location.href));
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    await wllama.loadModel([await response.blob()], {
      n_threads: threads,
      n_gpu_layers: 0,
      n_parallel: parallel,
      n_ctx: 512 * parallel,
    });
    return `llama.cpp ${Wllama.getLibllamaVersion()}, ${wllama.getNumThreads()} threads, ${parallel} at a time`;
  },

  /** Greedy answers, so many prompts at a time as it was loaded for. */
  generate(prompts: readonly BenchPrompt[], maxNewTokens: number, parallel: number): Promise<Timing> {
    return timed(async () => {
      let tokens = 0;
      const waiting = [...prompts];
      const lane = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const { usage } = await wllama.createCompletion({
            prompt: next.text,
            max_tokens: maxNewTokens,
            temperature: 0,
          });
          tokens += usage.completion_tokens;
        }
      };
      await Promise.all(Array.from({ length: parallel }, lane));
      return tokens;
    });
  },
};
