import { describe, expect, it } from "vitest";
import { effectiveDevice, refusalOf, sensibleFormat } from "./precision.ts";

const cpu = { webgpu: false, shaderF16: false };
const gpu = { webgpu: true, shaderF16: true };
const gpuWithoutHalf = { webgpu: true, shaderF16: false };

describe("refusalOf", () => {
  it("refuses 16-bit floats where the device has none, and names what to choose", () => {
    expect(refusalOf("q4f16", "wasm", gpu)).toMatch(/q4, q8 or fp32/);
    expect(refusalOf("fp16", "webgpu", gpuWithoutHalf)).toMatch(/q4 or fp32/);
    expect(refusalOf("fp16", "webgpu", gpu)).toBeNull();
    expect(refusalOf("q4", "wasm", cpu)).toBeNull();
  });
});

const formats = (dtypes: readonly string[], bytes: number | null = null) =>
  dtypes.map((dtype) => ({ dtype, bytes }));

describe("sensibleFormat", () => {
  it("is the model's own where it runs", () => {
    expect(sensibleFormat(formats(["fp32", "q4", "q8"]), "q4", cpu)).toBe("q4");
    expect(sensibleFormat(formats(["fp16", "q4"]), "fp16", cpu)).toBe("q4");
  });

  it("is the fastest that the automatic device computes", () => {
    const all = ["fp32", "fp16", "q8", "q4", "q4f16"];
    expect(sensibleFormat(formats(all), null, cpu)).toBe("q8");
    expect(sensibleFormat(formats(all), null, gpu)).toBe("q4f16");
    expect(sensibleFormat(formats(all), null, gpuWithoutHalf)).toBe("q4");
  });

  it("is 4 bits on WASM where the weights will fit the heap as floats, and 8 where they will not", () => {
    const all = ["fp32", "q8", "q4"];
    expect(sensibleFormat(formats(all, 280e6), null, cpu)).toBe("q4");
    expect(sensibleFormat(formats(all, 800e6), null, cpu)).toBe("q8");
  });

  it("is the only one there is, even where it is refused", () => {
    expect(sensibleFormat(formats(["fp16"]), null, cpu)).toBe("fp16");
  });
});

describe("effectiveDevice", () => {
  it("resolves the automatic choice only", () => {
    expect(effectiveDevice("auto", cpu)).toBe("wasm");
    expect(effectiveDevice("auto", gpu)).toBe("webgpu");
    expect(effectiveDevice("webgpu", cpu)).toBe("webgpu");
  });
});
