export type * from "./contract.ts";
export type * from "./types.ts";
