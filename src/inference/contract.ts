/**
 * The plain data types that inference shares with storage, declared here again so that neither room
 * depends on the other. TypeScript's structural types keep the two equal; a type test asserts it.
 */
export type DeviceKind = "wasm" | "webgpu";
export type FinishReason = "eos" | "length" | "context";

export interface DecodingSpec {
  readonly kind: "greedy" | "sampled";
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxNewTokens: number;
  readonly repeats: number;
}

export interface ModelIdentity {
  readonly id: string;
  readonly source: "bundled" | "hub" | "folder";
  readonly revision: string | null;
  readonly filesHash: string;
  readonly dtype: string;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly vocabularySize: number;
}

/** What the test after loading found; see `self-test/self-test.ts`. Only a model that passed is ever used. */
export interface SelfTestRecord {
  /** Positions compared. */
  readonly positions: number;
  readonly toleranceNats: number;
  /** One pass against token by token: largest difference of a log-probability, and equal likeliest tokens. */
  readonly cacheDifferenceNats: number;
  readonly cacheSameTop: number;
  /** One pass against the stored reference; null where there is none. */
  readonly referenceDifferenceNats: number | null;
  readonly referenceSameTop: number | null;
  readonly elapsedMs: number;
}

export interface DeviceIdentity {
  readonly kind: DeviceKind;
  readonly adapter: string | null;
  readonly threads: number;
  readonly runtime: string;
  readonly reason: string;
}
