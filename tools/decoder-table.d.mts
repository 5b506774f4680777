export interface DecoderRow {
  readonly architecture: string;
  readonly export: "optimum" | "genai";
  readonly precision: string;
  readonly device: "wasm" | "webgpu";
  readonly layersFound: number | null;
  readonly layersExpected: number;
  readonly maxRelativeError: number | null;
  readonly status: "ok" | "unavailable";
  readonly reason: string;
}
export function decoderTable(rows: readonly DecoderRow[]): string;
export function replaceTable(page: string, table: string): string;
