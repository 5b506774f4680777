/** Sago's engine in its worker, with the probe, as a run uses it. */
import { EngineClient } from "../../../src/workers/index.ts";
import { timed, type BenchPrompt, type Timing } from "./timing.ts";

const engine = new EngineClient();

export const engineSide = {
  async load(folder: string): Promise<string> {
    const model = await engine.load(
      {
        source: { kind: "bundled", id: folder, baseUrl: new URL(folder, location.href).href },
        device: "wasm",
        dtype: null,
      },
      () => undefined,
    );
    return `${model.device.runtime}, ${model.device.threads} threads`;
  },

  /** Greedy answers; `together` false: one call for each prompt. */
  generate(prompts: readonly BenchPrompt[], maxNewTokens: number, together: boolean): Promise<Timing> {
    const requests = prompts.map(({ tokenIds }, index) => ({
      key: String(index).padStart(6, "0"),
      promptTokenIds: Int32Array.from(tokenIds),
      contentRange: [Math.max(0, tokenIds.length - 8), tokenIds.length] as const,
      decoding: { kind: "greedy", temperature: null, topP: null, maxNewTokens, repeats: 1 } as const,
      stream: { seed: 1, exampleId: "e", promptId: String(index), repeat: 0 },
    }));
    return timed(async () => {
      let tokens = 0;
      for (const batch of together ? [requests] : requests.map((request) => [request])) {
        await engine.generate(
          batch,
          (result) => void (tokens += result.tokenIds.length),
          () => undefined,
        );
      }
      return tokens;
    });
  },
};
