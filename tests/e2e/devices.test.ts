import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evaluate, exported, startBuiltPage, type BuiltPage } from "./built-page.ts";

/**
 * The two devices add in different orders, 30 layers deep. On raw distances (0 to 1) that was seen to stay
 * below 2e-3; a wrong kernel, padding or cast moves them by tenths.
 */
const TOLERANCE = 0.01;

let built: BuiltPage;

beforeAll(async () => {
  built = await startBuiltPage("webgpu");
});

afterAll(async () => {
  await built.close();
});

describe("WebGPU on SwiftShader beside WASM", () => {
  it("gives the same raw distances, and intervals that are null with their reason", async () => {
    const choices = { examples: 2, variants: 3, tokens: 8 };
    const { page } = await built.open();
    const wasm = await exported(page, await evaluate(page, { ...choices, device: "wasm" }));
    const webgpu = await exported(page, await evaluate(page, { ...choices, device: "webgpu" }));
    expect(wasm.run.spec.device.kind).toBe("wasm");
    expect(webgpu.run.spec.device.kind).toBe("webgpu");
    for (const { low, high, reason } of Object.values(webgpu.analysis.axes)) {
      expect(low).toBeNull();
      expect(high).toBeNull();
      expect(reason).toMatch(/\w+/);
    }
    let compared = 0;
    wasm.analysis.examples.forEach((example, index) => {
      const other = webgpu.analysis.examples[index];
      expect(other?.exampleId).toBe(example.exampleId);
      example.prompts.forEach((prompt, at) => {
        const there = other?.prompts[at];
        for (const axis of ["activation", "confidence"] as const) {
          const a = prompt.distance[axis];
          const b = there?.distance[axis];
          expect(b === null, `${prompt.promptId} ${axis}`).toBe(a === null);
          if (a === null || b === null || b === undefined) continue;
          expect(Math.abs(a - b), `${example.exampleId} ${prompt.promptId} ${axis}`).toBeLessThan(TOLERANCE);
          compared += 1;
        }
        expect(there?.response).toBe(prompt.response);
      });
    });
    expect(compared).toBeGreaterThan(20);
  });
});
