/** Steps of decoding with and without the probe, in a worker of their own. */
import type { PhaseTimes, StepsRequest, StepsTimes } from "./decode-steps.worker.ts";

export const stepsSide = {
  times(request: StepsRequest): Promise<StepsTimes | PhaseTimes> {
    const worker = new Worker(new URL("./decode-steps.worker.ts", import.meta.url), { type: "module" });
    return new Promise((resolve, reject) => {
      worker.addEventListener(
        "message",
        ({ data }: MessageEvent<{ result?: StepsTimes | PhaseTimes; error?: string }>) => {
          worker.terminate();
          if (data.result) resolve(data.result);
          else reject(new Error(data.error));
        },
      );
      worker.addEventListener("error", (event) => reject(new Error(event.message)));
      const folder = new URL(request.folder, location.href).href;
      worker.postMessage({ ...request, folder });
    });
  },
};
