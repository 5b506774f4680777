import type { DeviceAbilities } from "./precision.ts";

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|software|basic render/i;

/** What the page's own graphics processor can do; asked once. The engine's worker asks again for itself. */
export async function findDeviceAbilities(): Promise<DeviceAbilities> {
  const gpu: GPU | undefined = globalThis.navigator.gpu;
  try {
    const adapter = (await gpu?.requestAdapter()) ?? null;
    if (adapter === null) return { webgpu: false, shaderF16: false };
    const { vendor, architecture, device, description } = adapter.info;
    const software = [vendor, architecture, device, description].some((text) => SOFTWARE.test(text));
    return { webgpu: !software, shaderF16: adapter.features.has("shader-f16") };
  } catch (error) {
    console.warn("The graphics processor could not be asked for its abilities.", error);
    return { webgpu: false, shaderF16: false };
  }
}
