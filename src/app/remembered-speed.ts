/**
 * How fast the last run on this device was, in units of work a second, kept in `localStorage` so that the
 * next run's time can be told before it starts. Without storage there is simply no estimate.
 */
const name = (modelId: string, device: string): string => `sago-speed ${modelId} ${device}`;

/** null before the first run on this device, or where the browser keeps nothing. */
export function rememberedSpeed(modelId: string, device: string): number | null {
  const speed = Number(storage()?.getItem(name(modelId, device)) ?? Number.NaN);
  return Number.isFinite(speed) && speed > 0 ? speed : null;
}

export function rememberSpeed(modelId: string, device: string, unitsPerSecond: number): void {
  if (unitsPerSecond > 0) storage()?.setItem(name(modelId, device), String(unitsPerSecond));
}

/** Reading `localStorage` throws where the person has switched site data off. */
function storage(): Storage | null {
  try {
    return globalThis.localStorage;
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}
